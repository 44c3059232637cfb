/** The largest difference at some elements, over the largest value there; each element has `count` numbers. */
export const relativeDifference = (
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  elements: readonly number[],
  count: number,
): number => {
  let [apart, largest] = [0, 0];
  for (const e of elements)
    for (let i = e * count; i < (e + 1) * count; i++) {
      const difference = Math.abs(found[i] - expected[i]);
      // Not a number is as far away as can be.
      apart = Number.isNaN(difference) ? Infinity : Math.max(apart, difference);
      largest = Math.max(largest, Math.abs(expected[i]));
    }
  return apart / largest;
};
