import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  ARITHMETICS,
  coreDialects,
  interpret,
  isSymbolic,
  orThrow,
  printModule,
  Sym,
  symbolicMath,
  type Num,
} from '@filigree/ir';
import { defaultOps, symbolic } from '@filigree/lang';
import { instantiate } from '@filigree/runtime';
import { specialize, trace, traceFor, type Program } from '@filigree/specialize';
import { ABLATIONS, ablate, mergeOptions } from 'filigree';
import { maxRelError } from '../src/index.js';
import { repeatingPrograms, surroundings } from './repeating-programs.js';

const COUNT = 90;
const INPUTS = 31;
const values = (n: number, by: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(by * (i + 1)) + 1.25);
const x = values(INPUTS, 1.7);
const y = values(COUNT, 0.9);
const size = values(COUNT, 0.3);

type Traced = (
  x: Num[],
  y: Num[],
  at: readonly number[],
  count: number,
  size: readonly number[],
  peek: (value: Num) => Num,
) => Record<string, Num[]>;

const RUNS = 60;
const RUNS_WITHOUT_STORING = 25;
/* Each takes a compiler; many are for a machine that has the time. */
const RUNS_ON_BACKENDS = Number(process.env['FILIGREE_BACKEND_RUNS'] ?? 5);

const kinds = (switches: readonly string[], arithmetic: (typeof ARITHMETICS)[number]) => ({ switches, arithmetic });
type Kinds = ReturnType<typeof kinds>;
const arithmetics = fc.constantFrom(...ARITHMETICS);
const choices = fc.oneof(
  arithmetics.map((a) => kinds([], a)),
  fc.tuple(fc.constantFrom(...Object.keys(ABLATIONS)), arithmetics).map(([s, a]) => kinds([s], a)),
);
const tables = fc.array(fc.nat(INPUTS - 1), { minLength: COUNT + 1, maxLength: COUNT + 1 });

/** Whoever asks for the node of a value ends what is recorded, and gets one. */
const asNode = (value: Num): Num => (isSymbolic(value) ? new Sym(value.graph, value.id) : value);

/** A program and what plain evaluation gives; without a module where it is refused, as it may be. */
const specialized = (text: string, at: readonly number[], how: Kinds) => {
  const names = Object.keys(surroundings);
  const plain = new Function(...names, `'use strict'; return (${text}\n)`)(...Object.values(surroundings)) as Traced;
  const expected = plain(x, y, at, COUNT, size, (value) => value) as Record<string, number[]>;
  const options = mergeOptions(ablate(how.switches));
  const program: Program = {
    inputs: { x: x.length, y: y.length },
    run: (given) =>
      (symbolic(plain, { scope: surroundings }) as Traced)(given.x as Num[], given.y as Num[], at, COUNT, size, asNode),
  };
  const traced = orThrow(trace({ ...traceFor(options), arithmetic: how.arithmetic }).run(program));
  const result = specialize(options)(traced);
  const ofElements = traced.elements.length > 0;
  if (E.isRight(result)) return { expected, ofElements, module: result.right.module };
  /* Where what is used again is evaluated again, a loop that goes on from what it made grows as a tree. */
  expect(['local', 'global']).toContain(how.switches[0]);
  for (const { code } of result.left) expect(code).toMatch(/\/too-large$/);
  return { expected, ofElements, module: undefined };
};

/** Compares a program with plain evaluation; whether it became elements. */
const compare = (text: string, at: readonly number[], how: Kinds): boolean => {
  const { expected, ofElements, module } = specialized(text, at, how);
  if (module === undefined) return ofElements;
  const buffers: Record<string, Float64Array> = {};
  for (const b of module.buffers) {
    if (b.role === 'input') buffers[b.name] = Float64Array.from(b.name === 'x' ? x : y);
    if (b.role === 'output') buffers[b.name] = new Float64Array(b.length);
  }
  orThrow(interpret(module, coreDialects, buffers));
  for (const [name, of] of Object.entries(expected))
    if (how.arithmetic === 'exact') expect([...buffers[name]]).toEqual(of);
    else expect(maxRelError(buffers[name], of)).toBeLessThan(1e-9);
  return ofElements;
};

