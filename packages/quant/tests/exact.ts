/**
 * What formats are to mean, in exact arithmetic: their numbers in order, and between each two the threshold from which on a number is
 * stored as the one further from zero. All are n · 2ᵉ with a bigint n.
 */
export interface Dyadic {
  readonly n: bigint;
  readonly e: number;
}

export type Float = 'f32' | 'f64';

/** A number of a format of at most 32 bits, and its code. */
export interface Coded {
  readonly value: Dyadic;
  readonly code: number;
}

/** A format's numbers, ascending, and thresholds: `thresholds[k]` lies between numbers k and k + 1. */
export interface Numbers {
  readonly coded: readonly Coded[];
  readonly thresholds: readonly Dyadic[];
}

/** The numbers of fixed(bits, range) from the code `from` on, ascending. */
export const fixedNumbers = (bits: number, range: number, signed: boolean, from = 0, count = 2 ** bits): Numbers => {
  const r = dyadic(range);
  const half = signed ? 2 ** (bits - 1) : 0;
  const e = r.e - bits + (signed ? 1 : 0);
  const coded = Array.from({ length: count }, (_, k) => {
    const steps = from + k - half;
    return { value: { n: BigInt(steps) * r.n, e }, code: (steps + 4 * 2 ** bits) % 2 ** bits };
  });
  return { coded, thresholds: coded.slice(1).map((c, k) => middle(coded[k].value, c.value)) };
};

/** The steps of fixed(bits, range) nearest to a finite number, halves away from zero. */
export const stepsOf = (x: number, bits: number, range: number, signed: boolean): bigint => {
  if (x < 0) return -stepsOf(-x, bits, range, signed);
  const r = dyadic(range);
  const [value, step] = aligned(dyadic(x), { n: r.n, e: r.e - bits + (signed ? 1 : 0) });
  return value / step + (2n * (value % step) >= step ? 1n : 0n);
};

/** The numbers of float(exponent, fraction) that a type holds. */
export const floatNumbers = (exponent: number, fraction: number, signed: boolean, type: Float): Numbers => {
  const bias = 2 ** (exponent - 1) - 1;
  const largest = type === 'f32' ? 127 : 1023;
  const positive: Coded[] = [];
  for (let e = 1; e < 2 ** exponent && e - bias <= largest; e++)
    for (let f = 0; f < 2 ** fraction; f++)
      positive.push({
        value: { n: BigInt(2 ** fraction + f), e: e - bias - fraction },
        code: e * 2 ** fraction + f,
      });
  const above = positive.slice(1).map((c, k) => middle(positive[k].value, c.value));
  /* The least number's predecessor, were there one, would be half a step of its own below. */
  const least = positive[0].value;
  const flushed = middle({ n: 2n * least.n - 1n, e: least.e - 1 }, least);
  const up = { coded: [{ value: dyadic(0), code: 0 }, ...positive], thresholds: [flushed, ...above] };
  if (!signed) return up;
  const sign = 2 ** (exponent + fraction);
  return {
    coded: [...positive.map((c) => ({ value: negative(c.value), code: c.code + sign })).reverse(), ...up.coded],
    thresholds: [...up.thresholds.map(negative).reverse(), ...up.thresholds],
  };
};

/** The largest number of a type that is not above this one, and whether it is this one. It is normal, or zero. */
export const floorOf = (x: Dyadic, type: Float): { readonly down: number; readonly same: boolean } => {
  if (x.n < 0n) {
    const { down, same } = floorOf(negative(x), type);
    return { down: same ? -down : -next(down, type), same };
  }
  const over = bitLength(x.n) - (type === 'f32' ? 24 : 53);
  if (over <= 0) return { down: Number(x.n) * 2 ** x.e, same: true };
  const kept = x.n >> BigInt(over);
  return { down: Number(kept) * 2 ** (x.e + over), same: kept << BigInt(over) === x.n };
};

/** The number of a type that is nearest, of two the even one; a normal number, or zero. */
export const nearestOf = (x: Dyadic, type: Float): number => {
  const { down, same } = floorOf(x, type);
  if (same) return down;
  const up = next(down, type);
  const [twice, sum] = aligned({ n: 2n * x.n, e: x.e }, middle2(dyadic(down), dyadic(up)));
  return twice < sum || (twice === sum && isEven(down, type)) ? down : up;
};

/** The next larger number of a type. */
export const next = (x: number, type: Float): number => {
  if (x === 0) return type === 'f32' ? 2 ** -149 : 2 ** -1074;
  if (type === 'f32') {
    float32[0] = x;
    int32[0] += x > 0 ? 1 : -1;
    return float32[0];
  }
  float64[0] = x;
  int64[0] += x > 0 ? 1n : -1n;
  return float64[0];
};

export const previous = (x: number, type: Float): number => -next(-x, type);

const [float32, float64] = [new Float32Array(1), new Float64Array(1)];
const [int32, int64] = [new Int32Array(float32.buffer), new BigInt64Array(float64.buffer)];

const isEven = (x: number, type: Float): boolean => {
  if (type === 'f32') {
    float32[0] = x;
    return int32[0] % 2 === 0;
  }
  float64[0] = x;
  return int64[0] % 2n === 0n;
};

/** A finite float as it is, by its bits: a loop over its exponent would take most of the time of the tests. */
const dyadic = (x: number): Dyadic => {
  if (Number.isSafeInteger(x)) return { n: BigInt(x), e: 0 };
  float64[0] = x;
  const exponent = Number((int64[0] >> 52n) & 0x7ffn);
  const digits = (int64[0] & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  return { n: x < 0 ? -digits : digits, e: Math.max(exponent, 1) - 1075 };
};

const aligned = (a: Dyadic, b: Dyadic): readonly [bigint, bigint] => {
  if (a.e === b.e) return [a.n, b.n];
  const e = Math.min(a.e, b.e);
  return [a.n << BigInt(a.e - e), b.n << BigInt(b.e - e)];
};

const middle2 = (a: Dyadic, b: Dyadic): Dyadic => {
  const [x, y] = aligned(a, b);
  return { n: x + y, e: Math.min(a.e, b.e) };
};

const middle = (a: Dyadic, b: Dyadic): Dyadic => {
  const { n, e } = middle2(a, b);
  return { n, e: e - 1 };
};

const negative = ({ n, e }: Dyadic): Dyadic => ({ n: -n, e });

/** Of a natural number: of one that a float holds, its exponent tells. */
const bitLength = (n: bigint): number => {
  if (n === 0n) return 0;
  if (n >> 53n !== 0n) return 53 + bitLength(n >> 53n);
  float64[0] = Number(n);
  return Number(int64[0] >> 52n) - 1022;
};
