import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import { DiagnosticError, parseModule, printKernel } from '@filigree/ir';
import { kernelOf, noOwners, plan, type Owners, type Plan, type PlanOptions } from '@filigree/sched';
import { cut } from './random-window.js';

/** `inc`, `half` and `anew` loop over `a`, the others over all of `d`; `half` activates cells of `c`, and so does `anew`, which takes them away first. */
const parsed = parseModule(
  `module @m {
  kernel @inc(%by: i32) {
    field.for {node = up.a} {
    ^(%i: i32):
      %x = field.load %i {field = a} : i32
      %y = arith.add %x, %by : i32
      field.store %y, %i {field = a}
      scf.yield
    }
    scf.yield
  }
  kernel @half() {
    field.for {node = up.a} {
    ^(%i: i32):
      %two = arith.constant {value = 2} : i32
      %h = arith.div %i, %two : i32
      %x = field.load %i {field = a} : i32
      %o = field.atomic %x, %h {field = c, kind = add} : i32
      scf.yield
    }
    scf.yield
  }
  kernel @anew() {
    field.for {node = up.a} {
    ^(%i: i32):
      %two = arith.constant {value = 2} : i32
      %h = arith.div %i, %two : i32
      field.deactivate %h {node = up.up.c}
      field.store %i, %h {field = c}
      scf.yield
    }
    scf.yield
  }
  kernel @drop() {
    %0 = arith.constant {value = 0} : i32
    field.deactivate %0 {node = up.up.a}
    scf.yield
  }
  kernel @fill() {
    %0 = arith.constant {value = 0} : i32
    %n = arith.constant {value = 16} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%i: i32):
      field.store %0, %i {field = d}
      scf.yield
    }
    scf.yield
  }
  kernel @shift() {
    %0 = arith.constant {value = 0} : i32
    %n = arith.constant {value = 15} : i32
    %1 = arith.constant {value = 1} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%i: i32):
      %j = arith.add %i, %1 : i32
      %x = field.load %j {field = d} : i32
      field.store %x, %i {field = b}
      scf.yield
    }
    scf.yield
  }
}
`,
);
if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
const cutModule = cut(parsed.right);

const planned = (names: string, owners: Owners = noOwners, options: PlanOptions = {}): Plan => {
  const launches = names.split(' ').map((name) => ({ tasks: cutModule.tasks.get(name)! }));
  const made = plan(owners, launches, cutModule.setting, options);
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

/** Nodes in order; those of several launches by their numbers. */
const shape = ({ graph }: Plan): string => graph.nodes.map((n) => n.parts.map((p) => p.launch).join('+')).join(' ');

it('loops over one domain become one loop, which does for each element what they did', () => {
  const made = planned('inc inc');
  const { kernel, args } = kernelOf(made.graph.nodes[0], 'twice');
  expect(args).toEqual([
    { launch: 0, argument: 0 },
    { launch: 1, argument: 0 },
  ]);
  expect(printKernel(kernel)).toBe(`kernel @twice(%by: i32, %by_1: i32) {
  field.for {node = up.a} {
  ^(%i: i32):
    %x = field.load %i {field = a} : i32
    %y = arith.add %x, %by : i32
    field.store %y, %i {field = a}
    %x_1 = field.load %i {field = a} : i32
    %y_1 = arith.add %x_1, %by_1 : i32
    field.store %y_1, %i {field = a}
    scf.yield
  }
  scf.yield
}`);
});

it('loops are moved together where nothing between them depends on both', () => {
  expect(shape(planned('inc fill inc fill'))).toBe('0+2 3');
  expect(shape(planned('inc fill inc fill', noOwners, { without: ['dead-stores'] }))).toBe('0+2 1+3');
  expect(shape(planned('inc drop inc'))).toBe('0 1 2');
});

it('what is overwritten is written for those alone who read it before', () => {
  expect(shape(planned('fill shift fill', noOwners, { without: ['fusion'] }))).toBe('0 1 2');
  expect(shape(planned('fill inc fill', noOwners, { without: ['fusion'] }))).toBe('1 2');
});

it('what was activated is not activated again, until cells of the domain or of its own are taken away', () => {
  const activating = ({ graph }: Plan): boolean[] => graph.nodes.map((n) => n.touches.get('#up.up.c')!.writes);
  const first = planned('half half', noOwners, { without: ['fusion'] });
  expect(activating(first)).toEqual([true, false]);
  expect(activating(planned('half', first.owners))).toEqual([false]);
  expect(activating(planned('half', planned('inc', first.owners).owners))).toEqual([false]);
  expect(activating(planned('half', planned('drop', first.owners).owners))).toEqual([true]);
  expect(activating(planned('anew', first.owners))).toEqual([true]);
});

it('what is known to be active is written as such', () => {
  const [, second] = planned('half half', noOwners, { without: ['fusion'] }).graph.nodes;
  expect(printKernel(kernelOf(second, 'again').kernel)).toBe(`kernel @again() {
  field.for {node = up.a} {
  ^(%i: i32):
    %two = arith.constant {value = 2} : i32
    %h = arith.div %i, %two : i32
    %x = field.load %i {field = a} : i32
    %o = field.atomic %x, %h {activate = false, field = c, kind = add, known = true} : i32
    scf.yield
  }
  scf.yield
}`);
});
