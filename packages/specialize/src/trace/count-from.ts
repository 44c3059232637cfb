/** `first, first + 1, …`: `length` numbers. */
export const countFrom = (first: number, length: number): Int32Array => {
  const out = new Int32Array(length);
  for (let i = 0; i < length; i++) out[i] = first + i;
  return out;
};
