import { fail } from '../diagnostics/diagnostic.js';
import { scalarOp, scalarOps } from '../scalar/scalar-op.js';
import type { Graph } from './graph.js';

/**
 * A symbolic number: a node of an expression graph. Using one where JavaScript wants a plain number (an operator that
 * was not rewritten, a branch, an index) is a diagnostic, never NaN.
 */
export class Sym {
  /** @param place its node, or below zero its place on the graph's tape: ~place */
  constructor(
    readonly graph: Graph,
    public place: number,
  ) {}

  /** The node, which is made now if it waits on the tape. */
  get id(): number {
    if (this.place < 0) this.graph.tape.settle();
    return this.place;
  }

  /** Whether it is the result of a comparison or another truth value. */
  get isPredicate(): boolean {
    return scalarOps[this.graph.tape.operationAt(this.place)]?.predicate ?? false;
  }

  valueOf(): number {
    return fail('symbol/as-number', 'a symbolic value was used as a plain number', {
      remedy:
        "call the operations of `symbolicMath`, or let `symbolic(fn)` of '@filigree/lang' rewrite the function's operators",
    });
  }

  [Symbol.toPrimitive](hint: string): number | string {
    return hint === 'string' ? `symbol#${this.id}` : this.valueOf();
  }
}

/** A number as numeric code sees it: plain or symbolic. Truth values of symbolic comparisons are symbolic too. */
export type Num = number | Sym;
/** A truth value as numeric code sees it: plain, or the result of a symbolic comparison. */
export type Truth = boolean | Sym;

/** Whether a value is a symbolic number. */
export const isSymbolic = (x: unknown): x is Sym => x instanceof Sym;

const code = (name: string): number => scalarOp(name).code;
/** The operation a − b of a tape, beside those of the scalar table. */
export const SUB = scalarOps.length;
const [ADD, MUL, NEG, DIV, SELECT, POW] = ['add', 'mul', 'neg', 'div', 'select', 'pow'].map(code);
const [LT, LE, EQ, NE, AND, OR, NOT] = ['lt', 'le', 'eq', 'ne', 'and', 'or', 'not'].map(code);

/** Where the operand of an operation on symbols of `graph` stands, a number's own node included. */
const placeIn = (graph: Graph, x: unknown): number => {
  if (x instanceof Sym) {
    if (x.graph !== graph)
      fail('symbol/two-traces', 'two symbolic values of different traces meet in one operation', {
        remedy: 'keep symbolic values inside the function that is traced',
      });
    return x.place;
  }
  if (typeof x === 'number') return graph.tape.constant(x);
  if (typeof x === 'boolean') return graph.tape.constant(x ? 1 : 0);
  return fail('symbol/non-numeric', `a symbolic value meets ${x === null ? 'null' : `a value of type ${typeof x}`}`, {
    remedy: 'numeric code takes numbers and symbolic values; look for an array element or argument that was never set',
  });
};

const graphOf = (a: unknown, b?: unknown): Graph => (a instanceof Sym ? a : (b as Sym)).graph;

/** Gives numbers their nodes. A new one settles the tape, so this comes before places on it are read. */
const nameNumbers = (graph: Graph, a: unknown, b: unknown): void => {
  if (!(a instanceof Sym)) placeIn(graph, a);
  if (!(b instanceof Sym)) placeIn(graph, b);
};

/** A symbol of an operation of which an operand is a symbol. */
const operation = (opCode: number, a: unknown, b: unknown): Sym => {
  if (a instanceof Sym && b instanceof Sym && a.graph === b.graph) return a.graph.tape.note(opCode, a.place, b.place);
  const g = operandGraph(a, b);
  nameNumbers(g, a, b);
  return g.tape.note(opCode, placeIn(g, a), placeIn(g, b));
};

const unary =
  (opCode: number) =>
  (a: Num): Num =>
    typeof a === 'number' ? scalarOps[opCode].evaluate(a, 0) : graphOf(a).tape.note(opCode, placeIn(graphOf(a), a));

const binary =
  (opCode: number) =>
  (a: Num, b: Num): Num =>
    typeof a === 'number' && typeof b === 'number' ? scalarOps[opCode].evaluate(a, b) : operation(opCode, a, b);

const operandGraph = (a: unknown, b: unknown): Graph => {
  if (a instanceof Sym || b instanceof Sym) return graphOf(a, b);
  return fail('symbol/non-numeric', `an arithmetic operation on ${typeof a} and ${typeof b}`, {
    remedy: 'numeric code takes numbers and symbolic values',
  });
};

