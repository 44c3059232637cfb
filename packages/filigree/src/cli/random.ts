/** Repeatable numbers, uniform in [-1, 1). */
export const randomValues = (n: number, seed: number): Float64Array => {
  let state = (seed * 0x9e3779b9) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return Float64Array.from({ length: n }, () => 2 * next() - 1);
};
