import { scalarOf, type Builder, type Value } from '@filigree/ir';
import { emitExactHalves, significand } from './exact-halves.js';
import { ieeeOf } from './ieee.js';
import { asFloat, countsFromHalves, countsInLowestBits, halfAway } from './rounding.js';
import type { Scale } from './scale.js';

/**
 * The number of steps that is nearest to a value, halves away from zero, of whatever size: sums count it modulo all codes. None for
 * what is no number, and for what is so large that its neighbours in the type are about as far off as all codes are: nobody knows where among
 * the codes such a number would be.
 */
export const addendOf = (value: number, scale: Scale): bigint => {
  const size = Math.abs(value);
  if (!(size < mostOf(scale))) return 0n;
  const [x, step] = [significand(size), significand(scale.step)];
  const least = Math.min(x.exponent, step.exponent);
  const twice = x.digits << BigInt(x.exponent - least + 1);
  const one = step.digits << BigInt(step.exponent - least);
  const steps = (twice + one) / (2n * one);
  return value < 0 ? -steps : steps;
};

/**
 * The same as ops, an integer of which the lowest bits count. What is too large is told from bits, and whole turns of all codes are taken away before steps are
 * counted, all of it exactly; where nothing is to be taken away a choice keeps what compilers make of it apart from what follows.
 */
export const emitAddend = (b: Builder, value: Value, scale: Scale): Value => {
  const { bits, turn, perHalf, perStepUp, exact, narrow } = scale;
  const type = scalarOf(value.type) === 'f64' ? 'f64' : 'f32';
  const word = type === 'f64' ? 'i64' : 'i32';
  const { sign, bitsOf } = ieeeOf(type);
  const whole = (n: bigint): Value => b.constant(word === 'i64' ? n : Number(n), word);
  const size = b.and(b.bitcast(value, word), whole(sign - 1n));
  const isBelow = (limit: number): Value => b.cmp('lt', size, whole(bitsOf(limit)));
  const known = b.select(isBelow(mostOf(scale)), value, b.constant(0, type));
  const isInTurn = isBelow(turn);
  if (perStepUp === undefined && !exact) {
    const of = narrow ? 'f32' : 'f64';
    const number = (n: number): Value => b.constant(n, of);
    const steps = b.mul(asFloat(b, known, of), number(perHalf / 2));
    const turns = b.mul(b.math('trunc', b.mul(steps, number(2 ** -bits))), number(2 ** bits));
    const rest = b.select(isInTurn, steps, b.sub(steps, turns));
    const sum = b.add(rest, halfAway(b, rest, of, true));
    return b.value('arith.cast', [sum], { to: bits > 30 ? 'i64' : 'i32', fits: true });
  }
  const x = asFloat(b, known, 'f64');
  const rest = type === 'f64' ? remainder(b, x, isInTurn, turn) : b.select(isInTurn, x, withoutTurns(b, x, turn));
  if (perStepUp !== undefined) return countsInLowestBits(b, b.mul(rest, b.f64(perStepUp)));
  return countsFromHalves(b, emitExactHalves(b, rest, scale), true);
};

/** Numbers of this size and above are no addends: the last digit that the type has of them is worth a turn or more, or nearly so. */
const mostOf = ({ type, turn }: Scale): number => {
  const most = turn * 2 ** (type === 'f64' ? 52 : 23);
  return type === 'f32' && most > LAST_F32 ? Infinity : most;
};

const LAST_F32 = 3.4028234663852886e38;

/**
 * A number of f32 without whole turns, as an f64, of which the products and the difference are exact. The factor is so small that the quotient never comes out above
 * what it is; then what is left has the sign of the number, and may be a little more than a turn.
 */
const withoutTurns = (b: Builder, x: Value, turn: number): Value => {
  const turns = b.math('trunc', b.mul(x, b.f64((1 / turn) * (1 - 2 ** -51))));
  return b.sub(x, b.mul(turns, b.f64(turn)));
};

/** The same of a number of f64: seldom more than a turn, and then nothing quicker is exact. */
const remainder = (b: Builder, x: Value, isInTurn: Value, turn: number): Value =>
  b.if(
    isInTurn,
    () => [x],
    () => [b.rem(x, b.f64(turn))],
  )[0];