it('random programs that repeat compute what plain evaluation does, under every switch', { timeout: 180_000 }, () => {
  let [all, ofElements] = [0, 0];
  fc.assert(
    fc.property(repeatingPrograms, tables, choices, (text, at, how) => {
      all++;
      if (compare(text, at, how)) ofElements++;
    }),
    { numRuns: RUNS },
  );
  expect(ofElements).toBeGreaterThan(all / 6);
});

it('random programs of which only results are stored compute what plain evaluation does', { timeout: 180_000 }, () => {
  fc.assert(
    fc.property(repeatingPrograms, tables, arithmetics, (text, at, arithmetic) => {
      compare(text, at, kinds(['global'], arithmetic));
    }),
    { numRuns: RUNS_WITHOUT_STORING },
  );
});

/* Compilers and the functions of their libraries round in their own ways. */
it('random programs that repeat compute what plain evaluation does on backends', { timeout: 180_000 }, async () => {
  const backends = [wasm(), ...((await cpp().probe()).usable ? [cpp()] : [])];
  await fc.assert(
    fc.asyncProperty(repeatingPrograms, tables, choices, async (text, at, how) => {
      const { expected, module } = specialized(text, at, how);
      if (module === undefined) return;
      for (const backend of backends) {
        const instance = orThrow(await instantiate(module, backend, { cache: false })());
        instance.buffer('x').write(Float64Array.from(x));
        instance.buffer('y').write(Float64Array.from(y));
        instance.run();
        for (const [name, of] of Object.entries(expected))
          expect(maxRelError(instance.buffer(name).read() as Float64Array, of), backend.name).toBeLessThan(1e-9);
        instance.dispose();
      }
    }),
    { numRuns: RUNS_ON_BACKENDS },
  );
});

it('elements fill vectors to the last, however many there are', { timeout: 180_000 }, async () => {
  const backends = [wasm(), ...((await cpp().probe()).usable ? [cpp()] : [])];
  for (const count of [300, 301, 302, 303]) {
    const plain = (x: number[], at: readonly number[]): number[] => {
      const y = new Array<number>(at.length).fill(0);
      for (let e = 0; e < at.length; e++) {
        const [a, b] = [x[at[e]], x[at[e] + 1]];
        y[e] = Math.sqrt(1 + a * a * b * b) / (2 + a * b + a * a * a + b * b * b);
      }
      return y;
    };
    const at = Array.from({ length: count }, (_, e) => (e * e * 31 + 7 * e) % count);
    const program: Program = {
      inputs: { x: count + 1 },
      run: (given) => ({ y: symbolic(plain)(given.x as unknown as number[], at) as unknown as Num[] }),
    };
    const { module } = orThrow(specialize()(orThrow(trace().run(program))));
    expect(printModule(module)).toContain(`least = ${count}`);
    const numbers = values(count + 1, 0.7);
    for (const backend of backends) {
      const instance = orThrow(await instantiate(module, backend, { cache: false })());
      instance.buffer('x').write(Float64Array.from(numbers));
      instance.run();
      const found = instance.buffer('y').read() as Float64Array;
      expect(maxRelError(found, plain(numbers, at)), backend.name).toBeLessThan(1e-14);
      instance.dispose();
    }
  }
});

