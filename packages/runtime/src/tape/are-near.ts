import type { ScalarType } from '@filigree/ir';

/** Whether values of a field differ by no more than rounding in another order does: so little, relative to the largest of them. */
export const areNear = (
  type: ScalarType,
  a: ArrayLike<number | bigint>,
  b: ArrayLike<number | bigint>,
  placeInB: (n: number) => number = (n) => n,
): boolean => {
  const relative = type === 'f64' ? 1e-6 : 1e-2;
  let largest = 1e-300;
  for (let k = 0; k < a.length; k++) largest = Math.max(largest, Math.abs(Number(a[k])));
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [Number(a[k]), Number(b[placeInB(k)])];
    if (!(Object.is(x, y) || Math.abs(x - y) <= largest * relative)) return false;
  }
  return true;
};
