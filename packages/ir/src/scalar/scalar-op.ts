import type { Expansion, ScalarAlgebra } from './algebra.js';

/**
 * The one table of scalar operations. The expression graph stores `code`; the dialects `arith` and `math`, both front ends and the
 * backends take what they know of an operation from its row.
 */
export interface ScalarOp {
  /** What the expression graph stores, 0..255; also the index into `scalarOps`. */
  readonly code: number;
  readonly name: ScalarOpName;
  /** The kernel IR op with the same meaning. */
  readonly kernelOp: string;
  readonly arity: 0 | 1 | 2;
  readonly commutative: boolean;
  readonly associative: boolean;
  /** Whether the result is a truth value. */
  readonly predicate: boolean;
  /** Approximate cycles on a CPU; complexity (§4.1.4) is the sum over an expression tree. */
  readonly cost: number;
  /** What it gives, in a few words. */
  readonly summary: string;
  /** The meaning on f64; truth values are 0 and 1. */
  readonly evaluate: (a: number, b: number) => number;
  /** The function of C's library with this meaning on doubles; with `f` at the end of its name that on floats. */
  readonly c: string | undefined;
  /** What it is made of, for an operation that no library has: backends get it in this form (`expandSpellings` of `@filigree/backend`). */
  readonly expand: Expansion | undefined;
}

/**
 * A row. It is a function of floats, the op `math.NAME`, unless `op` says otherwise. A function has the meaning of its expansion, or else `evaluate`, the
 * function of `Math` of this name; where it has neither expansion nor a name in C, each backend spells it.
 */
type Row = Readonly<
  Pick<ScalarOp, 'arity' | 'cost' | 'summary'> & {
    op?: string;
    commutative?: true;
    associative?: true;
    predicate?: true;
  } & (
      | { evaluate: ScalarOp['evaluate']; c?: string; expand?: never }
      | { expand: Expansion; evaluate?: never; c?: never }
    )
>;

const truth = (x: boolean): number => (x ? 1 : 0);

/** Whether a number counts as true where a truth value is wanted: neither 0 nor NaN, as in JavaScript. */
export const isTrue = (x: number): boolean => x !== 0 && !Number.isNaN(x);
const nothing = (): number => NaN;

