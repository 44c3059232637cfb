import { flatValues, type DiagnosticError, type Nested } from '@filigree/ir';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });

/** Lists of lists in which each value tells its indices. */
const lists = (shape: readonly number[], before: readonly number[] = []): Nested<string> =>
  Array.from({ length: shape[0] }, (_, k) =>
    shape.length === 1 ? [...before, k].join() : lists(shape.slice(1), [...before, k]),
  );

const refused = (given: Nested<number>, shape?: readonly number[]): string => {
  try {
    flatValues('x', 'field/length', given, shape);
  } catch (e) {
    return (e as DiagnosticError).diagnostics[0].message;
  }
  return 'nothing';
};

describe('flatValues', () => {
  it('puts each value where its indices say, the last or the first of them fastest', () => {
    fc.assert(
      fc.property(shapes, fc.boolean(), (shape, known) => {
        const given = lists(shape);
        const rows = flatValues('x', 'field/length', given, known ? shape : undefined);
        const columns = flatValues('x', 'field/length', given, known ? shape : undefined, 'firstFastest');
        const count = shape.reduce((n, side) => n * side, 1);
        expect([rows.length, columns.length]).toEqual([count, count]);
        for (let e = 0; e < count; e++) {
          const at: number[] = [];
          for (let axis = shape.length - 1, rest = e; axis >= 0; rest = Math.floor(rest / shape[axis--]))
            at.unshift(rest % shape[axis]);
          expect(rows[e]).toBe(at.join());
          const column = at.reduceRight((sum, x, axis) => sum * shape[axis] + x, 0);
          expect(columns[column]).toBe(at.join());
        }
      }),
    );
  });

  it('leaves a flat list as it is, whatever its length', () => {
    const flat = Float64Array.of(1, 2, 3);
    expect(flatValues('x', 'field/length', flat, [2, 2])).toBe(flat);
    expect(flatValues('x', 'field/length', undefined as never, [2])).toBe(undefined);
    expect(flatValues('x', 'field/length', [Float32Array.of(1, 2), [3, 4]], [2, 2])).toEqual([1, 2, 3, 4]);
  });

  it.each<readonly [string, Nested<number>, readonly number[] | undefined]>([
    ['not 4', [[1, 2], [3, 4]], [4]], // prettier-ignore
    ['not 2 × 3', [[1, 2], [3, 4]], [2, 3]], // prettier-ignore
    ['not 1 × 1', [[]], [1, 1]],
    ['not 2 × 2', [[1, 2], [3]], undefined], // prettier-ignore
    ['not 2 × 2', [[1, 2], 3], undefined],
    ['not 2 × 2', [[1, 2], [3, [4]]], undefined], // prettier-ignore
  ])('says that lists are %s', (message, given, shape) => {
    expect(refused(given, shape)).toContain(message);
  });
});
