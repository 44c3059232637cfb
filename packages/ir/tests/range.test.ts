import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arith,
  evaluateOp,
  fullRange,
  rangeBetween,
  scalarTypes,
  type IntegerRange,
  type Op,
  type OpDef,
  type Scalar,
  type ScalarType,
} from '@filigree/ir';

const integers = scalarTypes.filter((t) => t !== 'f32' && t !== 'f64' && t !== 'i1');

/** Numbers of a type, near zero and its ends, that are exact. */
const numberOf = (type: ScalarType): fc.Arbitrary<number> => {
  const { lo, hi } = fullRange(type);
  const [least, most] = [Math.max(lo, -(2 ** 53) + 1), Math.min(hi, 2 ** 53 - 1)];
  return fc.oneof(
    fc.integer({ min: Math.max(least, -9), max: Math.min(most, 40) }),
    fc.integer({ min: least, max: most }),
    fc.integer({ min: 0, max: 3 }).map((d) => most - d),
    fc.integer({ min: 0, max: 3 }).map((d) => least + d),
  );
};

/** A range of multiples of a power of two, and a number in it. */
const drawn = (type: ScalarType): fc.Arbitrary<{ readonly range: IntegerRange; readonly value: number }> =>
  fc
    .tuple(
      numberOf(type),
      numberOf(type),
      fc.constantFrom(1, 1, 1, 2, 8, 64),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([a, b, align, t]) => {
      const range = rangeBetween(type, Math.min(a, b), Math.max(a, b), align);
      const steps = Math.floor((range.hi - range.lo) / range.align);
      return { range, value: range.lo + Math.floor(t * steps) * range.align };
    })
    .filter(({ range, value }) => value >= range.lo && value <= range.hi && Number.isSafeInteger(value));

const scalar = (value: number, type: ScalarType): Scalar => (type.endsWith('64') ? BigInt(value) : value);

const opOf = (def: OpDef, type: ScalarType, operands: number, predicate: string, to: ScalarType): Op => {
  const values = Array.from({ length: operands }, (_, id) => ({ id, type }));
  const attrs = def.name === 'arith.cmp' ? { predicate } : def.name === 'arith.cast' ? { to } : {};
  const [result] = def.resultTypes(values, attrs, [], new Map());
  return { name: def.name, operands: values, results: [{ id: 9, type: result }], attrs, regions: [] };
};

describe('what an op says of the range of its result', () => {
  const ranged = Object.values(arith.ops).filter((def) => def.range && def.name !== 'arith.select');

  test('is said by all integer arithmetic', () => {
    expect(ranged.map(({ name }) => name.slice('arith.'.length)).sort()).toEqual(
      [
        'add',
        'sub',
        'mul',
        'div',
        'rem',
        'min',
        'max',
        'neg',
        'and',
        'or',
        'xor',
        'not',
        'shl',
        'shr',
        'cmp',
        'cast',
      ].sort(),
    );
  });

  test.each(ranged.map((def) => [def.name, def] as const))('%s gives numbers of it', (_name, def) => {
    const unary = ['arith.neg', 'arith.not', 'arith.cast'].includes(def.name);
    const program = fc.constantFrom(...integers).chain((type) =>
      fc.record({
        type: fc.constant(type),
        to: fc.constantFrom(...integers),
        predicate: fc.constantFrom('lt', 'le', 'gt', 'ge', 'eq', 'ne'),
        operands: fc.array(drawn(type), { minLength: unary ? 1 : 2, maxLength: unary ? 1 : 2 }),
      }),
    );
    fc.assert(
      fc.property(program, ({ type, to, predicate, operands }) => {
        const op = opOf(def, type, operands.length, predicate, to);
        const result = op.results[0].type as ScalarType;
        const values = evaluateOp(
          op,
          def,
          operands.map(({ value }) => scalar(value, type)),
        );
        if (!values) return;
        const range = def.range!(
          op,
          operands.map((o) => o.range),
          result,
        );
        const value = Number(values[0]);
        expect(value).toBeGreaterThanOrEqual(range!.lo);
        expect(value).toBeLessThanOrEqual(range!.hi);
        if (Number.isSafeInteger(value)) expect(Math.abs(value % (range as IntegerRange).align)).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });
});
