import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  type ScalarType,
} from '@filigree/ir';
import { float } from '@filigree/quant';
import { codeType, type Joint } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { next, previous, type Float } from './exact.js';

interface Shape {
  readonly exponent: number;
  readonly digits: number;
  readonly signed: boolean;
}

interface Codes {
  readonly shared: bigint;
  readonly codes: readonly bigint[];
}

/** Digits of a number for a unit 2ᵘ, halves away from zero, in whole numbers. */
const digitsOf = (value: number, u: number): bigint => {
  let [n, e] = [Math.abs(value), 0];
  for (; !Number.isInteger(n); e--) n *= 2;
  const by = BigInt(e - u);
  const twice = by + 1n >= 0n ? BigInt(n) << (by + 1n) : BigInt(n) >> -(by + 1n);
  return (twice + 1n) / 2n;
};

/** What numbers are to be stored as: the least exponent with which all have few enough digits, or the largest there is. */
const expected = (values: readonly number[], { exponent, digits, signed }: Shape, type: Float): Codes => {
  const least = type === 'f32' ? 2 ** -126 : 2 ** -1022;
  const most = type === 'f32' ? 3.4028234663852886e38 : Number.MAX_VALUE;
  const seen = values.map((v) =>
    Number.isNaN(v) || Math.abs(v) < least || (!signed && v < 0) ? 0 : Math.max(Math.min(v, most), -most),
  );
  const [bias, last, top] = [2 ** (exponent - 1) - 1, 2 ** exponent - 1, (1n << BigInt(digits)) - 1n];
  for (let e = 1; e <= last; e++) {
    const all = seen.map((v) => digitsOf(v, e - bias - digits + 1));
    if (e < last && all.some((d) => d > top)) continue;
    const codes = all.map((d, k) => {
      const cut = d > top ? top : d;
      return cut !== 0n && seen[k] < 0 ? cut + top + 1n : cut;
    });
    return { shared: codes.every((c) => c === 0n) ? 0n : BigInt(e), codes };
  }
  throw new Error('there is an exponent');
};

const jointOf = ({ exponent, digits, signed }: Shape): Joint => float(exponent, digits, { signed, shared: 'v' }).joint!;

const codesBy = (joint: Joint, values: readonly number[], type: Float): Codes => {
  const { shared, codes } = joint.encode(values, type);
  return { shared: BigInt(shared), codes: codes.map(BigInt) };
};

/** What a code stands for, as a product of whole numbers and one power of two. */
const meaning = (code: number, shared: number, { exponent, digits }: Shape): number => {
  if (shared === 0) return 0;
  const magnitude = code % 2 ** digits;
  if (magnitude === 0) return 0;
  const size = magnitude * 2 ** (shared - (2 ** (exponent - 1) - 1) - digits + 1);
  return code >= 2 ** digits ? -size : size;
};

const range = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

const small: readonly Shape[] = [
  { exponent: 1, digits: 4, signed: true },
  { exponent: 2, digits: 3, signed: true },
  { exponent: 3, digits: 4, signed: false },
  { exponent: 4, digits: 1, signed: true },
  { exponent: 5, digits: 2, signed: false },
];