/** What becomes of a function of one array, with repetition and without. */
const compiled = (
  length: number,
  f: (x: number[], asked: (value: number) => number) => number[],
  scope: Readonly<Record<string, unknown>> = {},
) => {
  const of = (repetition: boolean) => {
    const program: Program = {
      inputs: { x: length },
      run: (given) => ({
        y: symbolic(f, { scope })(given.x as unknown as number[], asNode as never) as unknown as Num[],
      }),
    };
    const traced = orThrow(trace({ repetition }).run(program));
    const { module, kernels, launches, indexBytes } = orThrow(specialize()(traced));
    const y = new Float64Array(traced.outputs[0].nodes.length);
    const numbers = values(length, 0.7);
    orThrow(interpret(module, coreDialects, { x: Float64Array.from(numbers), y }));
    expect([...y]).toEqual(f(numbers, (value) => value));
    return { elements: traced.elements.length, nodes: traced.graph.length, kernels, launches, indexBytes };
  };
  return { found: of(true), asNodes: of(false) };
};

it('running sums that are kept are the loop that they are without repetition, also of what elements compute', () => {
  const running = compiled(3000, (x) => {
    const y: number[] = [];
    let s = 0;
    for (const v of x) {
      s += v;
      y.push(s);
    }
    return y;
  });
  expect(running.found.kernels).toBeLessThan(10);
  expect(running.found.launches).toBeLessThan(10);
  const ofElements = compiled(3000, (x) => {
    const y: number[] = [];
    let [s, t] = [0, 0];
    for (let i = 0; i < 2999; i++) {
      const d = x[i + 1] - x[i];
      const e = Math.sqrt(1 + d * d * Math.cos(x[i] * x[i + 1])) / (2 + d * d);
      s += e;
      t -= e;
      y.push(s, t);
    }
    return y;
  });
  expect(ofElements.found.kernels).toBeLessThan(20);
  expect(ofElements.found.launches).toBeLessThan(20);
});

it('stretches that reach from one iteration of a callback into the next do not wait for each other in a row', () => {
  const { found } = compiled(900, (x) =>
    [0].flatMap(() => {
      let y = x;
      for (const t of [0.1])
        y = y.map((c, i) => {
          let s = -4 * c;
          for (const d of [1, -1, 30, -30]) s += x[i + d] ?? c;
          return c + t * s;
        });
      return y;
    }),
  );
  expect(found.kernels).toBeLessThan(20);
  expect(found.launches).toBeLessThan(4);
});

it.each([
  [
    'forEach and map',
    (x: number[]) => {
      const sums = x.map(() => 0);
      x.forEach((v, i) => {
        const d = v - x[(7 * i + 1) % x.length];
        const f = d / Math.sqrt(2 + d * d);
        sums[i] += f;
        sums[(7 * i + 1) % x.length] -= f;
      });
      return sums.map((s, i) => s * Math.cos(x[i]) + s * s);
    },
    (x: number[]) => {
      const sums: number[] = [];
      for (let i = 0; i < x.length; i++) sums.push(0);
      for (let i = 0; i < x.length; i++) {
        const d = x[i] - x[(7 * i + 1) % x.length];
        const f = d / Math.sqrt(2 + d * d);
        sums[i] += f;
        sums[(7 * i + 1) % x.length] -= f;
      }
      const y: number[] = [];
      for (let i = 0; i < x.length; i++) y.push(sums[i] * Math.cos(x[i]) + sums[i] * sums[i]);
      return y;
    },
  ],
  [
    'reduce and Array.from, with functions that have names',
    (x: number[]) => {
      const energy = (s: number, v: number): number => s + Math.sqrt(1 + v * v * Math.sin(v)) / (2 + v * v);
      const wave = (_: unknown, i: number): number => Math.sin(x[i]) * Math.cos(x[i]) + x[i] / (1 + x[i] * x[i]);
      return [x.reduce(energy, 0), ...Array.from({ length: x.length }, wave)];
    },
    (x: number[]) => {
      let s = 0;
      for (const v of x) s = s + Math.sqrt(1 + v * v * Math.sin(v)) / (2 + v * v);
      const y = [s];
      for (let i = 0; i < x.length; i++) y.push(Math.sin(x[i]) * Math.cos(x[i]) + x[i] / (1 + x[i] * x[i]));
      return y;
    },
  ],
])('what %s call for each element is the body of a loop', (_, called, looped) => {
  const { found, asNodes } = compiled(300, called);
  expect(found.elements).toBeGreaterThan(0);
  expect(found.nodes).toBeLessThan(asNodes.nodes / 2);
  expect(found).toEqual(compiled(300, looped).found);
});

