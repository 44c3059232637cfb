import { Sym, describeValue, fail, isSymbolic, nodesOf, symbolicMath, type Num } from '@filigree/ir';
import {
  add,
  countPowerFlops,
  multiply,
  neg,
  power,
  scale,
  sub,
  transpose,
  type Csr,
  type CsrPattern,
  type Ring,
} from '@filigree/sparse/formats';
import type {
  ElementsWord,
  InputShape,
  Program,
  SymbolicInput,
  TraceContext,
  TracedOutput,
} from '@filigree/specialize';
import { checkPattern } from './check-pattern.js';
import { flopsAsNodes } from './flops-that-fit.js';

/** A sparse matrix as numeric code sees it: one number per entry of the pattern, row by row. */
export type SparseMatrix = Csr<number[]>;

/** What numeric code receives for an input of shape `S`: `4` → `number[]`, `[n, 3]` → `number[][]`, a pattern → `SparseMatrix`. */
export type ArrayOf<S> = S extends number
  ? number[]
  : S extends CsrPattern
    ? SparseMatrix
    : S extends readonly []
      ? number
      : S extends readonly [unknown, ...infer R]
        ? ArrayOf<R>[]
        : NestedNumbers;

export type NestedNumbers = number | NestedNumbers[];

/** What numeric code receives: its inputs by name. */
export type NumericInputs<I> = { readonly [K in keyof I]: ArrayOf<I[K]> };

/** What a program may return under a name: numbers, truth values as 1 and 0, arrays of them at any depth, sparse matrices. */
export type NumericOutput = number | boolean | ArrayLike<NumericOutput> | Csr<ArrayLike<number>>;

/** What a program receives beside its inputs. */
export interface NumericContext {
  /** Asks that these values be computed by one kernel; returns them. */
  readonly block: <T>(values: T) => T;
  /** Sparse algebra for the matrices of a program. */
  readonly sparse: SparseMath;
  /**
   * The derivative of a number by each of `variables`, in their shape. Derivatives are ordinary values: compute with them, return them, or differentiate them
   * again. Errors: `derivative/…`.
   */
  readonly gradient: <V extends NumericOutput>(value: number, variables: V) => V;
  /** The derivatives of each of `values`, one row a value, by each of `variables`: a sparse matrix whose pattern is found. */
  readonly jacobian: (values: NumericOutput, variables: NumericOutput) => SparseMatrix;
  /**
   * The second derivatives of a number by each two of `variables`: a sparse matrix whose pattern is found, all of it, or with `half: 'lower'` what is on and
   * below its diagonal.
   */
  readonly hessian: (
    value: number,
    variables: NumericOutput,
    options?: { readonly half?: 'lower' | 'both' },
  ) => SparseMatrix;
  /** Runs a body for many elements at the cost of running it once; on plain numbers `plainElements` is the same loop. */
  readonly elements: ElementsWord;
}

/** Sparse algebra on the matrices that a program receives. */
export interface SparseMath {
  readonly add: (a: SparseMatrix, b: SparseMatrix) => SparseMatrix;
  readonly sub: (a: SparseMatrix, b: SparseMatrix) => SparseMatrix;
  readonly neg: (a: SparseMatrix) => SparseMatrix;
  readonly scale: (s: number, a: SparseMatrix) => SparseMatrix;
  readonly transpose: (a: SparseMatrix) => SparseMatrix;
  readonly multiply: (a: SparseMatrix, b: SparseMatrix) => SparseMatrix;
  readonly power: (a: SparseMatrix, exponent: number) => SparseMatrix;
}

/**
 * A numeric function, already made symbolic, as a program to trace: entries of sparse matrices, which tracing hands over
 * as node ids, become symbols on the way in and ids on the way out.
 */
export const traceable = (
  inputs: Readonly<Record<string, InputShape>>,
  run: (inputs: never, context: NumericContext) => unknown,
  capacity?: number,
): Program => ({
  ...(capacity === undefined ? {} : { capacity }),
  inputs,
  run: (given, context) => {
    const symbols = Object.fromEntries(Object.entries(given).map(([name, x]) => [name, symbolsOf(x, context)]));
    const block = <T>(values: T): T => {
      context.block(idsOf(values, context) as TracedOutput);
      return values;
    };
    const results = run(symbols as never, {
      block,
      sparse,
      elements: context.elements,
      ...derivativesIn(context),
    });
    if (
      typeof results !== 'object' ||
      results === null ||
      Array.isArray(results) ||
      isSymbolic(results) ||
      isMatrix(results)
    )
      return fail('program/outputs', 'the program does not return its outputs by name', {
        remedy: 'return an object of them, as in ({ x }) => ({ y: x.map((v) => v * v) })',
      });
    if (Object.keys(results).length === 0)
      fail('program/outputs', 'the program returns no output', { remedy: 'return what it computes, by name' });
    return Object.fromEntries(
      Object.entries(results).map(([name, x]) => [name, idsOf(x, context, name) as TracedOutput]),
    );
  },
});

/** The derivatives of the trace, on matrices as numeric code sees them. */
const derivativesIn = (context: TraceContext): Pick<NumericContext, 'gradient' | 'jacobian' | 'hessian'> => {
  const traced = (x: unknown): TracedOutput => idsOf(x, context, 'derivative') as TracedOutput;
  const matrix = (m: Csr<Int32Array>): SparseMatrix => symbolsOf(m, context) as SparseMatrix;
  return {
    gradient: (value, variables) =>
      symbolsOf(context.gradient(traced(value) as Num, traced(variables)) as SymbolicInput, context) as never,
    jacobian: (values, variables) => matrix(context.jacobian(traced(values), traced(variables))),
    hessian: (value, variables, options) => matrix(context.hessian(traced(value) as Num, traced(variables), options)),
  };
};