const compare =
  (opCode: number, plain: (a: number, b: number) => boolean, swap: boolean) =>
  (a: Num, b: Num): Truth => {
    if (typeof a === 'number' && typeof b === 'number') return plain(a, b);
    return swap ? operation(opCode, b, a) : operation(opCode, a, b);
  };

const variadic =
  (f: (a: Num, b: Num) => Num, plain: (...xs: number[]) => number) =>
  (...xs: Num[]): Num =>
    xs.some(isSymbolic) ? xs.reduce((a, b) => f(a, b)) : plain(...(xs as number[]));

const named = (name: string): ((a: Num) => Num) => unary(code(name));

/** Every numeric operation, on plain numbers as JavaScript does it, on symbolic ones by building the expression graph. */
export const symbolicMath = {
  add: (a: Num, b: Num): Num => (typeof a === 'number' && typeof b === 'number' ? a + b : operation(ADD, a, b)),
  sub: (a: Num, b: Num): Num => (typeof a === 'number' && typeof b === 'number' ? a - b : operation(SUB, a, b)),
  mul: (a: Num, b: Num): Num => (typeof a === 'number' && typeof b === 'number' ? a * b : operation(MUL, a, b)),
  div: (a: Num, b: Num): Num => (typeof a === 'number' && typeof b === 'number' ? a / b : operation(DIV, a, b)),
  rem: binary(code('rem')),
  /** Small integer exponents become products, as a programmer would write them. */
  pow: (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return a ** b;
    if (typeof b === 'number' && Number.isInteger(b) && Math.abs(b) <= 64) return integerPower(a as Sym, b);
    return b === 0.5 ? symbolicMath.sqrt(a) : operation(POW, a, b);
  },
  neg: unary(NEG),
  lt: compare(LT, (a, b) => a < b, false),
  le: compare(LE, (a, b) => a <= b, false),
  gt: compare(LT, (a, b) => a > b, true),
  ge: compare(LE, (a, b) => a >= b, true),
  eq: compare(EQ, (a, b) => a === b, false),
  ne: compare(NE, (a, b) => a !== b, false),
  and: (a: Truth, b: Truth): Truth =>
    isSymbolic(a) || isSymbolic(b) ? (binary(AND)(a as Num, b as Num) as Truth) : a && b,
  or: (a: Truth, b: Truth): Truth =>
    isSymbolic(a) || isSymbolic(b) ? (binary(OR)(a as Num, b as Num) as Truth) : a || b,
  not: (a: Truth): Truth => (isSymbolic(a) ? (unary(NOT)(a) as Truth) : !a),
  /** condition ? a : b, on numbers and on symbols. */
  select: (condition: Truth | number, a: Num, b: Num): Num => {
    if (!isSymbolic(condition)) return condition ? a : b;
    const g = condition.graph;
    nameNumbers(g, a, b);
    return g.tape.note(SELECT, placeIn(g, a), placeIn(g, b), condition.place);
  },
  min: variadic(binary(code('min')), Math.min),
  max: variadic(binary(code('max')), Math.max),
  hypot: variadic(binary(code('hypot')), Math.hypot),
  atan2: binary(code('atan2')),
  abs: named('abs'),
  sqrt: named('sqrt'),
  cbrt: named('cbrt'),
  sin: named('sin'),
  cos: named('cos'),
  tan: named('tan'),
  asin: named('asin'),
  acos: named('acos'),
  atan: named('atan'),
  sinh: named('sinh'),
  cosh: named('cosh'),
  tanh: named('tanh'),
  exp: named('exp'),
  expm1: named('expm1'),
  log: named('log'),
  log1p: named('log1p'),
  log2: named('log2'),
  log10: named('log10'),
  floor: named('floor'),
  ceil: named('ceil'),
  round: named('round'),
  trunc: named('trunc'),
  sign: named('sign'),
  isSymbolic,
} as const;

const integerPower = (base: Sym, n: number): Num => {
  if (n < 0) return symbolicMath.div(1, integerPower(base, -n));
  let result: Num | undefined;
  let b: Num = base;
  for (let e = n; e > 0; e >>= 1) {
    if (e & 1) result = result === undefined ? b : symbolicMath.mul(result, b);
    if (e > 1) b = symbolicMath.mul(b, b);
  }
  return result ?? 1;
};
