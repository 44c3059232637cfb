import { denseLayout } from '@filigree/tensor';
import { expect, test } from 'vitest';

test('a box is stored column-major, its first interval widened to whole vectors', () => {
  expect(
    denseLayout([
      [2, 5],
      [0, 3],
    ]),
  ).toMatchObject({ strides: [1, 3], size: 9 });
  expect(
    denseLayout(
      [
        [2, 5],
        [1, 3],
      ],
      4,
    ),
  ).toEqual({
    kind: 'dense',
    box: [
      [0, 8],
      [1, 3],
    ],
    strides: [1, 8],
    size: 16,
    end: 5,
  });
});
