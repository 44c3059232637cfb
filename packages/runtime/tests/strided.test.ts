import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyAlong, copyWordsAlong, type Axis } from '../src/fields/strided.js';

it('words are copied as other arrays are: rows of any length, at any distance', () => {
  const axis = (most: number) =>
    fc.record({ side: fc.integer({ min: 1, max: most }), step: fc.nat(9), targetStep: fc.integer({ min: 1, max: 9 }) });
  const row = fc.oneof(
    axis(4),
    fc.integer({ min: 1, max: 50 }).map((side): Axis => ({ side, step: 1, targetStep: 1 })),
  );
  fc.assert(
    fc.property(
      fc.array(axis(4), { minLength: 1, maxLength: 2 }),
      row,
      fc.nat(5),
      fc.nat(5),
      (outer, row, from, to) => {
        const axes = [...outer, row];
        const size = (key: 'step' | 'targetStep'): number => axes.reduce((n, a) => n + (a.side - 1) * a[key], 1) + 5;
        const source = Int32Array.from({ length: size('step') }, (_, k) => 1000 + k);
        const [words, numbers] = [new Int32Array(size('targetStep')), new Float64Array(size('targetStep'))];
        copyWordsAlong({ array: source, first: from }, { array: words, first: to }, axes);
        copyAlong({ array: Float64Array.from(source), first: from }, { array: numbers, first: to }, axes);
        expect([...words]).toEqual([...numbers]);
        const inOrder = axes.reduce<readonly (readonly [number, number])[]>(
          (places, { side, step, targetStep }) =>
            places.flatMap(([a, b]) =>
              Array.from({ length: side }, (_, n) => [a + n * step, b + n * targetStep] as const),
            ),
          [[from, to]],
        );
        const expected = new Int32Array(words.length);
        for (const [a, b] of inOrder) expected[b] = source[a];
        expect([...words]).toEqual([...expected]);
      },
    ),
  );
});
