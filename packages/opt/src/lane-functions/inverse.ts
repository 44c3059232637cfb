import type { Value } from '@filigree/ir';
import type { Lanes } from './lanes.js';

/** The angle whose tangent is `t`, from 0 to 1. */
const upToEighth = (t: Value, { b, float, polynomial }: Lanes): Value => {
  const far = b.cmp('gt', t, float(Math.SQRT2 - 1));
  const near = b.select(far, b.div(b.sub(t, float(1)), b.add(t, float(1))), t);
  const z = b.mul(near, near);
  const tail = polynomial(z, [-0.33333316445, 0.19998465478, -0.14243422449, 0.1059294641, -0.060759160668]);
  const angle = b.add(near, b.mul(b.mul(near, z), tail));
  return b.select(far, b.add(float(Math.PI / 4), angle), angle);
};

export const atan = (x: Value, l: Lanes): Value => {
  const { b, float, withSign } = l;
  const a = b.math('abs', x);
  const steep = b.cmp('gt', a, float(1));
  const angle = upToEighth(b.select(steep, b.div(float(1), a), a), l);
  return withSign(b.select(steep, b.sub(float(Math.PI / 2), angle), angle), x);
};

export const atan2 = (y: Value, x: Value, l: Lanes): Value => {
  const { b, float, word, bits, withSign } = l;
  const [height, width] = [b.math('abs', y), b.math('abs', x)];
  const [most, least] = [b.max(height, width), b.min(height, width)];
  /* Two zeros and two infinities have no quotient. */
  const equal = b.select(b.cmp('eq', most, float(0)), float(0), float(1));
  const angle = upToEighth(b.select(b.cmp('eq', least, most), equal, b.div(least, most)), l);
  const first = b.select(b.cmp('gt', height, width), b.sub(float(Math.PI / 2), angle), angle);
  return withSign(b.select(b.cmp('lt', bits(x), word(0)), b.sub(float(Math.PI), first), first), y);
};

/** The angle whose sine is `s`, from 0 to ½, and `s` squared. */
const uptoHalf = (s: Value, square: Value, { b, polynomial }: Lanes): Value => {
  const tail = polynomial(
    square,
    [0.16666659713, 0.075005054474, 0.044516708702, 0.031809911132, 0.014429837465, 0.037529382855],
  );
  return b.add(s, b.mul(b.mul(s, square), tail));
};

/** The parts of both: whether |x| is above ½, and the angle whose sine is |x| there or else √((1 - |x|) ÷ 2). */
const sineOf = (x: Value, l: Lanes): { readonly far: Value; readonly angle: Value } => {
  const { b, float } = l;
  const a = b.math('abs', x);
  const far = b.cmp('gt', a, float(0.5));
  const square = b.select(far, b.mul(b.sub(float(1), a), float(0.5)), b.mul(a, a));
  return { far, angle: uptoHalf(b.select(far, b.math('sqrt', square), a), square, l) };
};

export const asin = (x: Value, l: Lanes): Value => {
  const { b, float, withSign } = l;
  const { far, angle } = sineOf(x, l);
  return withSign(b.select(far, b.sub(float(Math.PI / 2), b.add(angle, angle)), angle), x);
};

export const acos = (x: Value, l: Lanes): Value => {
  const { b, float, withSign } = l;
  const { far, angle } = sineOf(x, l);
  const twice = b.add(angle, angle);
  const outer = b.select(b.cmp('gt', x, float(0)), twice, b.sub(float(Math.PI), twice));
  return b.select(far, outer, b.sub(float(Math.PI / 2), withSign(angle, x)));
};

/** Without a square that is too large or too small. */
export const hypot = (x: Value, y: Value, { b, float }: Lanes): Value => {
  const [p, q] = [b.math('abs', x), b.math('abs', y)];
  const [most, least] = [b.max(p, q), b.min(p, q)];
  /* Two zeros have no quotient, and with an infinity beside it nothing else matters, not even NaN. */
  const ratio = b.select(b.cmp('eq', most, float(0)), float(0), b.div(least, most));
  const length = b.mul(most, b.math('sqrt', b.add(float(1), b.mul(ratio, ratio))));
  const endless = b.or(b.cmp('eq', p, float(Infinity)), b.cmp('eq', q, float(Infinity)));
  return b.select(endless, float(Infinity), length);
};
