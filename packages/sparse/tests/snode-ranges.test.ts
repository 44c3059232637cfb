import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateOp, rangeBetween, type IntegerRange, type Op } from '@filigree/ir';
import { dense, field, i, layout, snodeDialect } from '@filigree/sparse/fields';

const { ops } = snodeDialect(layout(dense(i, 8).place(field('x', 'f32'))));

const op = (name: string, operands: number, attrs: Op['attrs']): Op => ({
  name,
  operands: Array.from({ length: operands }, (_, id) => ({ id, type: 'i32' as const })),
  results: [{ id: 9, type: 'i32' }],
  attrs,
  regions: [],
});

/** A number, and a range in which it is. */
type Drawn = readonly [value: number, range: IntegerRange];

const drawn = (least: number, most: number): fc.Arbitrary<Drawn> =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.nat(50), fc.nat(50))
    .map(([value, below, above]) => [value, rangeBetween('i32', value - below, value + above)] as const);

const small = fc.integer({ min: 1, max: 12 });

describe('what indices, digits and clamped numbers may be', () => {
  it.each<[string, fc.Arbitrary<{ readonly at: Op; readonly given: readonly Drawn[] }>]>([
    [
      'snode.index',
      fc
        .record({ unit: small, base: fc.integer({ min: -30, max: 30 }), digit: fc.nat(11), bounded: fc.boolean() })
        .chain(({ unit, base, digit, bounded }) => {
          const [from, by] = [base * unit, digit % unit];
          const attrs = { unit, ...(bounded ? { lo: from + by - 3, hi: from + by + 4 } : {}) };
          return fc
            .tuple(drawn(from, from), drawn(by, by))
            .map((given) => ({ at: op('snode.index', 2, attrs), given }));
        }),
    ],
    [
      'snode.clamp',
      fc
        .tuple(small, fc.boolean(), drawn(-40, 40))
        .map(([extent, past, x]) => ({ at: op('snode.clamp', 1, past ? { extent, past } : { extent }), given: [x] })),
    ],
    [
      'snode.extract',
      fc
        .tuple(small, fc.nat(12), drawn(-40, 200))
        .map(([below, extent, x]) => ({ at: op('snode.extract', 1, { below, extent, signed: true }), given: [x] })),
    ],
  ])('%s gives numbers of its range', (name, drawing) => {
    const def = ops[name];
    fc.assert(
      fc.property(drawing, ({ at, given }) => {
        const [value] = evaluateOp(
          at,
          def,
          given.map(([x]) => x),
        )!;
        const { lo, hi } = def.range!(
          at,
          given.map(([, r]) => r),
          'i32',
        )!;
        expect(value).toBeGreaterThanOrEqual(lo);
        expect(value).toBeLessThanOrEqual(hi);
      }),
      { numRuns: 2000 },
    );
  });
});
