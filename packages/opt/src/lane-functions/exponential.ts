import type { Value } from '@filigree/ir';
import type { Lanes } from './lanes.js';

/* ln 2 in two parts, of which the first has so few bits that its product with an exponent is exact. */
const LN2_HIGH = 0.693359375;
const LN2_LOW = -2.1219444005469057e-4;

/** eˣ = 2ⁿ·eʳ with |r| ≤ ½ ln 2. */
export const exp = (x: Value, l: Lanes): Value => {
  const { b, float, polynomial } = l;
  /* Beyond, it is 0 or infinite. */
  const within = b.min(b.max(x, float(-105)), float(89));
  const n = b.math('floor', b.add(b.mul(within, float(Math.LOG2E)), float(0.5)));
  const r = b.sub(b.sub(within, b.mul(n, float(LN2_HIGH))), b.mul(n, float(LN2_LOW)));
  const tail = polynomial(r, [0.5, 0.16666665673, 0.041666280478, 0.0083335041999, 0.0013945752289, 1.978926157e-4]);
  return scaled(b.add(b.add(b.mul(tail, b.mul(r, r)), r), float(1)), n, l);
};

/** x·2ⁿ in two steps: 2ⁿ may have no exponent of its own. */
const scaled = (x: Value, n: Value, { b, word, fromBits }: Lanes): Value => {
  const whole = b.cast(n, 'i32');
  const half = b.shr(whole, word(1));
  const power = (e: Value): Value => fromBits(b.shl(b.add(e, word(127)), word(23)));
  return b.mul(b.mul(x, power(half)), power(b.sub(whole, half)));
};

/** x = 2ᵉ·(1 + f) with √½ ≤ 1 + f < √2, of x above 0. */
const decomposed = (x: Value, { b, float, word, bits, fromBits }: Lanes): { readonly e: Value; readonly f: Value } => {
  const small = b.cmp('lt', x, float(2 ** -126));
  const normal = bits(b.select(small, b.mul(x, float(2 ** 23)), x));
  const e = b.shr(b.sub(normal, word(0x3f3504f3)), word(23));
  const f = b.sub(fromBits(b.sub(normal, b.shl(e, word(23)))), float(1));
  return { e: b.cast(b.sub(e, b.select(small, word(23), word(0))), 'f32'), f };
};

/** log(1 + f) - f. */
const logTail = (f: Value, { b, float, polynomial }: Lanes): Value => {
  const square = b.mul(f, f);
  const tail = polynomial(
    f,
    [
      0.33333313465, -0.25000008941, 0.20002119243, -0.16667996347, 0.14219552279, -0.12405589223, 0.11888162792,
      -0.11675651371, 0.067466385663,
    ],
  );
  return b.sub(b.mul(b.mul(square, f), tail), b.mul(square, float(0.5)));
};

/** What a logarithm is where x is not a number above 0. */
const ofAll = (x: Value, log: Value, { b, float }: Lanes): Value => {
  const other = b.select(b.cmp('eq', x, float(0)), float(-Infinity), float(NaN));
  return b.select(b.cmp('gt', x, float(0)), b.select(b.cmp('eq', x, float(Infinity)), x, log), other);
};

export const log = (x: Value, l: Lanes): Value => {
  const { b, float } = l;
  const { e, f } = decomposed(x, l);
  const low = b.add(logTail(f, l), b.mul(e, float(LN2_LOW)));
  return ofAll(x, b.add(b.add(low, f), b.mul(e, float(LN2_HIGH))), l);
};

/** Exact for powers of two. */
export const log2 = (x: Value, l: Lanes): Value => {
  const { b, float } = l;
  const { e, f } = decomposed(x, l);
  const tail = logTail(f, l);
  /* log₂ e = 1 + 0.4427…: the product with 1 is exact. */
  const rest = b.mul(b.add(f, tail), float(Math.LOG2E - 1));
  return ofAll(x, b.add(b.add(b.add(rest, tail), f), e), l);
};

/** (e²ˣ - 1) ÷ (e²ˣ + 1), and near 0 a series. */
export const tanh = (x: Value, l: Lanes): Value => {
  const { b, float, polynomial, withSign } = l;
  const a = b.math('abs', x);
  const far = b.sub(float(1), b.div(float(2), b.add(exp(b.add(a, a), l), float(1))));
  const z = b.mul(x, x);
  const tail = polynomial(z, [-0.33333280683, 0.13331373036, -0.053733699024, 0.020618628711, -0.0056812870316]);
  const near = b.add(x, b.mul(b.mul(x, z), tail));
  return b.select(b.cmp('lt', a, float(0.625)), near, withSign(far, x));
};

/**
 * xʸ = 2^(y·log₂ x), of x and y as `isOrdinary` says. The logarithm is found in f64, since an error of it grows with the exponent of the
 * result.
 */
export const pow = (x: Value, y: Value, l: Lanes): Value => {
  const { b, float, double, polynomial } = l;
  const { e, f } = decomposed(x, l);
  const wide = (v: Value): Value => b.cast(v, 'f64');
  const s = b.div(wide(f), b.add(wide(f), double(2)));
  const z = b.mul(s, s);
  const tail = polynomial(z, [0.333333328143542, 0.20000169660795097, 0.1426851346018839, 0.11793914094594062]);
  const natural = b.add(s, b.mul(b.mul(s, z), tail));
  const power = b.mul(b.add(b.mul(natural, double(2 * Math.LOG2E)), wide(e)), wide(y));
  /* Beyond, it is 0 or infinite. */
  const within = b.min(b.max(power, double(-160)), double(130));
  const n = b.math('floor', b.add(within, double(0.5)));
  const r = b.cast(b.sub(within, n), 'f32');
  const rest = polynomial(
    r,
    [0.69314718246, 0.24022647738, 0.055503293872, 0.0096184499562, 0.0013400170719, 1.535231713e-4],
  );
  const result = scaled(b.add(b.mul(rest, r), float(1)), b.cast(n, 'f32'), l);
  return b.select(b.cmp('eq', x, float(0)), float(0), result);
};

/** Whether that says what a power is: of a positive number, or of 0 by a positive one, and neither infinite. */
export const isOrdinary = (x: Value, y: Value, { b, float }: Lanes): Value => {
  const positive = b.or(b.cmp('gt', x, float(0)), b.and(b.cmp('eq', x, float(0)), b.cmp('gt', y, float(0))));
  const finite = (v: Value): Value => b.cmp('lt', v, float(Infinity));
  return b.and(positive, b.and(finite(x), finite(b.math('abs', y))));
};