/* Rows are in code order: append, never reorder, since saved graphs hold codes. */
const rows = {
  variable: { op: 'mem.load', arity: 0, cost: 0, summary: 'an input', evaluate: nothing },
  constant: { op: 'arith.constant', arity: 0, cost: 0, summary: 'a constant', evaluate: nothing },
  add: {
    op: 'arith.add',
    arity: 2,
    cost: 1,
    summary: 'the sum',
    evaluate: (a, b) => a + b,
    commutative: true,
    associative: true,
  },
  mul: {
    op: 'arith.mul',
    arity: 2,
    cost: 1,
    summary: 'the product',
    evaluate: (a, b) => a * b,
    commutative: true,
    associative: true,
  },
  neg: { op: 'arith.neg', arity: 1, cost: 1, summary: 'the number with the other sign', evaluate: (a) => -a },
  div: { op: 'arith.div', arity: 2, cost: 8, summary: 'the quotient', evaluate: (a, b) => a / b },
  min: {
    op: 'arith.min',
    arity: 2,
    cost: 1,
    summary: 'the lesser of two, NaN where one is',
    evaluate: (a, b) => Math.min(a, b),
    commutative: true,
    associative: true,
  },
  max: {
    op: 'arith.max',
    arity: 2,
    cost: 1,
    summary: 'the greater of two, NaN where one is',
    evaluate: (a, b) => Math.max(a, b),
    commutative: true,
    associative: true,
  },
  lt: {
    op: 'arith.cmp',
    arity: 2,
    cost: 1,
    summary: 'whether a < b',
    evaluate: (a, b) => truth(a < b),
    predicate: true,
  },
  le: {
    op: 'arith.cmp',
    arity: 2,
    cost: 1,
    summary: 'whether a ≤ b',
    evaluate: (a, b) => truth(a <= b),
    predicate: true,
  },
  eq: {
    op: 'arith.cmp',
    arity: 2,
    cost: 1,
    summary: 'whether a = b',
    evaluate: (a, b) => truth(a === b),
    commutative: true,
    predicate: true,
  },
  ne: {
    op: 'arith.cmp',
    arity: 2,
    cost: 1,
    summary: 'whether a ≠ b',
    evaluate: (a, b) => truth(a !== b),
    commutative: true,
    predicate: true,
  },
  and: {
    op: 'arith.and',
    arity: 2,
    cost: 1,
    summary: 'whether both hold',
    evaluate: (a, b) => truth(isTrue(a) && isTrue(b)),
    commutative: true,
    associative: true,
    predicate: true,
  },
  or: {
    op: 'arith.or',
    arity: 2,
    cost: 1,
    summary: 'whether one holds',
    evaluate: (a, b) => truth(isTrue(a) || isTrue(b)),
    commutative: true,
    associative: true,
    predicate: true,
  },
  not: {
    op: 'arith.not',
    arity: 1,
    cost: 1,
    summary: 'whether it does not hold',
    evaluate: (a) => truth(!isTrue(a)),
    predicate: true,
  },
  select: {
    op: 'arith.select',
    arity: 2,
    cost: 1,
    summary: '`select(c, arms)`, where `arms` is an `arms` node: the graph is binary throughout',
    evaluate: nothing,
  },
  arms: { op: 'arith.select', arity: 2, cost: 0, summary: 'what a select chooses between', evaluate: nothing },
  sqrt: { arity: 1, cost: 8, summary: 'square root', evaluate: Math.sqrt, c: 'sqrt' },
  rsqrt: { arity: 1, cost: 8, summary: '1 / √a', evaluate: (a) => 1 / Math.sqrt(a) },
  cbrt: { arity: 1, cost: 20, summary: 'cube root', evaluate: Math.cbrt, c: 'cbrt' },
  abs: { arity: 1, cost: 1, summary: 'absolute value', evaluate: Math.abs, c: 'fabs' },
  sin: { arity: 1, cost: 20, summary: 'sine', evaluate: Math.sin, c: 'sin' },
  cos: { arity: 1, cost: 20, summary: 'cosine', evaluate: Math.cos, c: 'cos' },
  tan: { arity: 1, cost: 25, summary: 'tangent', evaluate: Math.tan, c: 'tan' },
  asin: { arity: 1, cost: 20, summary: 'inverse sine', evaluate: Math.asin, c: 'asin' },
  acos: { arity: 1, cost: 20, summary: 'inverse cosine', evaluate: Math.acos, c: 'acos' },
  atan: { arity: 1, cost: 20, summary: 'inverse tangent', evaluate: Math.atan, c: 'atan' },
  atan2: { arity: 2, cost: 30, summary: 'angle of the point (b, a), -π to π', evaluate: Math.atan2, c: 'atan2' },
  sinh: { arity: 1, cost: 25, summary: 'hyperbolic sine', evaluate: Math.sinh, c: 'sinh' },
  cosh: { arity: 1, cost: 25, summary: 'hyperbolic cosine', evaluate: Math.cosh, c: 'cosh' },
  tanh: { arity: 1, cost: 25, summary: 'hyperbolic tangent', evaluate: Math.tanh, c: 'tanh' },
  exp: { arity: 1, cost: 15, summary: 'eᵃ', evaluate: Math.exp, c: 'exp' },
  expm1: { arity: 1, cost: 20, summary: 'eᵃ - 1', evaluate: Math.expm1, c: 'expm1' },
  log: { arity: 1, cost: 15, summary: 'natural logarithm', evaluate: Math.log, c: 'log' },
  log1p: { arity: 1, cost: 20, summary: 'natural logarithm of 1 + a', evaluate: Math.log1p, c: 'log1p' },
  log2: { arity: 1, cost: 15, summary: 'binary logarithm', evaluate: Math.log2, c: 'log2' },
  log10: { arity: 1, cost: 15, summary: 'decimal logarithm', evaluate: Math.log10, c: 'log10' },
  pow: { arity: 2, cost: 40, summary: 'aᵇ', evaluate: (a, b) => a ** b },
  hypot: {
    arity: 2,
    cost: 15,
    summary: '√(a² + b²) without overflow on the way',
    evaluate: (a, b) => Math.hypot(a, b),
    c: 'hypot',
    commutative: true,
  },
  floor: { arity: 1, cost: 1, summary: 'the greatest integer that is not above', evaluate: Math.floor, c: 'floor' },
  ceil: { arity: 1, cost: 1, summary: 'the least integer that is not below', evaluate: Math.ceil, c: 'ceil' },
  round: {
    arity: 1,
    cost: 2,
    summary: 'the nearest integer, halves towards +∞ as in JavaScript',
    evaluate: Math.round,
  },
  trunc: { arity: 1, cost: 1, summary: 'without the fraction', evaluate: Math.trunc, c: 'trunc' },
  sign: { arity: 1, cost: 2, summary: '-1, 0 or 1 by the sign', evaluate: Math.sign },
  rem: {
    op: 'arith.rem',
    arity: 2,
    cost: 20,
    summary: 'truncated remainder, the sign of the dividend, as `%` in JavaScript and `fmod` in C',
    evaluate: (a, b) => a % b,
  },
  asinh: { arity: 1, cost: 25, summary: 'inverse hyperbolic sine', evaluate: Math.asinh, c: 'asinh' },
  acosh: { arity: 1, cost: 25, summary: 'inverse hyperbolic cosine', evaluate: Math.acosh, c: 'acosh' },
  atanh: { arity: 1, cost: 25, summary: 'inverse hyperbolic tangent', evaluate: Math.atanh, c: 'atanh' },
  fround: { arity: 1, cost: 1, summary: 'the nearest number of single precision', evaluate: Math.fround },
} as const satisfies Readonly<Record<string, Row>>;

