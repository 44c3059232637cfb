import { adjoint, withGradients } from '@filigree/autodiff';
import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  interpret,
  printKernel,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { dense, field, fieldDialect, ij, ijk, layout, layoutTree } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const [N, M] = [4, 6];
const [x, w, y] = ['x', 'w', 'y'].map((name) => field(name, 'f64'));
const { layout: tree, adjoints } = withGradients(layout(...[x, w, y].map((f) => dense(ij, [N, M]).place(f))), [
  x,
  w,
  y,
]);

/** Distances at which a stencil reads, whether it multiplies by a coefficient that lies there, and whether these differ from cell to cell. */
interface Term {
  readonly di: number;
  readonly dj: number;
  readonly by: 'number' | 'weight' | 'itself' | 'deep';
}

const stencil = (
  terms: readonly Term[],
  index?: (b: Builder, i: Value, j: Value) => readonly [Value, Value],
  nested = false,
): Module => ({
  name: 'm',
  layout: layoutTree(tree),
  buffers: [],
  kernels: [
    buildKernel(
      'f',
      {},
      (b) => {
        const each = (i: Value, j: Value): void => {
          const around = (v: Value, by: number, extent: number): Value =>
            by === 0 ? v : b.rem(b.add(v, b.i32(by + extent)), b.i32(extent));
          const load = (name: string, at: readonly Value[]): Value => b.value('field.load', at, { field: name });
          const values = terms.map(({ di, dj, by }) => {
            const value = load('x', index?.(b, i, j) ?? [around(i, di, N), around(j, dj, M)]);
            if (by === 'number') return b.mul(value, b.f64(0.5 + di - 2 * dj));
            if (by === 'deep') return [1, 2, 3, 4].reduce((v) => b.math('sin', b.mul(v, value)), value);
            return b.mul(value, by === 'weight' ? load('w', [i, j]) : b.math('sin', value));
          });
          b.op('field.store', [values.reduce(b.add), i, j], { field: 'y' });
        };
        if (!nested)
          b.for(b.i32(0), b.i32(N * M), b.i32(1), { parallel: true }, [], (k) =>
            each(b.div(k, b.i32(M)), b.rem(k, b.i32(M))),
          );
        else
          b.for(b.i32(0), b.i32(N), b.i32(1), { parallel: true }, [], (i) => {
            b.for(b.i32(0), b.i32(M), b.i32(1), { simd: true }, [], (j) => each(i, j));
          });
      },
      [],
      { dialects: [...coreDialects, fieldDialect(tree)] },
    ),
  ],
  attrs: {},
});

/** The adjoints of x and w for random values, where y_grad is random too. */
const found = (module: Module, gather: boolean, seeds: readonly number[]): readonly number[] => {
  const made = adjoint(module, 'f', { adjoints, gather });
  const store = new FieldStore(tree);
  const places = Array.from({ length: N * M }, (_, k) => [Math.floor(k / M), k % M]);
  places.forEach((at, k) =>
    ['x', 'w', 'y_grad', 'x_grad'].forEach((name, n) => store.store(name, at, Math.sin(seeds[n] * (k + 1) + n))),
  );
  const whole: Module = { ...module, buffers: made.buffers, kernels: [made.kernel] };
  const ran = interpret(whole, [...coreDialects, fieldDialect(tree, store)], allocateBuffers(made.buffers), {
    kernel: made.kernel.name,
    args: [],
  });
  if (E.isLeft(ran)) throw new Error(ran.left[0].message);
  return ['x_grad', 'w_grad', 'y_grad'].flatMap((name) => places.map((at) => Number(store.load(name, at))));
};

const text = (module: Module): string => printKernel(adjoint(module, 'f', { adjoints }).kernel);

