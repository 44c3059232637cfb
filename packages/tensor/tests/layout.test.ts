import { patternOf } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import {
  denseLayout,
  kernel,
  planKernel,
  positionIn,
  printActions,
  tensor,
  tensorLayout,
  type Assignment,
  type LayoutKind,
  type Plan,
} from '@filigree/tensor';
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

/** An arrow: the first row, the first column and the diagonal, within a border of zeros at the end. */
const arrow = patternOf(
  [5, 4],
  [0, 1, 2].flatMap((i) => [
    [i, 0],
    [0, i],
    [i, i],
  ]),
);

test('a tensor lies as it was declared, otherwise in the box of its pattern', () => {
  const layout = (kind?: LayoutKind) =>
    tensorLayout(tensor('T', [5, 4], { pattern: arrow, ...(kind ? { layout: kind } : {}) }).decl, 4);
  expect(layout()).toMatchObject({
    kind: 'dense',
    box: [
      [0, 3],
      [0, 3],
    ],
    size: 9,
  });
  expect(layout('box')).toEqual(layout());
  expect(layout('dense')).toMatchObject({
    box: [
      [0, 5],
      [0, 4],
    ],
    size: 20,
  });
  expect(layout('aligned')).toMatchObject({
    box: [
      [0, 4],
      [0, 3],
    ],
    strides: [1, 4],
    size: 12,
    end: 3,
  });
  expect(layout('csc')).toEqual({
    kind: 'csc',
    shape: [5, 4],
    columnStart: Int32Array.of(0, 3, 5, 7, 7),
    rows: Int32Array.of(0, 1, 2, 0, 1, 0, 2),
    size: 7,
  });
  expect(layout('compressed')).toMatchObject({ kind: 'compressed', size: 7 });
  expect(tensorLayout(tensor('T', [5, 4]).decl, 4)).toMatchObject({
    box: [
      [0, 5],
      [0, 4],
    ],
  });
});

test('every entry of a pattern has a place of its own in every layout, and no other entry has one in sparse ones', () => {
  for (const kind of ['dense', 'box', 'aligned', 'csc', 'compressed'] as const) {
    const layout = tensorLayout(tensor('T', [5, 4], { pattern: arrow, layout: kind }).decl, 4);
    const places = new Set<number>();
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 5; i++) {
        const place = positionIn(layout, [i, j]);
        expect(place).toBeLessThan(layout.size);
        if (arrow.bits[i + 5 * j] === 1) places.add(place);
        else if (layout.kind !== 'dense') expect(place).toBe(-1);
      }
    expect(places.size).toBe(7);
    expect(places.has(-1)).toBe(false);
  }
});

test('what is sparse is the right operand; elsewhere it is copied first', () => {
  const K = tensor('K', [5, 4], { pattern: arrow, layout: 'csc' });
  const plan = (assignment: Assignment): Plan => {
    const result = planKernel(kernel('k', assignment), { type: 'f64' });
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
    return result.right;
  };
  const right = plan(tensor('C', [6, 4])('ij').assign(tensor('A', [6, 5])('ik').mul(K('kj'))));
  expect(printActions(right.actions)).toBe('C = LoopOverGEMM(A, K)');
  expect(right.actions[0]).toMatchObject({
    operation: { gemm: { m: 6, n: 3, k: 3, b: { kind: 'sparse', rows: Int32Array.of(0, 1, 2, 0, 1, 0, 2) } } },
  });
  const left = plan(tensor('C', [5, 6])('ij').assign(K('ik').mul(tensor('A', [4, 6])('kj'))));
  expect(printActions(left.actions)).toBe('_tmp0 = K\nC = LoopOverGEMM(_tmp0, A)');
});

test('rows of padding may be overwritten where the result has them', () => {
  const declare = (name: string, shape: readonly number[]) => tensor(name, shape, { layout: 'aligned' });
  const decl = kernel(
    'k',
    declare('C', [7, 3])('ij').assign(declare('A', [7, 5])('ik').mul(tensor('B', [5, 3])('kj'))),
  );
  const result = planKernel(decl, { type: 'f64' });
  expect(E.isRight(result) && result.right.actions[0].operation).toMatchObject({ gemm: { m: 7, mPadded: 8 } });
});