/** Springs along edges of a grid, for some steps of time; the whole path of the first vertex, and where all are in the end. */
const springs =
  (side: number, steps: number) =>
  (x: number[]): number[] => {
    const edges: number[][] = [];
    for (let i = 0; i < side; i++)
      for (let j = 0; j < side; j++) {
        if (i + 1 < side) edges.push([side * i + j, side * (i + 1) + j]);
        if (j + 1 < side) edges.push([side * i + j, side * i + j + 1]);
      }
    let [at, speed] = [x, x.map((v) => 0.1 * v)];
    const path: number[] = [];
    for (let step = 0; step < steps; step++) {
      const now = at;
      const force = now.map(() => 0);
      edges.forEach(([a, b]) => {
        const d = now[b] - now[a];
        const f = d / Math.sqrt(1 + d * d);
        force[a] += f;
        force[b] -= f;
      });
      speed = speed.map((v, i) => v + 0.01 * force[i]);
      at = now.map((p, i) => p + 0.01 * speed[i]);
      path.push(at[0]);
    }
    return [...path, ...at];
  };

it('steps of time over a mesh are a loop, whose steps share their tables', () => {
  const [few, many] = [12, 40].map((steps) => compiled(144, springs(12, steps), { side: 12, steps }));
  expect(few.found.elements).toBeGreaterThan(0);
  expect(few.found.nodes).toBeLessThan(few.asNodes.nodes / 4);
  expect(many.found.kernels).toBe(few.found.kernels);
  expect(many.found.launches).toBe(few.found.launches);
  expect(many.found.kernels).toBeLessThan(40);
  expect(many.found.indexBytes).toBeLessThan(1.5 * few.found.indexBytes);
});

it('steps of time on a row of cells are a loop', () => {
  const { found, asNodes } = compiled(256, (x) => {
    let u = [...x];
    for (let t = 0; t < 12; t++) {
      const v = [...u];
      for (let i = 1; i < 255; i++) v[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] - 2 * u[i]) * Math.cos(u[i]);
      u = v;
    }
    return u;
  });
  expect(found.kernels).toBeLessThan(asNodes.kernels / 2);
  expect(found.launches).toBeLessThan(asNodes.launches);
});

/** Cells of a square grid, each the mean of its neighbours, of which those at the boundary have fewer. */
const means =
  (side: number, steps: number) =>
  (x: number[]): number[] => {
    let u = x;
    for (let step = 0; step < steps; step++)
      u = u.map((own, k) => {
        const [i, j] = [Math.floor(k / side), k % side];
        let sum = x[k] + own;
        if (i > 0) sum += u[k - side];
        if (i < side - 1) sum += u[k + side];
        if (j > 0) sum += u[k - 1];
        if (j < side - 1) sum += u[k + 1];
        return sum / 6;
      });
    return u;
  };

it('cells of several kinds that come in turns have their values in turns, so that rows need no tables', () => {
  for (const steps of [3, 20]) {
    const { found } = compiled(40 ** 2, means(40, steps), { side: 40, steps });
    expect(found.elements).toBeGreaterThan(0);
    expect(found.indexBytes).toBeLessThan(4 * 40 ** 2);
  }
});

