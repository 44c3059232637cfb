import type { ScalarType } from '@filigree/ir';

/** An operand: a number or truth value known at compile time, or what an instruction computed. */
export type Scalar = Literal | Temp;

export interface Literal {
  readonly is: 'literal';
  readonly value: number | bigint | boolean;
  /**
   * Of a whole number: `written` as a float (`1.0`, `1e9`), or computed with one that is; or `computed` from whole numbers
   * by an operation of floats, as 6 / 2 is: a float in variables and for casts, else a whole number, so that it may be an index.
   */
  readonly float?: 'written' | 'computed';
  /** Of a cast, of a BigInt and of a typed array: the type that the same value has where it is known only when the kernel runs. */
  readonly type?: ScalarType;
}

/** Computed once. `type` is stated if it does not follow from the instruction: loads, arguments, loop variables. */
export interface Temp {
  readonly is: 'temp';
  readonly type?: ScalarType;
  readonly hint?: string;
  /** Of integers: what they are known to lie in. */
  readonly within?: Interval;
  /** Of an `i64` that is not negative, and is an `u64` beside one: what `BigInt(x)` makes of such an x. */
  readonly either?: true;
}

export const literal = (value: Literal['value']): Literal => ({ is: 'literal', value });

/** A literal of a stated type. */
export const typedLiteral = (value: Literal['value'], type: ScalarType): Literal => ({ is: 'literal', value, type });

/** The least and the most that an integer can be. */
export type Interval = readonly [least: number, most: number];
