import { fail } from '../diagnostics/diagnostic.js';
import {
  binaryFunctions,
  scalarOp,
  scalarOps,
  unaryFunctions,
  type BinaryFunction,
  type UnaryFunction,
} from '../scalar/scalar-op.js';
import { ADD, ARMS, DIV, MUL, NEG, SELECT } from './codes.js';
import type { Graph } from './graph.js';
import { SUB } from './recorder.js';

/* By this name Node asks for what it prints of an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A symbolic number: a node of an expression graph, or what becomes one when it is asked for. Using one where JavaScript wants a plain number (an operator that
 * was not rewritten, a branch, an index) is a diagnostic, never NaN.
 */
export class Sym {
  /** @param at a node, or `~v` for value v of the graph's recorder */
  constructor(
    readonly graph: Graph,
    readonly at: number,
  ) {}

  get id(): number {
    return nodeAt(this.graph, this.at);
  }

  /** The operation that it is the result of. */
  get code(): number {
    return this.at >= 0 ? this.graph.op[this.at] : this.graph.recorder!.codeOf(~this.at);
  }

  valueOf(): number {
    return fail('symbol/as-number', 'a symbolic value was used as a plain number', {
      remedy:
        "call the operations of `symbolicMath`, or let `symbolic(fn)` of '@filigree/lang' rewrite the function's operators",
    });
  }

  [Symbol.toPrimitive](hint: string): number | string {
    return hint === 'string' ? this.toJSON() : this.valueOf();
  }

  /* Whatever is computed of such a text would not depend on the value. */
  toJSON(): string {
    return fail('symbol/as-text', 'a symbolic value was made a text', {
      remedy:
        'it has no value while it is traced: keep texts out of what is computed, and print it by itself, console.log(x)',
    });
  }

  /* Methods of numbers that give texts: that of objects would give one and the same for all. */
  toString(): string {
    return this.toJSON();
  }
  toFixed(): string {
    return this.toJSON();
  }
  toPrecision(): string {
    return this.toJSON();
  }
  toExponential(): string {
    return this.toJSON();
  }
  toLocaleString(): string {
    return this.toJSON();
  }

  /* Without its graph, which is all of the trace. */
  [INSPECT](): string {
    return `Sym { ${scalarOps[this.code].name} }`;
  }
}

/** A number as numeric code sees it: plain or symbolic. Truth values of symbolic comparisons are symbolic too. */
export type Num = number | Sym;
/** A truth value as numeric code sees it: plain, or the result of a symbolic comparison. */
export type Truth = boolean | Sym;

/** Whether a value is a symbolic number. */
export const isSymbolic = (x: unknown): x is Sym => x instanceof Sym;

const code = (name: string): number => scalarOp(name).code;
const LT = code('lt');
const LE = code('le');
const EQ = code('eq');
const NE = code('ne');
const AND = code('and');
const OR = code('or');
const NOT = code('not');

/** The node of a number or symbol, or what stands for it. */
const atIn = (graph: Graph, x: unknown): number => (x instanceof Sym && x.graph === graph ? x.at : otherAtIn(graph, x));

const otherAtIn = (graph: Graph, x: unknown): number => {
  if (x instanceof Sym)
    fail('symbol/two-traces', 'two symbolic values of different traces meet in one operation', {
      remedy: 'keep symbolic values inside the function that is traced',
    });
  if (typeof x === 'number') return graph.constant(x);
  if (typeof x === 'boolean') return graph.constant(x ? 1 : 0);
  return fail('symbol/non-numeric', `a symbolic value meets ${x === null ? 'null' : `a value of type ${typeof x}`}`, {
    remedy: 'numeric code takes numbers and symbolic values; look for an array element or argument that was never set',
  });
};

const nodeAt = (graph: Graph, at: number): number => (at >= 0 ? at : graph.recorder!.nodesOf(Int32Array.of(at))[0]);

/** An operation on two nodes or values. */
const operation = (g: Graph, opCode: number, x: number, y: number): Sym => {
  const { recorder } = g;
  const value = recorder === undefined ? 0 : recorder.take(opCode, x, y);
  return new Sym(g, value < 0 ? value : nodeOf(g, opCode, x, y));
};

const nodeOf = (g: Graph, opCode: number, x: number, y: number): number => {
  const [a, b] = [nodeAt(g, x), nodeAt(g, y)];
  return opCode === SUB ? g.sub(a, b) : g.apply(opCode, a, b);
};

const graphOf = (a: unknown, b?: unknown): Graph => (a instanceof Sym ? a : (b as Sym)).graph;

const unary =
  (opCode: number) =>
  (a: Num): Num => {
    if (typeof a === 'number') return scalarOps[opCode].evaluate(a, 0);
    const g = graphOf(a);
    return operation(g, opCode, atIn(g, a), 0);
  };