it('what repeats beside much that does not is nodes like the rest', () => {
  const kind = (e: number): number => (e * 7919) % 5;
  const nested = (v: number, depth: number): number =>
    depth === 0 ? v : nested(Math.sin(v) + v / (2 + v * v), depth - 1);
  const { found, asNodes } = compiled(
    91,
    (x) => {
      let u = [...x];
      for (let step = 0; step < 3; step++) {
        const [now, sums] = [u, new Array<number>(91).fill(0)];
        for (let e = 0; e < 90; e++) {
          const v = nested(now[e] - now[e + 1], 6 + kind(e));
          sums[e] += v;
          sums[e + 1] -= v;
        }
        for (let e = 0; e < 90; e++) sums[e] += 0.5 * Math.sin(now[e]) * Math.cos(now[e + 1]) * now[e];
        u = now.map((v, i) => v + 0.1 * sums[i]);
      }
      return u;
    },
    { kind, nested },
  );
  expect(found.elements).toBe(0);
  expect(found.kernels).toBe(asNodes.kernels);
});

it('steps of which threads take shares of rows compute what plain evaluation does', { timeout: 180_000 }, async () => {
  const side = 100;
  const [steps, n] = [10, side ** 2];
  const given = values(n, 1.7);
  const program: Program = {
    inputs: { x: n },
    run: ({ x }) => ({ y: symbolic(means(side, steps), { scope: { side, steps } })(x as never) as never }),
  };
  const { module } = orThrow(specialize()(orThrow(trace({ arithmetic: 'exact' }).run(program))));
  expect(printModule(module)).toContain('parallel = true');
  const backends = [wasm(), ...((await cpp().probe()).usable ? [cpp()] : [])];
  for (const backend of backends) {
    const instance = orThrow(await instantiate(module, backend, { cache: false, threads: 3 })());
    instance.buffer('x').write(Float64Array.from(given));
    instance.run();
    expect([...(instance.buffer('y').read() as Float64Array)], backend.name).toEqual(means(side, steps)(given));
    instance.dispose();
  }
});

it('elements leave a recurrence beside them the loop that it is', () => {
  const { found, asNodes } = compiled(201, (x) => {
    const sums = new Array<number>(200).fill(0);
    for (let e = 0; e < 200; e++) {
      const [a, b] = [x[e] - x[e + 1], x[e] * x[(7 * e) % 201]];
      sums[e] += Math.sin(a * b) + a / (1 + b * b);
      sums[(e * 7) % 200] += Math.sqrt(1 + a * a) * b;
    }
    let s = x[0];
    for (let i = 0; i < 5000; i++) s = 0.5 * s + sums[(i * 7) % 200];
    return [s];
  });
  expect(found.elements).toBeGreaterThan(0);
  expect(found.launches).toBeLessThanOrEqual(asNodes.launches + 2);
});

it('what loops compute is read by later loops when a value that depends on it has been asked for', () => {
  const { found } = compiled(3001, (x, asked) => {
    const seen: number[] = [];
    for (let e = 0; e < 3000; e++) {
      const a = x[e] * x[e + 1];
      seen.push(Math.sin(a) + a / (1 + a * a));
    }
    let sum = 0;
    for (let e = 0; e < 3000; e++) sum += seen[e];
    const y = [asked(sum)];
    for (let e = 0; e < 3000; e++) {
      const b = seen[e] + x[e];
      y.push(Math.sqrt(1 + b * b) * b + seen[(7 * e) % 3000]);
    }
    return y;
  });
  expect(found.elements).toBeGreaterThan(0);
});

it('sums that are read on the way, and such that several sums go on from, are what they are in turn', () => {
  const { found } = compiled(301, (x) => {
    const sums = new Array<number>(3).fill(0);
    let others = new Array<number>(3).fill(0);
    const seen: number[] = [];
    for (let e = 0; e < 300; e++) {
      const [a, b] = [x[e] - x[e + 1], x[e] * x[(7 * e) % 301]];
      const value = Math.sqrt(1 + a * a * b * b) + a / (1 + b * b) + b * b * a;
      sums[e % 3] += value;
      if (e >= 100) others[e % 3] -= value * b;
      if (e % 60 === 59) seen.push(sums[e % 3]);
      if (e === 99) others = sums.slice();
    }
    return [...seen, ...sums, ...others];
  });
  expect(found.elements).toBeGreaterThan(0);
});

