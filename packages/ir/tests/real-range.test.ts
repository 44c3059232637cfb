import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arith,
  evaluateOp,
  math,
  numberAbove,
  numberBelow,
  type IntegerRange,
  type Op,
  type OpDef,
  type RealRange,
  type ScalarType,
} from '@filigree/ir';

type Float = 'f32' | 'f64';

const round = (x: number, type: Float): number => (type === 'f32' ? Math.fround(x) : x);

const numbers: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -40, max: 40 }).map((n) => n / 8),
  fc.double({ min: -1e4, max: 1e4, noNaN: true }),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, 1, -1, Infinity, -Infinity, 2 ** 31, -(2 ** 31), 1e-40, 511.999),
);

/** A range of floats, and a number of it. */
const drawn = (type: Float): fc.Arbitrary<{ readonly range: RealRange; readonly value: number }> =>
  fc
    .tuple(numbers, numbers, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 9 }))
    .map(([a, b, t, kind]) => {
      const [lo, hi] = [Math.min(a, b), Math.max(a, b)].map((x) => round(x, type)) as [number, number];
      const between = lo === hi ? lo : [lo, hi][kind % 2] && kind > 3 ? lo + (hi - lo) * t : kind % 2 ? lo : hi;
      const value = round(Number.isNaN(between) ? lo : Math.min(hi, Math.max(lo, between)), type);
      return kind === 0 ? { range: { lo, hi, nan: true }, value: NaN } : { range: { lo, hi, nan: kind === 1 }, value };
    });

const opOf = (def: OpDef, type: Float, operands: number, attrs: Op['attrs']): Op => {
  const values = Array.from({ length: operands }, (_, id) => ({ id, type }));
  const [result] = def.resultTypes(values, attrs, [], new Map());
  return { name: def.name, operands: values, results: [{ id: 9, type: result }], attrs, regions: [] };
};

const isWithin = (value: number, range: RealRange): boolean =>
  Number.isNaN(value) ? range.nan : value >= range.lo && value <= range.hi;

const arity: Readonly<Record<string, number>> = { 'math.fma': 3 };
const binary = ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max'].map((name) => `arith.${name}`);
const unary = ['arith.neg', 'arith.cast'];

describe('what an op says of the floats that it gives', () => {
  const ranged = [
    ...[...binary, ...unary].map((name) => arith.ops[name]!),
    ...Object.values(math.ops).filter((def) => def.range),
  ];

  test('is said by functions that have bounds, or keep them', () => {
    expect(
      Object.values(math.ops)
        .filter((def) => def.range)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      ['abs', 'ceil', 'cos', 'floor', 'fma', 'sin', 'sqrt', 'tanh', 'trunc'].map((name) => `math.${name}`).sort(),
    );
  });

  test.each(ranged.map((def) => [def.name, def] as const))('%s gives numbers of it', (name, def) => {
    const count = arity[name] ?? (binary.includes(name) ? 2 : 1);
    const program = fc.constantFrom<Float>('f32', 'f64').chain((type) =>
      fc.record({
        type: fc.constant(type),
        to: fc.constantFrom<Float>('f32', 'f64'),
        operands: fc.array(drawn(type), { minLength: count, maxLength: count }),
      }),
    );
    fc.assert(
      fc.property(program, ({ type, to, operands }) => {
        const op = opOf(def, type, count, name === 'arith.cast' ? { to } : {});
        const values = evaluateOp(op, def, operands.map(({ value }) => value)); // prettier-ignore
        const range = def.range!(op, operands.map((o) => o.range), op.results[0].type as ScalarType); // prettier-ignore
        expect([isWithin(Number(values![0]), range as RealRange), values![0], range]).toContain(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('is of integers where these are made of floats', () => {
    const cast = arith.ops['arith.cast']!;
    fc.assert(
      fc.property(
        fc.constantFrom<ScalarType>('i32', 'u32', 'i8', 'u16', 'i64', 'u64'),
        drawn('f64'),
        (to, { range, value }) => {
          const op = opOf(cast, 'f64', 1, { to });
          const whole = cast.range!(op, [range], to) as IntegerRange;
          /* As whole numbers: the end of a type of 64 bits is none of the doubles. */
          const made = BigInt(evaluateOp(op, cast, [value])![0] as number | bigint);
          expect(made).toBeGreaterThanOrEqual(BigInt(whole.lo));
          expect(made).toBeLessThanOrEqual(BigInt(whole.hi));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['i64', 2n ** 63n - 1n],
    ['u64', 2n ** 64n - 1n],
  ] as const)('and what is larger than an %s is its end, which is less than its bound', (to, end) => {
    const cast = arith.ops['arith.cast']!;
    const op = opOf(cast, 'f64', 1, { to });
    const { lo, hi } = cast.range!(op, [{ lo: 1e300, hi: 1e301, nan: false }], to) as IntegerRange;
    expect(evaluateOp(op, cast, [1e300])).toEqual([end]);
    expect([BigInt(lo) <= end, BigInt(hi) >= end]).toEqual([true, true]);
  });

  test('and of truth values where these compare floats', () => {
    const cmp = arith.ops['arith.cmp']!;
    fc.assert(
      fc.property(
        fc.constantFrom('lt', 'le', 'gt', 'ge', 'eq', 'ne'),
        drawn('f32'),
        drawn('f32'),
        (predicate, a, b) => {
          const op = opOf(cmp, 'f32', 2, { predicate });
          const truth = cmp.range!(op, [a.range, b.range], 'i1') as IntegerRange | undefined;
          const made = Number(evaluateOp(op, cmp, [a.value, b.value])![0]);
          if (truth) expect([truth.lo <= made, made <= truth.hi]).toEqual([true, true]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('knows the neighbours of a number', () => {
    expect(numberBelow(512, 'f64')).toBe(512 - 2 ** -44);
    expect(numberBelow(512, 'f32')).toBe(512 - 2 ** -15);
    expect(numberBelow(0.1, 'f32')).toBe(Math.fround(0.1) > 0.1 ? 0.09999999403953552 : Math.fround(0.1));
    expect(numberAbove(-1, 'f32')).toBe(-1 + 2 ** -24);
    expect(numberAbove(0, 'f64')).toBe(Number.MIN_VALUE);
    expect(numberBelow(0, 'f32')).toBe(-(2 ** -149));
    expect(numberAbove(Infinity, 'f64')).toBe(Infinity);
  });
});