/** The names of all scalar operations. */
export type ScalarOpName = keyof typeof rows;

/* Functions of floats are the rows that do not name another op. */
type FunctionOf<Arity extends number> = {
  [K in ScalarOpName]: (typeof rows)[K] extends { readonly op: string }
    ? never
    : (typeof rows)[K] extends { readonly arity: Arity }
      ? K
      : never;
}[ScalarOpName];

/** Elementary functions of one float. */
export type UnaryFunction = FunctionOf<1>;
/** Elementary functions of two floats. */
export type BinaryFunction = FunctionOf<2>;

/**
 * All scalar operations; the position of a row is its `code`. Rows are only ever appended, since saved graphs hold
 * codes.
 */
export const scalarOps: readonly ScalarOp[] = Object.entries<Row>(rows).map(([name, row], code) => {
  const { expand } = row;
  return {
    code,
    name: name as ScalarOpName,
    kernelOp: row.op ?? `math.${name}`,
    arity: row.arity,
    cost: row.cost,
    summary: row.summary,
    evaluate: expand ? (a, b) => expand(numbers, a, b) : row.evaluate,
    c: row.c,
    expand,
    commutative: row.commutative ?? false,
    associative: row.associative ?? false,
    predicate: row.predicate ?? false,
  };
});

/** The row of this name; throws on a name that is not in the table. */
export const scalarOp = (name: string): ScalarOp => {
  const row = byName.get(name);
  if (!row) throw new Error(`no scalar op named '${name}'`);
  return row;
};

const byName = new Map<string, ScalarOp>(scalarOps.map((o) => [o.name, o]));

const functions = (arity: 1 | 2): readonly ScalarOp[] =>
  scalarOps.filter((o) => o.kernelOp === `math.${o.name}` && o.arity === arity);

/** Elementary functions of one float, in the order of the table. */
export const unaryFunctions = functions(1).map((o) => o.name) as readonly UnaryFunction[];

/** Elementary functions of two floats, in the order of the table. */
export const binaryFunctions = functions(2).map((o) => o.name) as readonly BinaryFunction[];

/** The algebra of plain numbers, by which what is made of other operations is evaluated. */
const numbers: ScalarAlgebra<number> = {
  ...Object.fromEntries(scalarOps.map((o) => [o.name, o.evaluate])),
  sub: (a, b) => a - b,
  gt: (a, b) => truth(a > b),
  ge: (a, b) => truth(a >= b),
  select: (condition, a, b) => (isTrue(condition) ? a : b),
};