const symbolsOf = (x: SymbolicInput, { graph }: TraceContext): unknown =>
  isMatrix(x) ? { pattern: x.pattern, values: Array.from(x.values as Int32Array, (id) => new Sym(graph, id)) } : x;

const idsOf = (x: unknown, { graph }: TraceContext, name = 'block'): unknown => {
  if (!isMatrix(x)) return x;
  const values = Array.from(x.values as ArrayLike<unknown>);
  checkPattern(name, x.pattern);
  requireValues(name, x);
  /* What is neither number nor symbol is left for tracing to refuse. */
  if (!values.every((v) => typeof v === 'number' || isSymbolic(v))) return values;
  return {
    pattern: x.pattern,
    values: nodesOf(graph, values as Num[]),
  };
};

/** Refuses a matrix of another number of values than its pattern, which is one, has entries. */
const requireValues = (
  name: string,
  { pattern, values }: { readonly pattern: CsrPattern; readonly values: unknown },
): void => {
  const { length } = (values ?? []) as ArrayLike<unknown>;
  if (length !== pattern.colIdx.length)
    fail('program/length', `'${name}' has ${length} values for ${pattern.colIdx.length} entries of its pattern`, {
      remedy: 'give one value for each entry, row by row',
    });
};

const isMatrix = (x: unknown): x is { pattern: CsrPattern; values: unknown } =>
  typeof x === 'object' && x !== null && 'pattern' in x && 'values' in x;

/* Numbers and symbols alike; program text is typed for numbers, and runs on symbols too. */
const ring: Ring<Num[]> = {
  allocate: (n) => new Array<Num>(n).fill(0),
  copy: (out, o, a, i) => {
    out[o] = a[i];
  },
  add: (out, o, a, i, b, j) => {
    out[o] = symbolicMath.add(a[i], b[j]);
  },
  sub: (out, o, a, i, b, j) => {
    out[o] = symbolicMath.sub(a[i], b[j]);
  },
  neg: (out, o, a, i) => {
    out[o] = symbolicMath.neg(a[i]);
  },
  scale: (out, o, s, a, i) => {
    out[o] = symbolicMath.mul(s, a[i]);
  },
  dot: (out, o, a, ai, b, bi, n) => {
    let s: Num = n > 0 ? symbolicMath.mul(a[ai[0]], b[bi[0]]) : 0;
    for (let t = 1; t < n; t++) s = symbolicMath.add(s, symbolicMath.mul(a[ai[t]], b[bi[t]]));
    out[o] = s;
  },
  sum: (out, o, a, ai, n) => {
    let s: Num = n > 0 ? a[ai[0]] : 0;
    for (let t = 1; t < n; t++) s = symbolicMath.add(s, a[ai[t]]);
    out[o] = s;
  },
};

/** What a word of sparse algebra was given for its operand `which`: a matrix that is one, else it is refused. */
const operand = (word: string, which: string, x: unknown): Csr<Num[]> => {
  if (!isMatrix(x))
    return fail(
      'program/matrix',
      `the ${which} of sparse.${word} is ${isSymbolic(x) ? 'a symbolic number' : describeValue(x)}, not a sparse matrix`,
      {
        remedy: 'a matrix is { pattern, values }, as the program receives it for an input whose shape is a pattern',
      },
    );
  const name = `the ${which} of sparse.${word}`;
  checkPattern(name, x.pattern);
  requireValues(name, x);
  return x as Csr<Num[]>;
};

const ofOne =
  (word: string, f: (ring: Ring<Num[]>, a: Csr<Num[]>) => Csr<Num[]>) =>
  (a: unknown): Csr<Num[]> =>
    f(ring, operand(word, 'operand', a));

const ofTwo =
  (word: string, f: (ring: Ring<Num[]>, a: Csr<Num[]>, b: Csr<Num[]>) => Csr<Num[]>) =>
  (a: unknown, b: unknown): Csr<Num[]> =>
    f(ring, operand(word, 'first operand', a), operand(word, 'second operand', b));

const sparse = {
  add: ofTwo('add', add),
  sub: ofTwo('sub', sub),
  neg: ofOne('neg', neg),
  scale: (s: unknown, a: unknown) => {
    if (typeof s !== 'number' && !isSymbolic(s))
      fail('program/matrix', `the first operand of sparse.scale is ${describeValue(s)}, not a number`, {
        remedy: 'write sparse.scale(2, A)',
      });
    return scale(ring, s as number, operand('scale', 'second operand', a));
  },
  transpose: ofOne('transpose', transpose),
  multiply: ofTwo('multiply', multiply),
  power: (x: unknown, exponent: number) => {
    const a = operand('power', 'first operand', x);
    if (a.values.some(isSymbolic)) requireRoom(a.pattern, exponent);
    return power(ring, a, exponent);
  },
} as unknown as SparseMath;

/** Refuses powers of which there are more operations than an expression graph holds, before any is traced. */
const requireRoom = (a: CsrPattern, exponent: number): void => {
  if (a.rows !== a.cols || !Number.isSafeInteger(exponent)) return;
  const most = flopsAsNodes();
  const flops = countPowerFlops(a, exponent, most);
  if (flops > most)
    fail(
      'algebra/too-large',
      `this power of ${exponent} takes ${flops.toExponential(1)} operations or more, and ${most.toExponential(1)} is the limit`,
      {
        remedy:
          'take a power of a power, as power(power(A, 10), 10) for power(A, 100), which takes fewer products, or run the program for a small power again and again',
      },
    );
};
