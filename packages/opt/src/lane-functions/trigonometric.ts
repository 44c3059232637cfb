import type { Value } from '@filigree/ir';
import type { Lanes } from './lanes.js';

/** π/2 in parts, of which all but the last have so few bits that their product with `MOST` quarters is exact. */
const QUARTER = [1.5703125, 4.83751296997e-4, 7.54953362047672e-8, 2.5633440682e-12];

/** Up to here. */
const MOST = 8192;

interface Turned {
  /** The sine and cosine of what is left when quarters of a turn are taken off. */
  readonly sine: Value;
  readonly cosine: Value;
  readonly quarters: Value;
}

const turned = (x: Value, { b, float, polynomial }: Lanes): Turned => {
  const n = b.math('floor', b.add(b.mul(x, float(2 / Math.PI)), float(0.5)));
  const r = QUARTER.reduce((left, part) => b.sub(left, b.mul(n, float(part))), x);
  const z = b.mul(r, r);
  return {
    sine: b.add(
      r,
      b.mul(b.mul(r, z), polynomial(z, [-0.16666667163, 0.0083333291113, -1.9839232846e-4, 2.7173666695e-6])),
    ),
    cosine: b.add(
      b.sub(float(1), b.mul(z, float(0.5))),
      b.mul(b.mul(z, z), polynomial(z, [0.04166666791, -0.0013888883404, 2.4799372113e-5, -2.719862664e-7])),
    ),
    quarters: b.cast(n, 'i32'),
  };
};

/** Whether a number is near enough to 0 for that. */
export const isNear = (x: Value, { b, float }: Lanes): Value => b.cmp('lt', b.math('abs', x), float(MOST));

/** The sine of a number that is `ahead` quarters of a turn further on. */
const sineAfter = (x: Value, ahead: number, l: Lanes): Value => {
  const { b, word, bits, fromBits } = l;
  const { sine, cosine, quarters } = turned(x, l);
  const at = ahead === 0 ? quarters : b.add(quarters, word(ahead));
  const value = b.select(b.cmp('eq', b.and(at, word(1)), word(0)), sine, cosine);
  return fromBits(b.xor(bits(value), b.shl(b.and(at, word(2)), word(30))));
};

export const sin = (x: Value, l: Lanes): Value => sineAfter(x, 0, l);
export const cos = (x: Value, l: Lanes): Value => sineAfter(x, 1, l);

export const tan = (x: Value, l: Lanes): Value => {
  const { b, word } = l;
  const { sine, cosine, quarters } = turned(x, l);
  const even = b.cmp('eq', b.and(quarters, word(1)), word(0));
  return b.div(b.select(even, sine, b.neg(cosine)), b.select(even, cosine, sine));
};