/** An iteration of Jacobi's method on a 2x2 matrix, again and again. */
function angles(m: number[], sweeps: number): number[] {
  let [a, b, c, angle] = [m[0], m[1], m[2], 0];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const t = b / (1 + Math.sqrt(1 + (a - c) * (a - c) + b * b));
    [a, b, c] = [a + t * b, b * (1 - t * t), c - t * b];
    angle += Math.atan(t);
  }
  return [angle, a - c, m[0]];
}

it('a function of its arguments alone runs once for calls from one place with alike arguments', () => {
  let runs = 0;
  const sqrt = (z: Num): Num => (runs++, symbolicMath.sqrt(z));
  const sized = (m: number[]): number[] => angles(m, 4);
  const program = (x: number[]): number[] => {
    const y: number[] = [];
    for (let e = 0; e < 120; e++) {
      const [p, q] = [sized([x[e], x[e + 1], 0.5]), sized([x[e], x[e], e % 2])];
      y.push(p[0] * q[0] + p[1], q[1] - p[2]);
    }
    return y;
  };
  const traced = orThrow(
    trace({}).run({
      inputs: { x: 121 },
      run: (given) => ({
        y: symbolic(program, { scope: { sized, angles }, ops: { ...defaultOps, sqrt } })(given.x as Num[]) as Num[],
      }),
    }),
  );
  expect(traced.elements.length).toBeGreaterThan(0);
  expect(runs).toBeLessThan(60);
});

/** Changes what it is given. */
function shaken(m: number[], by: number): void {
  for (let k = 0; k < m.length; k++) m[k] = Math.sin(m[k]) * by + m[(k + 1) % m.length] / (2 + by * by);
}

it('calls from one place with other numbers, or with symbols that are equal elsewhere, go their own ways', () => {
  /* Compares with what plain numbers give. */
  compiled(
    241,
    (x) => {
      const y: number[] = [];
      for (let e = 0; e < 240; e++) {
        const other = x[e % 3 === 0 ? e : e + 1];
        const p = angles([x[e], other, 1 + (e % 5)], 2 + (e % 2));
        const m = e % 4 === 0 ? [p[0], p[0], other] : [p[0], p[1], x[e]];
        shaken(m, e % 7 === 0 ? p[1] : 0.5);
        const q = angles(m, 2);
        y.push(p[0] * q[0] + p[1] + m[0], q[1] - p[2] * m[2]);
      }
      return y;
    },
    { angles, shaken },
  );
});

it('a limit of memory ends what would take more in a diagnostic, and is further off than without repetition', () => {
  const program: Program = {
    inputs: { x: 101 },
    run: (given) => ({
      y: symbolic((x: number[]) => {
        const sums = new Array<number>(50).fill(0);
        for (let i = 0; i < 60_000; i++) {
          const a = x[i % 101] - x[(7 * i) % 101];
          sums[i % 50] += Math.sin(a) * Math.cos(2 + a) + a / (i + 1 + a * a);
        }
        return sums;
      })(given.x as unknown as number[]) as unknown as Num[],
    }),
  };
  const codes = (maxMB: number, repetition: boolean): readonly string[] => {
    const traced = trace({ maxMB, repetition }).run(program);
    return E.isLeft(traced) ? traced.left.map((d) => d.code) : [];
  };
  expect([codes(2, true), codes(8, true), codes(8, false), codes(64, false)]).toEqual([
    ['memory/limit'],
    [],
    ['memory/limit'],
    [],
  ]);
});

