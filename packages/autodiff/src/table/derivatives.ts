import { structures } from './structures.js';
import type { Choice, Derivative, DerivativeTable, Tame, TimesPartials } from './derivative.js';

const rule = (times: TimesPartials) => ({ is: 'rule', times }) as const;
const choice = (arms: Choice['arms'], first: Choice['first']): Derivative & { readonly is: 'rule' } => ({
  is: 'rule',
  choice: { arms, first },
  times: (s, seed, _r, ...operands) => {
    const condition = first(s, ...operands);
    return operands.map((_, k) =>
      k === arms[0] ? s.select(condition, seed, 0) : k === arms[1] ? s.select(condition, 0, seed) : undefined,
    );
  },
});
const zero = (why: string) => ({ is: 'zero', why }) as const;
const tame = (row: Derivative & { readonly is: 'rule' | 'zero' }, tame: Tame = true): Derivative => ({ ...row, tame });
const steady = (row: Derivative & { readonly is: 'rule' }): Derivative => ({ ...row, tame: true, steady: true });

const steps = zero('its result changes in steps, and does not change between them');
const whole = zero('it works on integers or truth values, which do not change by a little');

const lanes: Derivative = {
  is: 'refused',
  why: 'it works on the lanes of a vector',
  remedy: 'take derivatives first, and put the kernel on lanes after',
};

/**
 * The one table of derivatives, by the name of the op. Rules are about floats: of integers and truth values nothing has a derivative. That of `cast` is the seed,
 * which whoever has types brings to that of the operand, and so is that of `fround`: what rounding does is left out, as it is of all operations.
 *
 * Kinks: `min` and `max` of equal operands follow the first; `abs` has the
 * derivative 0 at 0; `sqrt`, `hypot` and `atan2` have 0 where theirs is infinite or undefined, which is at the origin, so that the
 * length of a vector that happens to be zero has a gradient; `pow` by its exponent has 0 at base 0.
 */
