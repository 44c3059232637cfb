/** Arrays one after the other. */
export const inARow = <T extends Int32Array | Float64Array>(
  arrays: readonly T[],
  make: new (length: number) => T,
): T => {
  const all = new make(arrays.reduce((n, a) => n + a.length, 0));
  let at = 0;
  for (const a of arrays) {
    all.set(a, at);
    at += a.length;
  }
  return all;
};