it('neighbours of different number divide an iteration, and what is tagged or loops beside them is one body', () => {
  const { found } = compiled(300, (x) => {
    const y: number[] = [];
    for (let i = 0; i < 100; i++) {
      const m = [1, 0, 0, 1];
      for (let k = 0; k < 2 + ((i * i) % 5); k++)
        for (let c = 0; c < 4; c++) m[c] += x[i + k] * Math.cos(x[i + k + c]) + x[i];
      for (let sweep = 0; sweep < 3; sweep++)
        for (let c = 0; c < 2; c++) {
          m[c] = m[c] / Math.sqrt(1 + m[c] * m[c + 2] * m[c + 2] * m[c]);
          m[c + 2] = m[c + 2] * Math.cos(m[c]) + m[c];
        }
      y.push(m[0] * m[3] - m[1] * m[2]);
    }
    return y;
  });
  expect(found.elements).toBeGreaterThan(0);
  expect(found.kernels).toBeLessThan(12);
  /* All vertices, those too that were met before the loop turned out to differ. */
  expect(found.nodes).toBeLessThan(4000);
});

it.each([
  [
    'products that are added up',
    (x: number[]) => {
      const y: number[] = [];
      for (let i = 0; i < 16; i++)
        for (let j = 0; j < 16; j++) {
          let s = 0;
          for (let k = 0; k < 16; k++) s += x[16 * i + k] * x[16 * k + j];
          y.push(s);
        }
      return y;
    },
  ],
  [
    'an elimination',
    (x: number[]) => {
      const a = [...x];
      for (let k = 0; k < 15; k++)
        for (let i = k + 1; i < 16; i++) {
          const f = a[16 * i + k] / (4 + a[17 * k]);
          for (let j = k; j < 16; j++) a[16 * i + j] = a[16 * i + j] - f * a[16 * k + j];
        }
      return a;
    },
  ],
])('%s stay what they are: elements would move more through memory', (_, f) => {
  const { found, asNodes } = compiled(256, f);
  expect(found).toEqual(asNodes);
});

/* Each by a value t of a loop, from t·e^x and t: in the iteration that computes t, in a later loop, and where t is computed again. */
type Gradient = (value: number, variables: number[]) => number[];
const byValuesOfLoops: readonly ((x: number[], gradient: Gradient) => number[])[] = [
  (x, gradient) => {
    const t: number[] = [];
    let s = 0;
    for (const v of x) {
      const own = Math.sin(v) * v * 2;
      t.push(own);
      s += own * Math.exp(v) * own;
    }
    return gradient(s, t);
  },
  (x, gradient) => {
    const [t, z]: [number[], number[]] = [[], []];
    for (const v of x) {
      const own = Math.sin(v) * v * 2;
      t.push(own);
      z.push(own * Math.exp(v));
    }
    let s = 0;
    for (let i = 0; i < x.length; i++) s += z[i] * t[i];
    return gradient(s, t);
  },
  (x, gradient) => {
    const t = x.map((v) => Math.sin(v) * v * 2);
    let s = 0;
    for (let i = 0; i < x.length; i++) s += t[i] * (Math.exp(x[i]) * (Math.sin(x[i]) * x[i] * 2));
    return gradient(s, t);
  },
  (x, gradient) => {
    const t = x.map((v) => Math.sin(v) * v * 2);
    let s = 0;
    for (const v of x) s += Math.exp(v) * (Math.sin(v) * v * 2) ** 2;
    return gradient(s, t);
  },
];

it.each(byValuesOfLoops)('derivatives by what a loop computes do not depend on how long it is, %#', (f) => {
  for (const length of [20, 700]) {
    const program: Program = {
      inputs: { x: length },
      run: (given, { gradient }) => ({
        g: symbolic(f)(given.x as unknown as number[], gradient as never) as unknown as Num[],
      }),
    };
    const { module } = orThrow(specialize()(orThrow(trace().run(program))));
    const numbers = values(length, 0.7);
    const g = new Float64Array(length);
    orThrow(interpret(module, coreDialects, { x: Float64Array.from(numbers), g }));
    const expected = numbers.map((v) => 2 * (Math.sin(v) * v * 2) * Math.exp(v));
    expect(maxRelError(g, expected)).toBeLessThan(1e-14);
  }
});
