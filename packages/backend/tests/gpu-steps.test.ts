import { type Stage, cutIntoSteps } from '@filigree/backend/gpu';
import { coreDialects, type Module, parseModule, printModule, verifyModule } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';

const parsed = (text: string): Module => {
  const module = parseModule(text);
  if (E.isLeft(module)) throw new Error(module.left[0]!.message);
  return module.right;
};

/** The kernels after the cut, as text, and what each step is. */
const cut = (text: string): { readonly text: string; readonly steps: readonly string[] } => {
  const { module, of } = cutIntoSteps(parsed(text));
  expect(verifyModule(module, coreDialects)).toEqual([]);
  const said = (stage: Stage): string =>
    'stages' in stage
      ? `${stage.counter} ${stage.times([7])} times (${stage.stages.map(said).join('; ')})`
      : `${stage.kernel.name} ${stage.parallel ? `parallel ${JSON.stringify(stage.trips) ?? 'unknown'}` : 'serial'}`;
  const steps = [...of].flatMap(([kernel, list]) => list.map((s) => `${kernel}: ${said(s)}`));
  return { text: printModule(module), steps };
};

it('cuts where parallel loops begin and end, and carries values across', () => {
  const { text, steps } = cut(`
module @m {
  buffer @x : f64[8] inout
  buffer @n : i32[1] input
  kernel @k(%a: f64) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %n = mem.load %0 {buffer = @n} : i32
    %s = mem.load %0 {buffer = @x} : f64
    mem.store %a, %0 {buffer = @x}
    scf.for %0, %n, %1 {parallel = true} {
    ^(%i: i32):
      mem.store %s, %i {buffer = @x}
      scf.yield
    }
    mem.store %s, %1 {buffer = @x}
    scf.yield
  }
}`);
  expect(steps).toEqual(['k: k_0 serial', 'k: k_1 parallel unknown', 'k: k_2 serial']);
  expect(text).toBe(`\
module @m {
  buffer @x : f64[8] inout
  buffer @n : i32[1] input
  buffer @k_v4 : f64[1] temp
  kernel @k_0(%a: f64) {origin = k, task = serial} {
    %1 = arith.constant {value = 0} : i32
    %2 = arith.constant {value = 1} : i32
    %n = mem.load %1 {buffer = @n} : i32
    %s = mem.load %1 {buffer = @x} : f64
    %5 = arith.constant {value = 0} : i32
    mem.store %s, %5 {buffer = @k_v4}
    mem.store %a, %1 {buffer = @x}
    scf.yield
  }
  kernel @k_1(%a: f64) {origin = k, task = parallel} {
    %1 = arith.constant {value = 0} : i32
    %s = mem.load %1 {buffer = @k_v4} : f64
    %3 = arith.constant {value = 0} : i32
    %4 = arith.constant {value = 1} : i32
    %n = mem.load %3 {buffer = @n} : i32
    scf.for %3, %n, %4 {parallel = true} {
    ^(%i: i32):
      mem.store %s, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
  kernel @k_2(%a: f64) {origin = k, task = serial} {
    %1 = arith.constant {value = 0} : i32
    %s = mem.load %1 {buffer = @k_v4} : f64
    %3 = arith.constant {value = 1} : i32
    mem.store %s, %3 {buffer = @x}
    scf.yield
  }
}
`);
});