describe('adjoints of stencils', () => {
  it('are what they are by atomics, and have none', () => {
    const term = fc.record({
      di: fc.integer({ min: -3, max: 3 }),
      dj: fc.integer({ min: -5, max: 5 }),
      by: fc.constantFrom<Term['by']>('number', 'weight', 'itself'),
    });
    fc.assert(
      fc.property(
        fc.array(term, { minLength: 1, maxLength: 5 }),
        fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), { minLength: 4, maxLength: 4 }),
        fc.boolean(),
        (terms, seeds, nested) => {
          const module = stencil(terms, undefined, nested);
          const [here, there] = [found(module, true, seeds), found(module, false, seeds)];
          here.forEach((v, n) => expect(Math.abs(v - there[n])).toBeLessThan(1e-12 * Math.max(1, Math.abs(v)) * 10));
          expect(text(module)).not.toContain('field.atomic');
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are loops for lanes where the primal is one, unless iterations add to elements of others', () => {
    const around = { di: 1, dj: 2, by: 'number' } as const;
    expect(text(stencil([around], undefined, true)).match(/simd = true/g)).toHaveLength(2);
    /* Rows own their elements, so that nothing is atomic as it is: lanes are won where what is added is cheap to compute again. */
    const along = { ...around, di: 0 };
    expect(text(stencil([along], undefined, true)).match(/simd = true/g)).toHaveLength(2);
    expect(text(stencil([{ ...along, by: 'deep' }], undefined, true))).not.toMatch(/simd|atomic|anyOrder/);
  });

  it('gather from where elements were added from, and set what was taken to zero afterwards', () => {
    const module = stencil([
      { di: 1, dj: 0, by: 'number' },
      { di: 0, dj: 0, by: 'number' },
    ]);
    expect(text(module)).toBe(`kernel @f_adjoint() {
  %0 = arith.constant {value = 0} : i32
  %1 = arith.constant {value = 24} : i32
  %2 = arith.constant {value = 1} : i32
  scf.for %0, %1, %2 {parallel = true} {
  ^(%i: i32):
    %4 = arith.constant {value = 6} : i32
    %5 = arith.div %i, %4 : i32
    %6 = arith.rem %i, %4 : i32
    %7 = arith.constant {value = 4} : i32
    %8 = arith.constant {value = 1.5} : f64
    %9 = arith.constant {value = 0.5} : f64
    %10 = field.load %5, %6 {field = y_grad} : f64
    %11 = arith.mul %10, %9 : f64
    %12 = arith.constant {value = 3} : i32
    %13 = arith.add %5, %12 : i32
    %14 = arith.rem %13, %7 : i32
    %15 = field.load %14, %6 {field = y_grad} : f64
    %16 = arith.mul %15, %8 : f64
    %17 = field.load %5, %6 {field = x_grad} : f64
    %18 = arith.add %17, %11 : f64
    %19 = arith.add %18, %16 : f64
    field.store %19, %5, %6 {activate = false, field = x_grad}
    scf.yield
  }
  scf.for %0, %1, %2 {parallel = true} {
  ^(%i_1: i32):
    %21 = arith.constant {value = 6} : i32
    %22 = arith.div %i_1, %21 : i32
    %23 = arith.rem %i_1, %21 : i32
    %24 = arith.constant {value = 0} : f64
    field.store %24, %22, %23 {activate = false, field = y_grad}
    scf.yield
  }
  scf.yield
}`);
  });

  it('stay sums by atomics where several iterations may read an element, but not where each reads another one', () => {
    const beyond = stencil([{ di: 1, dj: 0, by: 'number' }], (b, i, j) => [b.add(i, b.i32(1)), j]);
    expect(text(beyond)).not.toContain('field.atomic');
    const same = stencil([{ di: 1, dj: 0, by: 'number' }], (b, i) => [i, b.i32(0)]);
    expect(text(same)).toContain('field.atomic');
  });

  it('gather within a slice that all iterations name alike, and not where sums name elements in two ways', () => {
    const [SLICES, SIDE] = [3, 4];
    const [u, v] = [field('u', 'f64'), field('v', 'f64')];
    const { layout: both, adjoints: given } = withGradients(
      layout(dense(ijk, [SLICES, SIDE, SIDE]).place(u), dense(ij, SIDE).place(v)),
      [u, v],
    );
    const slices = (turned: boolean): Module => ({
      name: 'm',
      layout: layoutTree(both),
      buffers: [],
      kernels: [
        buildKernel(
          'f',
          { t: 'i32' },
          (b, { t }) =>
            b.for(b.i32(0), b.i32(SIDE * SIDE), b.i32(1), { parallel: true }, [], (k) => {
              const [i, j] = [b.div(k, b.i32(SIDE)), b.rem(k, b.i32(SIDE))];
              const next = (x: Value, by: number): Value => b.rem(b.add(x, b.i32(by)), b.i32(SIDE));
              const from = (at: readonly Value[]): Value => b.value('field.load', at, { field: 'v' });
              const [near, far] = [from([next(i, 1), j]), from(turned ? [j, next(i, 3)] : [i, next(j, 2)])];
              const sum = b.add(b.mul(near, b.f64(2)), b.math('sin', far));
              b.op('field.store', [sum, b.add(t, b.i32(1)), i, j], { field: 'u' });
            }),
          [],
          { dialects: [...coreDialects, fieldDialect(both)] },
        ),
      ],
      attrs: {},
    });
    const swept = (module: Module, gather: boolean): { text: string; numbers: readonly number[] } => {
      const made = adjoint(module, 'f', { adjoints: given, gather });
      const store = new FieldStore(both);
      const cells = Array.from({ length: SIDE * SIDE }, (_, k) => [Math.floor(k / SIDE), k % SIDE]);
      const slicesOfU = Array.from({ length: SLICES }, (_, t) => cells.map((at) => [t, ...at])).flat();
      cells.forEach((at, k) => store.store('v', at, Math.sin(k + 1)));
      slicesOfU.forEach((at, k) => store.store('u_grad', at, Math.cos(3 * k)));
      const whole: Module = { ...module, buffers: made.buffers, kernels: [made.kernel] };
      const ran = interpret(whole, [...coreDialects, fieldDialect(both, store)], allocateBuffers(made.buffers), {
        kernel: made.kernel.name,
        args: [1],
      });
      if (E.isLeft(ran)) throw new Error(ran.left[0].message);
      const numbers = [
        ...cells.map((at) => store.load('v_grad', at)),
        ...slicesOfU.map((at) => store.load('u_grad', at)),
      ];
      return { text: printKernel(made.kernel), numbers: numbers.map(Number) };
    };
    for (const turned of [false, true]) {
      const [gathers, adds] = [true, false].map((gather) => swept(slices(turned), gather));
      gathers.numbers.forEach((x, n) => expect(x).toBeCloseTo(adds.numbers[n], 12));
      expect(gathers.text.includes('field.atomic')).toBe(turned);
    }
  });

  /* The inner part of a grid, of whose states each is made of those before; the loops count from 0 and from where they begin. */
  const [TIMES, SIDE, EDGE] = [3, 18, 3];
  const [u, c] = [field('u', 'f64'), field('c', 'f64')];
  const { layout: states, adjoints: ofStates } = withGradients(
    layout(dense(ijk, [TIMES, SIDE, SIDE]).place(u), dense(ij, SIDE).place(c)),
    [u, c],
  );
  interface Near {
    readonly di: number;
    readonly dj: number;
    /** How many states before. */
    readonly back: number;
    readonly by: 'number' | 'itself' | 'coefficient' | 'argument' | 'one';
  }
  /** What a neighbour counts, by how it is weighed. */
  const weighed = (
    b: Builder,
    value: Value,
    { di, by }: Pick<Near, 'di' | 'by'>,
    at: readonly Value[],
    s: Value,
  ): Value => {
    if (by === 'itself') return b.math('sin', value);
    if (by === 'argument') return b.mul(value, s);
    if (by === 'one') return b.mul(value, b.value('field.load', [b.i32(2), b.i32(di + 2)], { field: 'c' }));
    return b.mul(value, by === 'number' ? b.f64(1 + di) : b.value('field.load', at, { field: 'c' }));
  };
  const inner = (terms: readonly Near[], told = false): Module => ({
    name: 'm',
    layout: layoutTree(states),
    buffers: [],
    kernels: [
      buildKernel(
        'f',
        { t: 'i32', s: 'f64', q: 'i32' },
        (b, { t, s, q }) =>
          b.for(b.i32(0), b.i32(SIDE - 2 * EDGE), b.i32(1), { parallel: true }, [], (k) => {
            const i = b.add(k, b.i32(EDGE));
            b.for(b.i32(EDGE), b.i32(SIDE - EDGE), b.i32(1), { simd: true }, [], (j) => {
              const far = (v: Value, by: number): Value => (by === 0 ? v : b.add(v, b.i32(by)));
              const values = terms.map(({ di, dj, back, by }) => {
                const at = [told ? q : b.sub(t, b.i32(back)), far(i, di), far(j, dj)];
                return weighed(b, b.value('field.load', at, { field: 'u' }), { di, by }, [i, j], s);
              });
              b.op('field.store', [values.reduce(b.add), t, i, j], { field: 'u' });
            });
          }),
        [],
        { dialects: [...coreDialects, fieldDialect(states)] },
      ),
    ],
    attrs: {},
  });
  const swept = (module: Module, gather: boolean): { text: string; numbers: readonly number[] } => {
    const made = adjoint(module, 'f', { adjoints: ofStates, gather });
    const store = new FieldStore(states);
    const cells = Array.from({ length: SIDE * SIDE }, (_, k) => [Math.floor(k / SIDE), k % SIDE]);
    const all = Array.from({ length: TIMES }, (_, t) => cells.map((at) => [t, ...at])).flat();
    cells.forEach((at, k) => store.store('c', at, Math.sin(k + 1)));
    all.forEach((at, k) => store.store('u', at, Math.sin(2 * k)));
    all.forEach((at, k) => store.store('u_grad', at, Math.cos(3 * k)));
    const whole: Module = { ...module, buffers: made.buffers, kernels: [made.kernel] };
    const memory = allocateBuffers(made.buffers);
    const ran = interpret(whole, [...coreDialects, fieldDialect(states, store)], memory, {
      kernel: made.kernel.name,
      args: [2, 0.7, 1],
    });
    if (E.isLeft(ran)) throw new Error(ran.left[0].message);
    const numbers = [
      ...cells.map((at) => store.load('c_grad', at)),
      ...all.map((at) => store.load('u_grad', at)),
      ...[...made.parameters.values()].flatMap((name) => [...(memory[name] as Float64Array)]),
    ];
    return { text: printKernel(made.kernel), numbers: numbers.map(Number) };
  };

  it('gather within a box that does not go round, and ask along its edges which neighbours there are', () => {
    const near = fc.record({
      di: fc.integer({ min: -2, max: 2 }),
      dj: fc.integer({ min: -2, max: 2 }),
      back: fc.integer({ min: 1, max: 2 }),
      by: fc.constantFrom<Near['by']>('number', 'itself', 'coefficient', 'argument', 'one'),
    });
    fc.assert(
      fc.property(fc.array(near, { minLength: 1, maxLength: 6 }), (terms) => {
        const [gathers, adds] = [true, false].map((gather) => swept(inner(terms), gather));
        gathers.numbers.forEach((v, n) => expect(v).toBeCloseTo(adds.numbers[n], 10));
        /* What loops hand on beside is summed up by loops of its own, and so are coefficients that are one for all; where these are some of what lies everywhere too, nothing is turned round. */
        const [one, own] = ['one', 'coefficient'].map((kind) => terms.some(({ by }) => by === kind));
        if (!(one && own)) expect(gathers.text).not.toMatch(/field\.atomic.*u_grad/);
      }),
      { numRuns: 30 },
    );
  });

  /** All of a grid, where indices are kept within it: by extrema, by choices, or by branches. */
  type Kept = 'extrema' | 'choice' | 'branch';
  const clamped = (terms: readonly (Near & { readonly kept: Kept })[], [rows, columns] = [SIDE, SIDE]): Module => ({
    ...inner([{ di: 0, dj: 0, back: 1, by: 'number' }]),
    kernels: [
      buildKernel(
        'f',
        { t: 'i32', s: 'f64', q: 'i32' },
        (b, { t, s }) =>
          b.for(b.i32(0), b.i32(rows), b.i32(1), { parallel: true }, [], (i) => {
            b.for(b.i32(0), b.i32(columns), b.i32(1), { simd: true }, [], (j) => {
              const far = (v: Value, by: number, most: number, kept: Kept): Value => {
                if (by === 0) return v;
                const [there, end] = [b.add(v, b.i32(by)), b.i32(by < 0 ? 0 : most)];
                if (kept === 'extrema') return by < 0 ? b.max(there, end) : b.min(end, there);
                const isWithin = b.cmp(by < 0 ? 'ge' : 'lt', there, by < 0 ? end : b.i32(most + 1));
                return kept === 'choice'
                  ? b.select(isWithin, there, end)
                  : b.if(
                      isWithin,
                      () => there,
                      () => end,
                    )[0];
              };
              const values = terms.map(({ di, dj, back, by, kept }) => {
                const at = [b.sub(t, b.i32(back)), far(i, di, rows - 1, kept), far(j, dj, columns - 1, kept)];
                return weighed(b, b.value('field.load', at, { field: 'u' }), { di, by }, [i, j], s);
              });
              b.op('field.store', [values.reduce(b.add), t, i, j], { field: 'u' });
            });
          }),
        [],
        { dialects: [...coreDialects, fieldDialect(states)] },
      ),
    ],
  });

  /** How many iterations of the innermost loops of a kernel add to elements by atomics. */
  const atomicIterations = (kernel: string, field: string): number => {
    const numbers = new Map(
      [...kernel.matchAll(/(%\d+) = arith\.constant {value = (-?\d+)} : i32/g)].map((m) => [m[1], +m[2]]),
    );
    const around: number[] = [];
    let count = 0;
    for (const line of kernel.split('\n')) {
      const loop = /scf\.for (%\d+), (%\d+), %\d+/.exec(line);
      if (line.endsWith('{')) around.push(loop ? numbers.get(loop[2])! - numbers.get(loop[1])! : 1);
      if (line.includes('field.atomic') && line.includes(field)) count += around.reduce((a, n) => a * n);
      if (/^ *}/.test(line)) around.pop();
    }
    return count;
  };

  it('gather within the part of a grid where indices need not be kept within it', () => {
    const near = fc.record({
      di: fc.integer({ min: -2, max: 2 }),
      dj: fc.integer({ min: -2, max: 2 }),
      back: fc.integer({ min: 1, max: 2 }),
      by: fc.constantFrom<Near['by']>('number', 'itself', 'coefficient', 'argument', 'one'),
      kept: fc.constantFrom<Kept>('extrema', 'choice', 'branch'),
    });
    fc.assert(
      fc.property(fc.array(near, { minLength: 1, maxLength: 5 }), (terms) => {
        const [gathers, adds] = [true, false].map((gather) => swept(clamped(terms), gather));
        gathers.numbers.forEach((v, n) => expect(v).toBeCloseTo(adds.numbers[n], 10));
        /* At each end two rows or columns at most are not turned round. */
        const edge = SIDE ** 2 - (SIDE - 4) ** 2;
        const [one, own] = ['one', 'coefficient'].map((kind) => terms.some(({ by }) => by === kind));
        if (!(one && own)) expect(atomicIterations(gathers.text, 'u_grad')).toBeLessThanOrEqual(terms.length * edge);
      }),
      { numRuns: 40 },
    );
  });

  it('gather where short loops go over the taps of a filter, whose weights lie in a field', () => {
    const filter: Module = {
      ...inner([{ di: 0, dj: 0, back: 1, by: 'number' }]),
      kernels: [
        buildKernel(
          'f',
          { t: 'i32', s: 'f64', q: 'i32' },
          (b, { t }) =>
            b.for(b.i32(2), b.i32(SIDE - 2), b.i32(1), { parallel: true }, [], (i) => {
              b.for(b.i32(2), b.i32(SIDE - 2), b.i32(1), { simd: true }, [], (j) => {
                const sum = b.for(b.i32(-2), b.i32(3), b.i32(1), {}, [b.f64(0)], (di, [before]) =>
                  b.for(b.i32(-1), b.i32(2), b.i32(1), {}, [before], (dj, [sum]) => {
                    const at = [b.sub(t, b.i32(1)), b.add(i, di), b.add(j, dj)];
                    const weight = b.value('field.load', [b.add(di, b.i32(2)), b.add(dj, b.i32(1))], { field: 'c' });
                    return [b.add(sum, b.mul(weight, b.value('field.load', at, { field: 'u' })))];
                  }),
                )[0];
                b.op('field.store', [sum, t, i, j], { field: 'u' });
              });
            }),
          [],
          { dialects: [...coreDialects, fieldDialect(states)] },
        ),
      ],
    };
    const [gathers, adds] = [true, false].map((gather) => swept(filter, gather));
    gathers.numbers.forEach((v, n) => expect(v).toBeCloseTo(adds.numbers[n], 10));
    expect(adds.text).toMatch(/field\.atomic.*u_grad/);
    expect(gathers.text).not.toMatch(/field\.atomic.*u_grad/);
    expect(gathers.text.match(/field\.atomic.*c_grad/g)).toHaveLength(15);
  });

  it('stay sums by atomics where what is read may be what is added to, and in boxes that are mostly edge', () => {
    const code = (module: Module): string => printKernel(adjoint(module, 'f', { adjoints: ofStates }).kernel);
    const terms = [1, -1].map((di) => ({ di, dj: 0, back: 1, by: 'number' }) as const);
    expect(code(inner(terms))).not.toContain('field.atomic');
    expect(code(inner(terms, true))).toContain('field.atomic');
    expect(code(inner([3, -3].map((di) => ({ ...terms[0], di }))))).toContain('field.atomic');
  });
});