export const derivatives: DerivativeTable = {
  'arith.add': steady(rule((_s, seed) => [seed, seed])),
  'arith.sub': steady(rule((s, seed) => [seed, s.neg(seed)])),
  'arith.mul': tame(rule((s, seed, _r, a, b) => [s.mul(seed, b), s.mul(seed, a)])),
  'arith.div': tame(
    rule((s, seed, r, _a, b) => {
      const byA = s.div(seed, b);
      return [byA, s.neg(s.mul(byA, r))];
    }),
    (_a, b) => b !== undefined && b !== 0,
  ),
  'arith.rem': rule((s, seed, _r, a, b) => [seed, s.neg(s.mul(seed, s.trunc(s.div(a, b))))]),
  'arith.neg': steady(rule((s, seed) => [s.neg(seed)])),
  'arith.min': steady(choice([0, 1], (s, a, b) => s.le(a, b))),
  'arith.max': steady(choice([0, 1], (s, a, b) => s.ge(a, b))),
  'arith.select': steady(choice([1, 2], (_s, condition) => condition)),

  'math.sqrt': rule((s, seed, r) => [s.select(s.gt(r, 0), s.div(s.mul(seed, 0.5), r), 0)]),
  'math.rsqrt': rule((s, seed, r) => [s.mul(s.mul(seed, -0.5), s.mul(r, s.mul(r, r)))]),
  'math.cbrt': rule((s, seed, r) => [s.div(seed, s.mul(3, s.mul(r, r)))]),
  'math.abs': tame(rule((s, seed, _r, a) => [s.mul(seed, s.sign(a))])),
  'math.sin': tame(rule((s, seed, _r, a) => [s.mul(seed, s.cos(a))])),
  'math.cos': tame(rule((s, seed, _r, a) => [s.neg(s.mul(seed, s.sin(a)))])),
  'math.tan': rule((s, seed, r) => [s.mul(seed, s.add(1, s.mul(r, r)))]),
  'math.asin': rule((s, seed, _r, a) => [s.mul(seed, s.rsqrt(s.sub(1, s.mul(a, a))))]),
  'math.acos': rule((s, seed, _r, a) => [s.neg(s.mul(seed, s.rsqrt(s.sub(1, s.mul(a, a)))))]),
  'math.atan': tame(rule((s, seed, _r, a) => [s.div(seed, s.add(1, s.mul(a, a)))])),
  'math.atan2': rule((s, seed, _r, y, x) => {
    const square = s.add(s.mul(y, y), s.mul(x, x));
    const there = s.gt(square, 0);
    const by = (v: typeof seed): typeof seed => s.select(there, s.div(s.mul(seed, v), square), 0);
    return [by(x), s.neg(by(y))];
  }),
  'math.sinh': rule((s, seed, _r, a) => [s.mul(seed, s.cosh(a))]),
  'math.cosh': rule((s, seed, _r, a) => [s.mul(seed, s.sinh(a))]),
  'math.tanh': tame(rule((s, seed, r) => [s.mul(seed, s.sub(1, s.mul(r, r)))])),
  'math.exp': rule((s, seed, r) => [s.mul(seed, r)]),
  'math.expm1': rule((s, seed, r) => [s.mul(seed, s.add(r, 1))]),
  'math.log': rule((s, seed, _r, a) => [s.div(seed, a)]),
  'math.log1p': rule((s, seed, _r, a) => [s.div(seed, s.add(1, a))]),
  'math.log2': rule((s, seed, _r, a) => [s.div(s.mul(seed, Math.LOG2E), a)]),
  'math.log10': rule((s, seed, _r, a) => [s.div(s.mul(seed, Math.LOG10E), a)]),
  'math.pow': tame(
    rule((s, seed, r, a, b) => [
      s.select(s.eq(b, 0), 0, s.mul(seed, s.mul(b, s.pow(a, s.sub(b, 1))))),
      s.select(s.eq(a, 0), 0, s.mul(seed, s.mul(r, s.log(a)))),
    ]),
    (_a, b) => Number.isInteger(b) && b! >= 0,
  ),
  'math.hypot': rule((s, seed, r, a, b) => {
    const by = (v: typeof seed): typeof seed => s.select(s.gt(r, 0), s.div(s.mul(seed, v), r), 0);
    return [by(a), by(b)];
  }),
  'math.asinh': rule((s, seed, _r, a) => [s.div(seed, s.hypot(1, a))]),
  'math.acosh': rule((s, seed, _r, a) => [s.div(seed, s.mul(s.sqrt(s.sub(a, 1)), s.sqrt(s.add(a, 1))))]),
  'math.atanh': rule((s, seed, _r, a) => [s.div(seed, s.mul(s.sub(1, a), s.add(1, a)))]),
  'math.fround': steady(rule((_s, seed) => [seed])),
  'math.fma': tame(rule((s, seed, _r, a, b) => [s.mul(seed, b), s.mul(seed, a), seed])),

  'math.floor': tame(steps),
  'math.ceil': tame(steps),
  'math.round': tame(steps),
  'math.trunc': tame(steps),
  'math.sign': tame(steps),
  'arith.cmp': steps,
  'arith.and': whole,
  'arith.or': whole,
  'arith.xor': whole,
  'arith.not': whole,
  'arith.shl': whole,
  'arith.shr': whole,
  'arith.iota': whole,
  'arith.constant': tame(zero('a constant depends on nothing')),
  'arith.cast': steady(rule((_s, seed) => [seed])),
  'arith.splat': lanes,
  'arith.extract': lanes,
  'arith.insert': lanes,
  'arith.reduce': lanes,
  'arith.bitcast': {
    is: 'refused',
    why: 'bits of a number have no derivative',
    remedy: 'compute with the number itself, or give the function that does this a derivative of its own',
  },

  ...structures,
};