it('reads on one thread what the threads of a loop would race for', () => {
  const { text, steps } = cut(`
module @m {
  buffer @x : i32[8] inout
  buffer @y : i32[8] input
  kernel @k() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %8 = arith.constant {value = 8} : i32
    %a = mem.load %0 {buffer = @x} : i32
    %b = mem.load %0 {buffer = @y} : i32
    %c = arith.add %a, %b : i32
    scf.for %0, %8, %1 {parallel = true} {
    ^(%i: i32):
      mem.store %c, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}`);
  expect(steps).toEqual(['k: k_reads serial', 'k: k parallel 8']);
  expect(text).toBe(`\
module @m {
  buffer @x : i32[8] inout
  buffer @y : i32[8] input
  buffer @k_v3 : i32[1] temp
  kernel @k_reads() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %2 = arith.constant {value = 8} : i32
    %a = mem.load %0 {buffer = @x} : i32
    %4 = arith.constant {value = 0} : i32
    mem.store %a, %4 {buffer = @k_v3}
    %b = mem.load %0 {buffer = @y} : i32
    %c = arith.add %a, %b : i32
    scf.yield
  }
  kernel @k() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %2 = arith.constant {value = 8} : i32
    %3 = arith.constant {value = 0} : i32
    %a = mem.load %3 {buffer = @k_v3} : i32
    %b = mem.load %0 {buffer = @y} : i32
    %c = arith.add %a, %b : i32
    scf.for %0, %2, %1 {parallel = true} {
    ^(%i: i32):
      mem.store %c, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}
`);
});

it('makes steps of parallel loops in branches, and knows a parameter that counts', () => {
  const { text, steps } = cut(`
module @m {
  buffer @x : i32[8] inout
  buffer @go : i1[1] inout
  kernel @inner() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %8 = arith.constant {value = 8} : i32
    %false = arith.constant {value = false} : i1
    %c = mem.load %0 {buffer = @go} : i1
    scf.if %c {
      mem.store %false, %0 {buffer = @go}
      scf.for %0, %8, %1 {parallel = true} {
      ^(%i: i32):
        mem.store %i, %i {buffer = @x}
        scf.yield
      }
      scf.yield
    } {
      scf.yield
    }
    scf.yield
  }
  kernel @outer(%n: i32) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%i: i32):
      mem.store %i, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}`);
  expect(steps).toEqual([
    'inner: inner_0 serial',
    'inner: inner_1 parallel 8',
    'outer: outer parallel {"parameter":0}',
  ]);
  expect(text).toContain(`\
  kernel @inner_1() {origin = inner, task = parallel} {
    %0 = arith.constant {value = 0} : i32
    %c = mem.load %0 {buffer = @inner_v4} : i1
    %2 = arith.constant {value = 0} : i32
    %3 = arith.constant {value = 1} : i32
    %4 = arith.constant {value = 8} : i32
    %5 = arith.select %c, %4, %2 : i32
    scf.for %2, %5, %3 {parallel = true} {
`);
});

/** A serial loop up to this bound, with a parallel one in it. */
const repeated = (bound: string): string => `
module @m {
  buffer @x : i32[8] inout
  buffer @n : i32[1] input
  kernel @k(%a: i32) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %8 = arith.constant {value = 8} : i32
    ${bound}
    scf.for %1, %m, %1 {
    ^(%s: i32):
      scf.for %0, %8, %1 {parallel = true} {
      ^(%i: i32):
        mem.store %s, %i {buffer = @x}
        scf.yield
      }
      scf.yield
    }
    scf.yield
  }
}`;

it('has the host repeat a serial loop, as often as parameters say or at most can be', () => {
  const known = ['k: k_before serial', 'k: s 20 times (k_each_0 parallel 8; k_each_1 serial)'];
  expect(cut(repeated('%m = arith.mul %a, %a : i32')).steps[1]).toContain('s 48 times');
  expect(cut(repeated('%t = arith.add %a, %a : i32\n%m = arith.add %t, %a : i32')).steps).toEqual(known);
  const asked = cut(repeated('%l = mem.load %0 {buffer = @n} : i32\n%m = arith.min %l, %8 : i32'));
  expect(asked.steps).toEqual(['k: k_before serial', 'k: s 7 times (k_each_0 parallel 8; k_each_1 serial)']);
  expect(asked.text).toContain('arith.select');
});

it('has one team run what has no end that anybody knows', () => {
  const { text, steps } = cut(repeated('%m = mem.load %0 {buffer = @n} : i32'));
  expect(steps).toEqual(['k: k parallel 1']);
  expect(text).toContain(`\
    scf.for %1, %2, %2 {parallel = true} {
    ^(%team: i32):
`);
  expect(text).toContain('{team = true}');
});
