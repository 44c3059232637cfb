import fc from 'fast-check';
import { symbolicMath as m, type Num } from '@filigree/ir';

/** A random expression of a few operands; its values stay near 1 for operands near 1. */
export type Recipe = (operands: readonly Num[]) => Num;

/** Straight-line code of some operations, which may share what they made before. */
export const recipe = (operands: number, most = 12): fc.Arbitrary<Recipe> =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: operations.length - 1 }), fc.nat(1 << 16), fc.nat(1 << 16)), {
      minLength: 1,
      maxLength: most,
    })
    .map((steps) => (given) => {
      const known: Num[] = [...given.slice(0, operands)];
      for (const [op, a, b] of steps) {
        /* What was made last is used most, so that expressions are deep. */
        const first = known[known.length - 1 - (a % Math.min(known.length, 3))];
        known.push(operations[op](first, known[b % known.length]));
      }
      return known[known.length - 1];
    });

const bounded = (x: Num): Num => m.div(x, m.add(1, m.abs(x)));

const operations: readonly ((a: Num, b: Num) => Num)[] = [
  (a, b) => m.add(a, b),
  (a, b) => m.sub(a, m.mul(0.5, b)),
  (a, b) => bounded(m.mul(a, b)),
  (a, b) => m.div(a, m.add(2, m.mul(b, b))),
  (a) => m.sqrt(m.add(1, m.mul(a, a))),
  (a, b) => m.sin(m.add(a, b)),
  (a, b) => m.max(a, b),
  (a, b) => m.select(m.lt(a, b), m.mul(2, a), m.sub(b, 1)),
  (a) => m.exp(m.neg(m.mul(a, a))),
  (a, b) => m.mul(0.25, m.add(a, m.mul(3, b))),
];
