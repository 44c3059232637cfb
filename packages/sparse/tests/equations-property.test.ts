import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { checkRegions, resultPattern, specializeRegions, type Regions } from '@filigree/sparse/equations';
import { codesOf, randomInputs, randomSource, regionsOf, right, valuesOf } from './equations-support.js';

const N = 5;
const ARRAYS = ['A', 'B', 'C'] as const;

/** An element: an array, and for each subscript a multiple of an iterator and an offset, or none and a place. */
interface Place {
  readonly array: number;
  readonly at: readonly (readonly [iterator: number, times: number, offset: number])[];
}

interface StatementPlan {
  readonly to: Place;
  readonly reads: readonly Place[];
  readonly kind: 'sum' | 'product' | 'copy' | 'accumulate' | 'zero' | 'guarded' | 'swap';
}

type NestPlan =
  | { readonly loop: readonly [lower: number, triangular: boolean, step: number]; readonly body: readonly NestPlan[] }
  | StatementPlan;

const place = fc.record({
  array: fc.integer({ min: 0, max: ARRAYS.length - 1 }),
  at: fc.array(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom(1, 1, 2, 3, -1), fc.integer({ min: -1, max: 1 })), {
    minLength: 2,
    maxLength: 2,
  }),
});
const statement: fc.Arbitrary<StatementPlan> = fc.record({
  to: place,
  reads: fc.array(place, { minLength: 2, maxLength: 2 }),
  kind: fc.constantFrom('sum', 'product', 'copy', 'accumulate', 'accumulate', 'zero', 'guarded', 'swap'),
});
const nest = (depth: number): fc.Arbitrary<NestPlan> =>
  depth === 0
    ? statement
    : fc.oneof(
        { weight: 1, arbitrary: statement },
        {
          weight: 3,
          arbitrary: fc.record({
            loop: fc.tuple(fc.nat({ max: 2 }), fc.boolean(), fc.constantFrom(1, 1, 2)),
            body: fc.array(nest(depth - 1), { minLength: 1, maxLength: 2 }),
          }),
        },
      );

/* Arrays have all places of three times an iterator, and a margin. */
const SIDE = 3 * (N - 1) + 3;

const moduleOf = (plans: readonly NestPlan[]): Module => {
  const buffers = [
    declareBuffer('A', 'f64', SIDE * SIDE, 'inout'),
    declareBuffer('B', 'f64', SIDE * SIDE, 'input'),
    declareBuffer('C', 'f64', SIDE * SIDE, 'output'),
  ];
  const kernel = buildKernel('random', {}, (b) => emitAll(b, plans, []), buffers);
  return makeModule('random', buffers, [kernel]);
};

const emitAll = (b: Builder, plans: readonly NestPlan[], iterators: readonly Value[]): void => {
  for (const p of plans) {
    if ('kind' in p) {
      emitOne(b, p, iterators);
      continue;
    }
    const [lower, triangular, step] = p.loop;
    const from = triangular && iterators.length > 0 ? iterators[iterators.length - 1] : b.i32(lower);
    b.for(from, b.i32(N), b.i32(step), {}, [], (i) => emitAll(b, p.body, [...iterators, i]));
  }
};

const emitOne = (b: Builder, { to, reads, kind }: StatementPlan, iterators: readonly Value[]): void => {
  const index = ({ at }: Place): Value => {
    const [i, j] = at.map(([which, times, offset]) => {
      if (which >= iterators.length) return b.i32(which + offset + 1);
      const first = times < 0 ? -times * (N - 1) : 0;
      return b.add(b.mul(iterators[which], b.i32(times)), b.i32(first + offset + 1));
    });
    return b.add(b.mul(i, b.i32(SIDE)), j);
  };
  const read = (p: Place): Value => b.load(ARRAYS[p.array], index(p));
  /* B is read alone. */
  const target = { ...to, array: to.array === 1 ? 2 : to.array };
  const [x, y] = reads;
  if (kind === 'swap') {
    const other = { ...x, array: x.array === 1 ? 0 : x.array };
    const [here, there] = [read(target), read(other)];
    b.store(ARRAYS[target.array], there, index(target));
    return b.store(ARRAYS[other.array], here, index(other));
  }
  /* Numbers stay from 1 to some hundreds, or 0. */
  const bounded = (v: Value): Value => b.min(v, b.f64(2));
  const value = (): Value => {
    if (kind === 'zero') return b.f64(0);
    if (kind === 'copy') return read(x);
    if (kind === 'sum') return bounded(b.add(read(x), read(y)));
    if (kind === 'guarded' && iterators.length > 0)
      return b.if(
        b.cmp('gt', iterators[0], b.i32(2)),
        () => read(x),
        () => read(y),
      )[0];
    const product = bounded(b.mul(read(x), read(y)));
    return kind === 'accumulate' ? b.add(read(target), product) : product;
  };
  b.store(ARRAYS[target.array], value(), index(target));
};

describe('random affine programs', () => {
  it('have the non-zeros that the interpreter finds, iterations of a dense run, and the same results over their regions', () => {
    let tried = 0;
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(nest(3), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 1e6 }),
        (plans, seed) => {
          tried++;
          const random = randomSource(seed);
          const regions = regionsOf(moduleOf(plans), (s) => randomInputs(s, random, 0.15), {
            shapes: { A: [SIDE, SIDE], B: [SIDE, SIDE], C: [SIDE, SIDE] },
          });
          expect(checkRegions(regions)).toMatchObject({ passed: true });
          expectResults(regions, random);
          compared += regions.statements.length;
        },
      ),
      { numRuns: 25 },
    );
    expect(compared).toBeGreaterThan(tried);
  });
});

const expectResults = (regions: Regions, random: () => number): void => {
  const { module } = regions.solved;
  const inputs = Object.fromEntries(Object.entries(regions.inputs).map(([n, p]) => [n, valuesOf(p, random)]));
  const memory = (): Record<string, Float64Array> =>
    Object.fromEntries(module.buffers.map((b) => [b.name, inputs[b.name]?.slice() ?? new Float64Array(b.length)]));
  const [dense, special] = [memory(), memory()];
  right(interpret(module, coreDialects, dense));
  const arrays = regions.solved.program.arrays.filter((a) => a.role !== 'carried');
  for (const a of arrays)
    expect(codesOf(right(resultPattern(regions, a.name))), a.name).toEqual(
      [...dense[a.name].keys()].filter((c) => dense[a.name][c] !== 0),
    );
  const specialised = right(specializeRegions(regions)).module;
  right(
    interpret(
      specialised,
      coreDialects,
      Object.fromEntries(specialised.buffers.flatMap((b) => (b.name in special ? [[b.name, special[b.name]]] : []))),
    ),
  );
  for (const a of arrays)
    dense[a.name].forEach((x, i) => {
      if (!(Math.abs(x - special[a.name][i]) <= 1e-9 * Math.abs(x)))
        expect(`${a.name}[${i}] = ${special[a.name][i]}`).toBe(`${a.name}[${i}] = ${x}`);
    });
};
