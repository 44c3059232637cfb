/**
 * The one table of scalar operations. The expression graph stores `code`; the dialects `arith` and `math` take name,
 * arity and meaning from the same rows; emitters spell `kernelOp`. To add an operation, add a row here.
 */
export interface ScalarOp {
  /** What the expression graph stores, 0..255; also the index into `scalarOps`. */
  readonly code: number;
  readonly name: string;
  /** The kernel IR op with the same meaning. */
  readonly kernelOp: string;
  readonly arity: 0 | 1 | 2;
  readonly commutative: boolean;
  readonly associative: boolean;
  /** Whether the result is a truth value. */
  readonly predicate: boolean;
  /** Approximate cycles on a CPU; complexity (§4.1.4) is the sum over an expression tree. */
  readonly cost: number;
  /** The meaning on f64; truth values are 0 and 1. */
  readonly evaluate: (a: number, b: number) => number;
}

type Row = [
  name: string,
  kernelOp: string,
  arity: 0 | 1 | 2,
  cost: number,
  evaluate: (a: number, b: number) => number,
  flags?: string,
];

const hypot = Math.hypot;
const truth = (x: boolean): number => (x ? 1 : 0);

/** Whether a number counts as true where a truth value is wanted: neither 0 nor NaN, as in JavaScript. */
export const isTrue = (x: number): boolean => x !== 0 && !Number.isNaN(x);
const nothing = (): number => NaN;

/* Flags: c commutative, a associative, p predicate. Rows are in code order: append, never reorder, since saved graphs hold codes. */
const rows: readonly Row[] = [
  ['variable', 'mem.load', 0, 0, nothing],
  ['constant', 'arith.constant', 0, 0, nothing],
  ['add', 'arith.add', 2, 1, (a, b) => a + b, 'ca'],
  ['mul', 'arith.mul', 2, 1, (a, b) => a * b, 'ca'],
  ['neg', 'arith.neg', 1, 1, (a) => -a],
  ['div', 'arith.div', 2, 8, (a, b) => a / b],
  ['min', 'arith.min', 2, 1, (a, b) => Math.min(a, b), 'ca'],
  ['max', 'arith.max', 2, 1, (a, b) => Math.max(a, b), 'ca'],
  ['lt', 'arith.cmp', 2, 1, (a, b) => truth(a < b), 'p'],
  ['le', 'arith.cmp', 2, 1, (a, b) => truth(a <= b), 'p'],
  ['eq', 'arith.cmp', 2, 1, (a, b) => truth(a === b), 'cp'],
  ['ne', 'arith.cmp', 2, 1, (a, b) => truth(a !== b), 'cp'],
  ['and', 'arith.and', 2, 1, (a, b) => truth(isTrue(a) && isTrue(b)), 'cap'],
  ['or', 'arith.or', 2, 1, (a, b) => truth(isTrue(a) || isTrue(b)), 'cap'],
  ['not', 'arith.not', 1, 1, (a) => truth(!isTrue(a)), 'p'],
  /** `select(c, arms)`, where `arms` is an `arms` node: the graph is binary throughout. */
  ['select', 'arith.select', 2, 1, nothing],
  ['arms', 'arith.select', 2, 0, nothing],
  ['sqrt', 'math.sqrt', 1, 8, (a) => Math.sqrt(a)],
  ['rsqrt', 'math.rsqrt', 1, 8, (a) => 1 / Math.sqrt(a)],
  ['cbrt', 'math.cbrt', 1, 20, (a) => Math.cbrt(a)],
  ['abs', 'math.abs', 1, 1, (a) => Math.abs(a)],
  ['sin', 'math.sin', 1, 20, (a) => Math.sin(a)],
  ['cos', 'math.cos', 1, 20, (a) => Math.cos(a)],
  ['tan', 'math.tan', 1, 25, (a) => Math.tan(a)],
  ['asin', 'math.asin', 1, 20, (a) => Math.asin(a)],
  ['acos', 'math.acos', 1, 20, (a) => Math.acos(a)],
  ['atan', 'math.atan', 1, 20, (a) => Math.atan(a)],
  ['atan2', 'math.atan2', 2, 30, (a, b) => Math.atan2(a, b)],
  ['sinh', 'math.sinh', 1, 25, (a) => Math.sinh(a)],
  ['cosh', 'math.cosh', 1, 25, (a) => Math.cosh(a)],
  ['tanh', 'math.tanh', 1, 25, (a) => Math.tanh(a)],
  ['exp', 'math.exp', 1, 15, (a) => Math.exp(a)],
  ['expm1', 'math.expm1', 1, 20, (a) => Math.expm1(a)],
  ['log', 'math.log', 1, 15, (a) => Math.log(a)],
  ['log1p', 'math.log1p', 1, 20, (a) => Math.log1p(a)],
  ['log2', 'math.log2', 1, 15, (a) => Math.log2(a)],
  ['log10', 'math.log10', 1, 15, (a) => Math.log10(a)],
  ['pow', 'math.pow', 2, 40, (a, b) => a ** b],
  ['hypot', 'math.hypot', 2, 15, (a, b) => hypot(a, b), 'c'],
  ['floor', 'math.floor', 1, 1, (a) => Math.floor(a)],
  ['ceil', 'math.ceil', 1, 1, (a) => Math.ceil(a)],
  /** JavaScript's rounding: halves towards +∞. */
  ['round', 'math.round', 1, 2, (a) => Math.round(a)],
  ['trunc', 'math.trunc', 1, 1, (a) => Math.trunc(a)],
  ['sign', 'math.sign', 1, 2, (a) => Math.sign(a)],
  /** Truncated remainder, the sign of the dividend, as `%` in JavaScript and `fmod` in C. */
  ['rem', 'arith.rem', 2, 20, (a, b) => a % b],
];

/**
 * All scalar operations; the position of a row is its `code`. Rows are only ever appended, since saved graphs hold
 * codes.
 */
export const scalarOps: readonly ScalarOp[] = rows.map(([name, kernelOp, arity, cost, evaluate, flags = ''], code) => ({
  code,
  name,
  kernelOp,
  arity,
  cost,
  evaluate,
  commutative: flags.includes('c'),
  associative: flags.includes('a'),
  predicate: flags.includes('p'),
}));

/** The row of this name; throws on a name that is not in the table. */
export const scalarOp = (name: string): ScalarOp => {
  const row = byName.get(name);
  if (!row) throw new Error(`no scalar op named '${name}'`);
  return row;
};

const byName = new Map(scalarOps.map((o) => [o.name, o]));
