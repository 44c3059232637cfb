/** A C expression in the making: its text and how tightly its outermost operator binds. */
export interface Expr {
  readonly text: string;
  readonly binds: number;
  /** What this is the negative of, where it is written as one: a sum with it prints as a difference. */
  readonly negated?: Expr;
  /** The float that this is the integer of, with the bounds put on it so far: with both of them known, they go on the float. */
  readonly truncated?: Truncated;
  /** The lanes of a vector that is being put together: it is written where it is used, so that its lanes are seen at once. */
  readonly lanes?: readonly Expr[];
}

/** A float on its way to an integer, between these numbers. */
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

export const expr = (text: string, strength: number = binds.primary): Expr => ({ text, binds: strength });

/** The text of `e` where something that binds at least this tightly is wanted. */
export const within = (e: Expr, strength: number): string => (e.binds >= strength ? e.text : `(${e.text})`);

/** `a op b`, grouping to the left as C does; the right side is never reassociated. */
export const infix = (a: Expr, op: string, b: Expr, strength: number): Expr =>
  expr(`${within(a, strength)} ${op} ${within(b, strength + 1)}`, strength);

/** An infix whose operands are parenthesised unless they are atoms: where C's binding rules surprise readers. */
export const plainInfix = (a: Expr, op: string, b: Expr, strength: number): Expr =>
  expr(`${within(a, binds.unary)} ${op} ${within(b, binds.unary)}`, strength);

export const call = (name: string, ...args: readonly Expr[]): Expr =>
  expr(`${name}(${args.map((a) => a.text).join(', ')})`);

export const castTo = (type: string, e: Expr): Expr => expr(`(${type})${within(e, binds.unary)}`, binds.unary);

/** `a + b`, or the difference that it is. */
export const sum = (a: Expr, b: Expr): Expr =>
  b.negated
    ? infix(a, '-', b.negated, binds.sum)
    : a.negated
      ? infix(b, '-', a.negated, binds.sum)
      : infix(a, '+', b, binds.sum);

export const negative = (e: Expr): Expr => ({ ...expr(`-${within(e, binds.primary)}`, binds.unary), negated: e });
