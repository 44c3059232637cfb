import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import { both, relativeError } from './support.js';

/** Rows of pixels with weights of their neighbours, where the border repeats the last one. */
const filter =
  (rows: number, n: number, weights: readonly number[]) =>
  ({ x }: Record<string, Num[]>): Record<string, Num[]> => {
    const half = (weights.length - 1) / 2;
    const at = (r: number, j: number): Num => x![r * n + Math.min(n - 1, Math.max(0, j))]!;
    return {
      y: Array.from({ length: rows * n }, (_, p) =>
        weights.reduce<Num>((s, w, k) => m.add(s, m.mul(w, at(Math.floor(p / n), (p % n) + k - half))), 0),
      ),
    };
  };

const constantsOf = ({ specialized }: ReturnType<typeof both>): number =>
  specialized.module.buffers.find(({ name }) => name === 'constants')?.length ?? 0;

describe('weights of a stencil', () => {
  it('are numbers in the code although sums near the border are written in another order', () => {
    const weights = [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05];
    const found = both({ x: 8 * 64 }, filter(8, 64, weights), {}, 'algebraic');
    expect(relativeError(found.outputs['y']!, found.plain['y']!)).toBeLessThan(1e-14);
    expect(constantsOf(found)).toBe(0);
  });

  it('that differ from place to place stay beside what they are of', () => {
    const n = 300;
    const varying = ({ x }: Record<string, Num[]>): Record<string, Num[]> => ({
      y: Array.from({ length: n - 2 }, (_, i) =>
        m.add(m.add(m.mul(1 + i / 7, x![i]!), m.mul(2 + i / 5, x![i + 1]!)), m.mul(3 - i / 3, x![i + 2]!)),
      ),
    });
    const found = both({ x: n }, varying, {}, 'algebraic');
    expect(relativeError(found.outputs['y']!, found.plain['y']!)).toBeLessThan(1e-14);
    /* But those that are 1, which are not multiplied by. */
    expect(constantsOf(found)).toBeGreaterThan(2.9 * (n - 2));
  });

  it.each(ARITHMETICS)('equal plain evaluation whatever they are (%s)', (arithmetic) => {
    const weight = fc.constantFrom(0.25, 0.5, 1.5, -2, 3);
    fc.assert(
      fc.property(fc.constantFrom(3, 5, 7), fc.array(weight, { minLength: 7, maxLength: 7 }), (size, all) => {
        const found = both({ x: 3 * 20 }, filter(3, 20, all.slice(0, size)), {}, arithmetic);
        const error = relativeError(found.outputs['y']!, found.plain['y']!);
        if (arithmetic === 'exact') expect(error).toBe(0);
        else expect(error).toBeLessThan(1e-13);
      }),
      { numRuns: 25 },
    );
  });
});
