import type { BinaryFunction, UnaryFunction } from '@filigree/ir';

/** What numeric code computes with: a plain number or truth value, or a symbol of type `S`. */
export type Operand<S> = number | boolean | S;

/**
 * The meaning of operators and of elementary functions on symbolic values. Rewritten code calls these only when an operand is
 * symbolic; on plain values it computes as JavaScript does, without asking. `symbolicMath` of `@filigree/ir` is one.
 *
 * A symbolic value is an object. It should throw when JavaScript converts it to a number (`valueOf`), so that code that
 * was not rewritten cannot turn it into NaN.
 */
export interface NumericOps<S = unknown>
  extends
    Readonly<Record<UnaryFunction, Functions<S>['unary']>>,
    Readonly<Record<BinaryFunction, Functions<S>['binary']>> {
  isSymbolic(x: unknown): x is S;
  /**
   * Whether a symbolic value is a truth value, 0 or 1, such as the result of `lt`. Without it every symbolic condition
   * is first compared with zero, which is correct but makes a larger expression.
   */
  isPredicate?(x: S): boolean;
  /** Whether `add`, `sub`, `mul` and `div` throw where an operand is no number, truth value or symbol, so that rewritten code need not look before it calls them. */
  readonly refusesOthers?: boolean;
  /** Told where the body of a loop begins once more: the loop at this place of this text. What repeats is mostly what loops do. */
  loopStep?(text: object, site: number): void;
  /** Told where that loop has ended, unless it was left by `return` or an exception. */
  loopDone?(text: object, site: number): void;
  /** Calls a function that reads nothing but its arguments and changes nothing but what it makes, or gives what it is known to return for such arguments. */
  callPure?(f: (...args: unknown[]) => unknown, args: unknown[]): unknown;

  add(a: Operand<S>, b: Operand<S>): Operand<S>;
  sub(a: Operand<S>, b: Operand<S>): Operand<S>;
  mul(a: Operand<S>, b: Operand<S>): Operand<S>;
  div(a: Operand<S>, b: Operand<S>): Operand<S>;
  /** The remainder with the sign of the dividend, as `%`. */
  rem(a: Operand<S>, b: Operand<S>): Operand<S>;
  neg(a: Operand<S>): Operand<S>;

  lt(a: Operand<S>, b: Operand<S>): Operand<S>;
  le(a: Operand<S>, b: Operand<S>): Operand<S>;
  gt(a: Operand<S>, b: Operand<S>): Operand<S>;
  ge(a: Operand<S>, b: Operand<S>): Operand<S>;
  eq(a: Operand<S>, b: Operand<S>): Operand<S>;
  ne(a: Operand<S>, b: Operand<S>): Operand<S>;

  and(a: Operand<S>, b: Operand<S>): Operand<S>;
  or(a: Operand<S>, b: Operand<S>): Operand<S>;
  not(a: Operand<S>): Operand<S>;
  /** `condition ? a : b`, both already evaluated. */
  select(condition: Operand<S>, a: Operand<S>, b: Operand<S>): Operand<S>;

  min(a: Operand<S>, b: Operand<S>): Operand<S>;
  max(a: Operand<S>, b: Operand<S>): Operand<S>;
}

/* Methods, as the operations above are: what takes some symbols may be given where any are meant. */
interface Functions<S> {
  unary(a: Operand<S>): Operand<S>;
  binary(a: Operand<S>, b: Operand<S>): Operand<S>;
}
