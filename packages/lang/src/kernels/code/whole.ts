import type { OperatorName } from './operators.js';
import type { Scalar } from './scalar.js';

/** What these make is a whole number, of whatever. */
export const ROUNDING: ReadonlySet<OperatorName> = new Set(['floor', 'ceil', 'round', 'trunc']);

/** What these make of whole numbers is one. */
export const STAYS_WHOLE: ReadonlySet<OperatorName> = new Set([
  'add',
  'sub',
  'mul',
  'rem',
  'min',
  'max',
  'neg',
  'abs',
  'sign',
  'idiv',
]);

/** A literal that is a whole number, whatever its type. */
export const isWholeNumber = (s: Scalar): boolean =>
  s.is === 'literal' && (typeof s.value === 'bigint' || Number.isInteger(s.value));

/** Variables that hold whole numbers alone, by the numbers of their locals: floats, and integers. */
export type WholeVariables = ReadonlyMap<number, 'float' | 'integer'>;
