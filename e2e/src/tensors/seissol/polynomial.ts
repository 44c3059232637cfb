/** A polynomial in up to three variables with whole coefficients: x^i y^j z^k has the key i + 32j + 1024k. */
export type Polynomial = ReadonlyMap<number, bigint>;

/** c₀ + c₁x + c₂y + c₃z. */
export const linear = (c0: number, ...c: readonly number[]): Polynomial => {
  const terms = new Map<number, bigint>();
  if (c0 !== 0) terms.set(0, BigInt(c0));
  c.forEach((factor, d) => factor !== 0 && terms.set(BASE ** d, BigInt(factor)));
  return terms;
};

export const plus = (a: Polynomial, b: Polynomial, factor = 1n): Polynomial => {
  const sum = new Map(a);
  for (const [key, c] of b) sum.set(key, (sum.get(key) ?? 0n) + factor * c);
  return nonzero(sum);
};

export const times = (a: Polynomial, b: Polynomial): Polynomial => {
  const product = new Map<number, bigint>();
  for (const [k, c] of a) for (const [l, d] of b) product.set(k + l, (product.get(k + l) ?? 0n) + c * d);
  return nonzero(product);
};

export const power = (a: Polynomial, n: number): Polynomial => {
  let result = linear(1);
  for (let i = 0; i < n; i++) result = times(result, a);
  return result;
};

/** The derivative by variable `d`. */
export const derivative = (a: Polynomial, d: number): Polynomial => {
  const result = new Map<number, bigint>();
  for (const [key, c] of a) {
    const exponent = exponentOf(key, d);
    if (exponent > 0) result.set(key - BASE ** d, c * BigInt(exponent));
  }
  return result;
};

/** The exponent of variable `d` in a term. */
export const exponentOf = (key: number, d: number): number => Math.floor(key / BASE ** d) % BASE;

/** The value at a point, in floating point. */
export const valueAt = (a: Polynomial, point: readonly number[]): number => {
  let sum = 0;
  for (const [key, c] of a) sum += point.reduce((term, x, d) => term * x ** exponentOf(key, d), Number(c));
  return sum;
};

const BASE = 32;

const nonzero = (a: Map<number, bigint>): Polynomial => {
  for (const [key, c] of a) if (c === 0n) a.delete(key);
  return a;
};
