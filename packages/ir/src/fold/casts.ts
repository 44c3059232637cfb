import { isFloat, lanesOf, sameType, scalarOf, type ScalarType } from '../kernel/type.js';
import type { Fold } from '../kernel/dialect.js';
import { bits, isUnsigned } from './scalars.js';

/** Casts to the same type, and casts of casts that lose nothing on the way. */
export const casts: Readonly<Record<string, Fold>> = {
  'arith.cast': (op, c) => {
    const a = op.operands[0]!;
    const type = op.results[0]!.type;
    if (sameType(a.type, type)) return a;
    const inner = c.defOf(a);
    if (inner?.name !== 'arith.cast') return undefined;
    const source = inner.operands[0]!;
    const [from, via, to] = [scalarOf(source.type), scalarOf(a.type), scalarOf(type)];
    const skip = keepsNumber(from, via, to) || truncates(from, via, to);
    return skip ? c.build('arith.cast', [source], type, { to }) : undefined;
  },
  'arith.bitcast': (op, c) => {
    const a = op.operands[0]!;
    const type = op.results[0]!.type;
    if (sameType(a.type, type)) return a;
    const inner = c.defOf(a);
    if (inner?.name !== 'arith.bitcast') return undefined;
    const source = inner.operands[0]!;
    // A NaN may lose its payload on its way through a float register, so floats are not passed by.
    if (isFloat(a.type) || lanesOf(source.type) !== lanesOf(type)) return undefined;
    return c.build('arith.bitcast', [source], type, { to: scalarOf(type) });
  },
  'arith.extract': (op, c) => {
    const inner = c.defOf(op.operands[0]!);
    return inner?.name === 'arith.splat' ? inner.operands[0] : undefined;
  },
};

/** Whether every value of `from` is a value of `to`, so that a cast between them keeps the number. */
export const preserves = (from: ScalarType, to: ScalarType): boolean => {
  if (from === to) return true;
  if (to === 'i1') return false;
  if (from === 'i1') return true;
  if (isFloat(from)) return to === 'f64' && from === 'f32';
  if (isFloat(to)) return bits(from) <= (to === 'f64' ? 32 : 16);
  if (isUnsigned(from)) return bits(to) > bits(from) || (isUnsigned(to) && bits(to) === bits(from));
  return !isUnsigned(to) && bits(to) >= bits(from);
};

/** Whether a first cast that keeps the number may be skipped: from a float to an integer out of range saturates, from an integer it wraps. */
const keepsNumber = (from: ScalarType, via: ScalarType, to: ScalarType): boolean =>
  preserves(from, via) && (isFloat(from) || !isFloat(via) || isFloat(to) || preserves(from, to));

/** Integer casts keep the low bits: of two of them the last alone decides, if it keeps no more than the first. */
const truncates = (from: ScalarType, via: ScalarType, to: ScalarType): boolean =>
  [from, via, to].every((t) => !isFloat(t) && t !== 'i1') && bits(to) <= bits(via);
