/**
 * Arithmetic of the three prime fields in which the algebraic hash evaluates an expression at a random point
 * (expression-tree paper, §4.1.2 and App. A). The primes lie below 2²⁶, so a product of two residues is exact in a
 * double; three lanes make 78 bits, so that among 5·10⁷ nodes a false match has probability below 10⁻⁸.
 */
export const P0 = 67108859;
export const P1 = 67108837;
export const P2 = 67108819;
/** The lane that the collision check adds. */
export const P3 = 67108777;
const I0 = 1 / P0;
const I1 = 1 / P1;
const I2 = 1 / P2;
const I3 = 1 / P3;

export type Lane = 0 | 1 | 2 | 3;
const prime = (lane: Lane): number => [P0, P1, P2, P3][lane];

/** a·b mod p of residues: the quotient is right but for one, and the rest fits a word, whatever is lost above it. */
const mul = (a: number, b: number, p: number, inverse: number): number => {
  const q = (a * b * inverse) | 0;
  const r = (Math.imul(a, b) - Math.imul(q, p)) | 0;
  return r < 0 ? r + p : r >= p ? r - p : r;
};

export const mul0 = (a: number, b: number): number => mul(a, b, P0, I0);
export const mul1 = (a: number, b: number): number => mul(a, b, P1, I1);
export const mul2 = (a: number, b: number): number => mul(a, b, P2, I2);
export const mul3 = (a: number, b: number): number => mul(a, b, P3, I3);
const mulOf = (lane: Lane): ((a: number, b: number) => number) => [mul0, mul1, mul2, mul3][lane];

/** A sum of two residues as one; without a branch, which would be taken at random. */
export const wrap = (sum: number, p: number): number => lower(sum - p, p);

/** A difference of two residues as one. */
export const lower = (difference: number, p: number): number => difference + ((difference >> 31) & p);

/** a⁻¹ in lane `lane`, by the extended Euclidean algorithm; a must not be 0. All numbers stay below the prime. */
export const inverse = (a: number, lane: Lane): number => {
  const p = prime(lane);
  let [r0, r1] = [p | 0, a | 0];
  let [t0, t1] = [0, 1];
  while (r1 !== 0) {
    const q = (r0 / r1) | 0;
    const r = r0 - Math.imul(q, r1);
    r0 = r1;
    r1 = r;
    const t = t0 - Math.imul(q, t1);
    t0 = t1;
    t1 = t;
  }
  return t0 < 0 ? t0 + p : t0;
};

const power = (base: number, exponent: number, lane: Lane): number => {
  const times = mulOf(lane);
  let result = 1;
  let b = base;
  for (let e = exponent; e > 0; e = Math.floor(e / 2)) {
    if (e % 2 === 1) result = times(result, b);
    b = times(b, b);
  }
  return result;
};

/**
 * The residue of a finite double. Doubles are dyadic rationals, so this is exact: ½ + ½ hashes as 1 does, and an
 * integer hashes as itself.
 */
export const residue = (value: number, lane: Lane): number => {
  const p = prime(lane);
  if (Number.isSafeInteger(value)) return ((value % p) + p) % p;
  let mantissa = Math.abs(value);
  let exponent = 0;
  while (!Number.isSafeInteger(mantissa)) {
    if (mantissa >= 2 ** 53) {
      mantissa /= 2;
      exponent++;
    } else {
      mantissa *= 2;
      exponent--;
    }
  }
  const times = mulOf(lane);
  const scale = exponent >= 0 ? power(2, exponent, lane) : inverse(power(2, -exponent, lane), lane);
  const r = times(mantissa % p, scale);
  return value < 0 && r !== 0 ? p - r : r;
};

/** A 32-bit mixing of two words (Murmur finaliser over a multiply-add), for hashes that are not algebraic. */
export const mix = (a: number, b: number): number => {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
};

/** A residue from a hash word; integer arithmetic only, since `%` of an unsigned word is a call in V8. */
export const residueOfWord = (word: number, p: number): number => {
  const r = word >>> 6;
  return r >= p ? r - p : r;
};
