import type { Op, Value } from '@filigree/ir';
import type { RangeContext } from './context.js';

/**
 * What is left of quotients of integers in floats, `Math.floor(i / 7)`, by integers: an f64 holds every i32, and its quotient by another
 * never reaches the next whole number. So does `n % 7` of a float that is such an integer and not negative. Integers of fewer bits go on more lanes, where remainders of floats
 * go on none.
 */
export const foldWholeQuotient = (op: Op, c: RangeContext): Value | undefined => {
  const result = op.results[0]!;
  const rule = rules[op.name];
  return rule && (result.type === 'f64' || op.name === 'arith.cast') ? rule(op, c) : undefined;
};

type Rule = (op: Op, c: RangeContext) => Value | undefined;

/** The i32 that a float is. */
const integerIn = (v: Value, c: RangeContext): Value | undefined => {
  const op = c.def(v);
  if (v.type !== 'f64' || op?.name !== 'arith.cast') return undefined;
  const from = op.operands[0]!;
  if (from.type === 'i32') return from;
  return narrow.has(String(from.type)) ? c.build('arith.cast', [from], 'i32', { to: 'i32' }) : undefined;
};

const narrow: ReadonlySet<string> = new Set(['i8', 'i16', 'u8', 'u16']);

/** The whole number from 2 on that a float always is. */
const divisorIn = (v: Value, c: RangeContext, of = (x: number): number => x): number | undefined => {
  const op = c.def(v);
  const by = op?.name === 'arith.constant' ? of(Number(op.attrs['value'])) : NaN;
  return Number.isInteger(by) && by >= 2 && by < 2 ** 31 ? by : undefined;
};

/** The integers of which a float is the quotient: by a power of two it may be a product. */
const quotientIn = (v: Value, c: RangeContext): readonly [a: Value, by: number] | undefined => {
  const op = c.def(v);
  if (op?.name !== 'arith.div' && op?.name !== 'arith.mul') return undefined;
  const [x, y] = op.operands as [Value, Value];
  const by = op.name === 'arith.div' ? divisorIn(y, c) : divisorIn(y, c, reciprocal);
  const a = by === undefined ? undefined : integerIn(x, c);
  return a && [a, by!];
};

const reciprocal = (x: number): number => (Number.isInteger(Math.log2(x)) ? 1 / x : NaN);

const isNegativeAtTimes = (a: Value, c: RangeContext): boolean => (c.range(a)?.lo ?? -1) < 0;

const asFloat = (a: Value, c: RangeContext): Value => c.build('arith.cast', [a], 'f64', { to: 'f64' });

const quotient = (a: Value, by: number, c: RangeContext): Value =>
  c.build('arith.div', [a, c.constant(by, 'i32')], 'i32');

/** The greatest integer that is not above: of what is not negative without its fraction, else one less where something is left of it below zero. */
const floored = (a: Value, by: number, c: RangeContext): Value => {
  const shift = Math.log2(by);
  if (Number.isInteger(shift)) return c.build('arith.shr', [a, c.constant(shift, 'i32')], 'i32');
  const cut = quotient(a, by, c);
  if (!isNegativeAtTimes(a, c)) return cut;
  const left = c.build('arith.sub', [a, c.build('arith.mul', [cut, c.constant(by, 'i32')], 'i32')], 'i32');
  const below = c.build('arith.cmp', [left, c.constant(0, 'i32')], 'i1', { predicate: 'lt' });
  return c.build('arith.select', [below, c.build('arith.sub', [cut, c.constant(1, 'i32')], 'i32'), cut], 'i32');
};

const rules: Readonly<Partial<Record<string, Rule>>> = {
  'math.floor': (op, c) => {
    const of = quotientIn(op.operands[0]!, c);
    return of && asFloat(floored(...of, c), c);
  },
  /* Of what is negative this may be -0. */
  'math.trunc': (op, c) => {
    const of = quotientIn(op.operands[0]!, c);
    return of && !isNegativeAtTimes(of[0], c) ? asFloat(quotient(...of, c), c) : undefined;
  },
  'arith.rem': (op, c) => {
    const by = divisorIn(op.operands[1]!, c);
    const a = by === undefined ? undefined : integerIn(op.operands[0]!, c);
    if (!a || isNegativeAtTimes(a, c)) return undefined;
    return asFloat(c.build('arith.rem', [a, c.constant(by!, 'i32')], 'i32'), c);
  },
  'arith.cast': (op, c) => {
    if (op.results[0]!.type !== 'i32') return undefined;
    const of = quotientIn(op.operands[0]!, c);
    return of && quotient(...of, c);
  },
};
