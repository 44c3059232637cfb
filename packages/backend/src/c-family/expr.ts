/** A C expression under construction: its text and how tightly its outermost operator binds. */
export interface Expr {
  readonly text: string;
  readonly binds: number;
  /** What this is the negation of, if it is written as one: a sum with it prints as a difference. */
  readonly negated?: Expr;
  /**
   * If this is an integer converted from a float: that float, and the bounds applied so far. Once both are known, the
   * float is clamped instead of the integer.
   */
  readonly truncated?: Truncated;
  /** If this is an index at a constant distance from a pointer: that pointer, and the distance in elements. */
  readonly from?: { readonly pointer: string; readonly plus: number };
  /** Whether this is an element of memory, as it lies there. */
  readonly inMemory?: true;
  /** The lanes of a vector that is being assembled. It is written where it is used, so that all lanes are known. */
  readonly lanes?: readonly Expr[];
}

/** A float that is about to be converted to an integer, clamped to these bounds. */
export interface Truncated {
  readonly of: Expr;
  readonly type: 'f32' | 'f64';
  readonly lo?: number;
  readonly hi?: number;
}

/** Binding strengths of C operators, loosest first. */
export const binds = {
  ternary: 3,
  or: 6,
  xor: 7,
  and: 8,
  equality: 9,
  relation: 10,
  shift: 11,
  sum: 12,
  product: 13,
  unary: 15,
  primary: 16,
} as const;

/** An expression from its text and the strength of its outermost operator, see `binds`. */
export const expr = (text: string, strength: number = binds.primary): Expr => ({ text, binds: strength });

/** The text of `e` for a place that wants something binding at least this tightly, in parentheses if need be. */
export const within = (e: Expr, strength: number): string => (e.binds >= strength ? e.text : `(${e.text})`);

/** `a op b`, grouping to the left as C does; the right side is never reassociated. */
export const infix = (a: Expr, op: string, b: Expr, strength: number): Expr =>
  expr(`${within(a, strength)} ${op} ${within(b, strength + 1)}`, strength);

/**
 * An infix whose operands are parenthesised unless they are atoms, for operators whose precedence in C surprises
 * readers.
 */
export const plainInfix = (a: Expr, op: string, b: Expr, strength: number): Expr =>
  expr(`${within(a, binds.unary)} ${op} ${within(b, binds.unary)}`, strength);

/** A call of a function. */
export const call = (name: string, ...args: readonly Expr[]): Expr =>
  expr(`${name}(${args.map((a) => a.text).join(', ')})`);

/** A cast to a type, `(T)e`. */
export const castTo = (type: string, e: Expr): Expr => expr(`(${type})${within(e, binds.unary)}`, binds.unary);

/** `a + b`, written as a difference if either of them is the negation of something. */
export const sum = (a: Expr, b: Expr): Expr =>
  b.negated
    ? infix(a, '-', b.negated, binds.sum)
    : a.negated
      ? infix(b, '-', a.negated, binds.sum)
      : infix(a, '+', b, binds.sum);

/** `-e`, or what `e` is the negation of. */
export const negative = (e: Expr): Expr => ({ ...expr(`-${within(e, binds.primary)}`, binds.unary), negated: e });
