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

/** Polynomials as a function of the point, in floating point. */
export const evaluator = (all: readonly Polynomial[]): ((point: readonly number[]) => Float64Array) => {
  const degree = Math.max(
    0,
    ...all.flatMap((p) => [...p.keys()].flatMap((key) => [0, 1, 2].map((d) => exponentOf(key, d)))),
  );
  const terms = all.map((p) =>
    [...p].map(([key, c]) => ({ c: Number(c), i: exponentOf(key, 0), j: exponentOf(key, 1), k: exponentOf(key, 2) })),
  );
  return ([x, y, z = 1]) => {
    const [xs, ys, zs] = [x, y, z].map((v) => powers(v, degree));
    return Float64Array.from(terms, (p) => {
      let sum = 0;
      for (const { c, i, j, k } of p) sum += c * xs[i] * ys[j] * zs[k];
      return sum;
    });
  };
};

const powers = (x: number, degree: number): Float64Array => {
  const result = new Float64Array(degree + 1).fill(1);
  for (let i = 1; i <= degree; i++) result[i] = result[i - 1] * x;
  return result;
};

const BASE = 32;

const nonzero = (a: Map<number, bigint>): Polynomial => {
  for (const [key, c] of a) if (c === 0n) a.delete(key);
  return a;
};