const binary =
  (opCode: number) =>
  (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return scalarOps[opCode].evaluate(a, b);
    return ofSymbols(opCode, a, b);
  };

/** An operation on symbols, or on a symbol and a number. */
const ofSymbols = (opCode: number, a: unknown, b: unknown): Sym => {
  if (a instanceof Sym && b instanceof Sym && a.graph === b.graph) return operation(a.graph, opCode, a.at, b.at);
  const g = operandGraph(a, b);
  return operation(g, opCode, atIn(g, a), atIn(g, b));
};

const operandGraph = (a: unknown, b: unknown): Graph => {
  if (a instanceof Sym) return a.graph;
  if (b instanceof Sym) return b.graph;
  return fail('symbol/non-numeric', `an arithmetic operation on ${typeof a} and ${typeof b}`, {
    remedy: 'numeric code takes numbers and symbolic values',
  });
};

const compare =
  (opCode: number, plain: (a: number, b: number) => boolean, swap: boolean) =>
  (a: Num, b: Num): Truth => {
    if (typeof a === 'number' && typeof b === 'number') return plain(a, b);
    const g = operandGraph(a, b);
    const x = atIn(g, a);
    const y = atIn(g, b);
    return swap ? operation(g, opCode, y, x) : operation(g, opCode, x, y);
  };

const variadic =
  (f: (a: Num, b: Num) => Num, plain: (...xs: number[]) => number) =>
  (...xs: Num[]): Num =>
    xs.some(isSymbolic) ? xs.reduce((a, b) => f(a, b)) : plain(...(xs as number[]));

/** Every numeric operation, on plain numbers as JavaScript does it, on symbolic ones by building the expression graph. */
export const symbolicMath = {
  ...(Object.fromEntries(unaryFunctions.map((name) => [name, unary(code(name))])) as Readonly<
    Record<UnaryFunction, (a: Num) => Num>
  >),
  ...(Object.fromEntries(binaryFunctions.map((name) => [name, binary(code(name))])) as Readonly<
    Record<BinaryFunction, (a: Num, b: Num) => Num>
  >),
  add: (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return a + b;
    return ofSymbols(ADD, a, b);
  },
  sub: (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return ofSymbols(SUB, a, b);
  },
  mul: (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return a * b;
    return ofSymbols(MUL, a, b);
  },
  div: (a: Num, b: Num): Num => (typeof a === 'number' && typeof b === 'number' ? a / b : ofSymbols(DIV, a, b)),
  rem: binary(code('rem')),
  /** Small integer exponents become products, as a programmer would write them, as far as the arithmetic of the trace allows. */
  pow: (a: Num, b: Num): Num => {
    if (typeof a === 'number' && typeof b === 'number') return a ** b;
    const g = operandGraph(a, b);
    if (typeof b === 'number' && a instanceof Sym && isProduct(g, b)) return integerPower(a, b);
    if (b === 0.5 && g.algebraic) return unary(code('sqrt'))(a);
    return binary(code('pow'))(a, b);
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
    const [x, y] = [atIn(g, a), atIn(g, b)];
    const arms = g.recorder === undefined ? 0 : g.recorder.take(ARMS, x, y);
    const value = arms === 0 ? 0 : g.recorder!.take(SELECT, condition.at, arms);
    return new Sym(g, value < 0 ? value : g.select(condition.id, nodeAt(g, x), nodeAt(g, y)));
  },
  min: variadic(binary(code('min')), Math.min),
  max: variadic(binary(code('max')), Math.max),
  hypot: variadic(binary(code('hypot')), Math.hypot),
  isSymbolic,
} as const;

/** Exponents of which `**` gives what products give: -1 to 2 to the last bit, others up to rounding. */
const isProduct = (g: Graph, exponent: number): boolean =>
  Number.isInteger(exponent) && (g.arithmetic === 'exact' ? exponent >= -1 && exponent <= 2 : Math.abs(exponent) <= 64);

const integerPower = (base: Sym, n: number): Num => {
  const { div, mul } = symbolicMath;
  if (n < 0) return div(1, integerPower(base, -n));
  let result: Num | undefined;
  let b: Num = base;
  for (let e = n; e > 0; e >>= 1) {
    if (e & 1) result = result === undefined ? b : mul(result, b);
    if (e > 1) b = mul(b, b);
  }
  return result ?? new Sym(base.graph, base.graph.constant(1));
};

/** The nodes of numbers and symbols of a graph, found together. */
export const nodesOf = (graph: Graph, values: ArrayLike<Num>): Int32Array => {
  const all = Int32Array.from(values, (x) => atIn(graph, x));
  return graph.recorder === undefined ? all : graph.recorder.nodesOf(all);
};