describe.each(['f32', 'f64'] as const)('two floats of %s that share an exponent', (type) => {
  it.each(small)(
    'are stored to the nearest, for every pair around every middle: $exponent, $digits, $signed',
    (shape) => {
      const joint = jointOf(shape);
      const codes = 2 ** (shape.digits + (shape.signed ? 1 : 0));
      const numbers = new Set<number>([0, -0, NaN, Infinity, -Infinity, 1e-30, 1e30, -1e30]);
      for (const shared of range(2 ** shape.exponent))
        for (const code of range(codes)) {
          const x = meaning(code, shared, shape);
          const unit = meaning(1, Math.max(shared, 1), shape);
          for (const y of [x, x + unit / 2, x - unit / 2])
            for (const z of [previous(y, type), y, next(y, type)]) numbers.add(z);
        }
      const all = [...numbers];
      /* Every number beside some of the others, which are of all sizes. */
      const others = all.filter((_, k) => k % Math.ceil(all.length / 16) === 0);
      const wrong: string[] = [];
      for (const x of all)
        for (const y of others)
          for (const pair of [
            [x, y],
            [y, x],
          ]) {
            const [got, wanted] = [codesBy(joint, pair, type), expected(pair, shape, type)];
            if (got.shared !== wanted.shared || got.codes.join() !== wanted.codes.join())
              wrong.push(
                `${pair.join(', ')}: ${got.shared} ${got.codes.join()}, not ${wanted.shared} ${wanted.codes.join()}`,
              );
          }
      expect(wrong.slice(0, 5)).toEqual([]);
    },
  );

  it('load as what every code stands for, and stay when stored again', () => {
    const shape = { exponent: 4, digits: 5, signed: true };
    const joint = jointOf(shape);
    const wrong: string[] = [];
    for (const shared of range(16))
      for (const a of range(64))
        for (const b of range(64)) {
          const values = [a, b].map((code) => joint.decode(code, shared, type));
          const stored = joint.encode(values, type);
          const again = stored.codes.map((code) => joint.decode(code, stored.shared, type));
          if (values.join() !== [a, b].map((code) => meaning(code, shared, shape)).join())
            wrong.push(`${shared} ${a} ${b}`);
          if (values.some((v, k) => !Object.is(v, again[k]))) wrong.push(`${values.join()} becomes ${again.join()}`);
        }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

/** What the ops make of groups of numbers: codes of each, and what they load as. */
const byOps = (joint: Joint, bits: number, type: Float, groups: readonly (readonly number[])[]) => {
  const [n, each] = [groups.length, groups[0].length];
  const code = codeType(bits);
  const buffers = [
    declareBuffer('values', type, n * each, 'input'),
    declareBuffer('shared', 'u32', n, 'output'),
    declareBuffer('codes', code, n * each, 'output'),
    declareBuffer('loaded', type, n * each, 'output'),
  ];
  const kernel = buildKernel(
    'main',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(n), b.i32(1), {}, [], (i) => {
        const at = range(each).map((k) => b.add(b.mul(i, b.i32(each)), b.i32(k)));
        const { shared, codes } = joint.emitEncode(
          b,
          at.map((p) => b.load('values', p)),
        );
        b.store('shared', shared, i);
        codes.forEach((c, k) => {
          b.store('codes', c, at[k]);
          b.store('loaded', joint.emitDecode(b, c, shared, type as ScalarType), at[k]);
        });
      }),
    buffers,
  );
  const memory = allocateBuffers(buffers);
  (memory.values as Float64Array).set(groups.flat());
  const done = interpret(makeModule('m', buffers, [kernel]), coreDialects, memory, { kernel: 'main' });
  if (done._tag === 'Left') throw new Error(JSON.stringify(done.left));
  return groups.map((_, g) => ({
    shared: BigInt((memory.shared as Uint32Array)[g]),
    codes: range(each).map((k) => BigInt((memory.codes as Uint32Array)[g * each + k])),
    loaded: range(each).map((k) => Number((memory.loaded as Float64Array)[g * each + k])),
  }));
};

describe('groups of any size and shape', () => {
  it.each(['f32', 'f64'] as const)('of %s are stored as exact arithmetic says, by functions and by ops', (type) => {
    const shapes = fc.record({
      exponent: fc.integer({ min: 1, max: type === 'f32' ? 7 : 10 }),
      digits: fc.integer({ min: 1, max: type === 'f32' ? 24 : 53 }),
      signed: fc.boolean(),
    });
    const number = fc.oneof(
      (type === 'f32' ? fc.float() : fc.double()).map((x) => (type === 'f32' ? Math.fround(x) : x)),
      fc
        .tuple(fc.integer({ min: -(2 ** 24), max: 2 ** 24 }), fc.integer({ min: -40, max: 20 }))
        .map(([n, e]) => n * 2 ** e),
    );
    const groups = fc
      .integer({ min: 1, max: 4 })
      .chain((n) => fc.array(fc.array(number, { minLength: n, maxLength: n }), { minLength: 10, maxLength: 10 }));
    fc.assert(
      fc.property(shapes, groups, (shape, given) => {
        const joint = jointOf(shape);
        const done = byOps(joint, shape.digits + (shape.signed ? 1 : 0), type, given);
        given.forEach((values, g) => {
          const wanted = expected(values, shape, type);
          expect(codesBy(joint, values, type)).toEqual(wanted);
          expect({ shared: done[g].shared, codes: done[g].codes }).toEqual(wanted);
          expect(done[g].loaded).toEqual(
            wanted.codes.map((c) => joint.decode(shape.digits > 31 ? c : Number(c), Number(wanted.shared), type)),
          );
        });
      }),
      { numRuns: 150 },
    );
  });
});
