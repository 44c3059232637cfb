import {
  checkOptions,
  describeValue,
  DiagnosticError,
  Graph,
  Sym,
  error,
  option,
  pass,
  recordedBy,
  scalarOps,
  warning,
  type ScalarOp,
  type Diagnostics,
  type GraphOptions,
  type Pass,
  type Recorder,
} from '@filigree/ir';
import type { Csr, CsrPattern, Ring } from '@filigree/sparse/formats';
import { ARITY } from '../decompose/codes.js';
import { countFrom } from './count-from.js';
import { derivativesOf, type Derivatives } from './derivatives.js';
import { printTrace } from './print-trace.js';
import { diagnostic, flattenValues, isSparse, type TracedOutput } from './traced-output.js';
import { describeElements } from './elements/describe-elements.js';
import type { InputShape, InputSlot } from './input-slot.js';
import type { OutputSlot } from './output-slot.js';
import type { Elements, ElementsWord } from './elements/elements.js';
import { traceElements } from './elements/trace-elements.js';
import { columnAlgebra, type ColumnAlgebra } from './elements/column-algebra.js';
import { settled } from './elements/settled.js';
import { recorderOf } from './repetition/recorder.js';
import { symbolicRing } from './symbolic-ring.js';
import { isUndefined } from './undefined.js';

export type { InputShape, InputSlot } from './input-slot.js';
export type { OutputSlot } from './output-slot.js';

/** What a traced program receives for an input: nested arrays of symbols, or a sparse matrix of them. */
export type SymbolicInput = Sym | SymbolicInput[] | { readonly pattern: CsrPattern; readonly values: Int32Array };

/** What symbolic execution leaves (§3.1, §4.7): an expression graph with named inputs and outputs. */
export interface Trace {
  readonly graph: Graph;
  readonly inputs: readonly InputSlot[];
  readonly outputs: readonly OutputSlot[];
  /** Sets of nodes tagged to be evaluated by one kernel (§4.2.4). */
  readonly blocks: readonly Int32Array[];
  /** What `elements` computes, in the order of the program. */
  readonly elements: readonly Elements[];
  /** Outputs that are NaN whatever the input, as they are in the plain program. */
  readonly warnings: Diagnostics;
}

/** A program to trace: the shapes of its inputs, and a function from symbolic inputs to outputs. */
export interface Program {
  /** Expected number of expression nodes, if known; saves reallocation. */
  readonly capacity?: number;
  readonly inputs: Readonly<Record<string, InputShape>>;
  /** Ordinary numeric code over symbolic values; `context` gives the graph and tags blocks. */
  readonly run: (
    inputs: Record<string, SymbolicInput>,
    context: TraceContext,
  ) => Readonly<Record<string, TracedOutput>>;
}

/** What a program receives beside its inputs. */
export interface TraceContext extends Derivatives {
  readonly graph: Graph;
  /** Asks that these values be computed by one kernel; returns them. */
  readonly block: <T extends TracedOutput>(values: T) => T;
  /** Runs a body for many elements at the cost of running it once, see `ElementsWord`. */
  readonly elements: ElementsWord;
  /**
   * Sparse algebra on the nodes of this trace, as `symbolicRing(graph)`, at less cost: of large matrices only entries are made, not the products that they are
   * sums of. For what goes to outputs or on into algebra: other code that reads an entry reads it from memory.
   */
  readonly ring: Ring<Int32Array>;
}

/** How a program is traced. */
export interface TraceOptions extends GraphOptions {
  /** Whether the sums of large matrices are listed in columns; default true. Else all are nodes, for which `decompose` chooses what is stored. */
  readonly columns?: boolean;
  /** Whether what loops of rewritten code repeat becomes elements; default true. Else each operation is a node. */
  readonly repetition?: boolean;
}

/** Runs a program on symbolic values. Fails on outputs that are not numeric and, over the reals, on values that are NaN whatever the input. */
export const trace = (options: TraceOptions = {}): Pass<Program, Trace> => ({
  ...pass('trace', (program: Program) => runTrace(program, options)),
  print: (traced) =>
    printTrace(traced) +
    traced.elements.map((e) => `${describeElements(traced.graph, traced.inputs, e).title}\n`).join(''),
});

const runTrace = (program: Program, given: TraceOptions): Trace => {
  const { columns: inColumns, repetition: ofLoops, ...options } = given;
  const { columns = true, repetition = true } = checkOptions<Pick<TraceOptions, 'columns' | 'repetition'>>(
    'trace',
    {
      ...(inColumns === undefined ? {} : { columns: inColumns }),
      ...(ofLoops === undefined ? {} : { repetition: ofLoops }),
    },
    { columns: option.truth, repetition: option.truth },
  );
  const variables = Object.entries(program.inputs).reduce((n, [name, shape]) => n + shapeLength(name, shape), 0);
  if (variables > MOST_NODES)
    throw diagnostic(
      'memory/exhausted',
      `inputs of ${variables} values have no room in memory`,
      'take a smaller problem',
    );
  const graph = new Graph({
    capacity: program.capacity ?? Math.min(MOST_NODES, expectedNodes(variables)),
    ...(isAlgebra(program)
      ? { entries: ENTRIES_OF_ALGEBRA * variables }
      : repetition
        ? { entries: ENTRIES_AT_FIRST * variables }
        : {}),
    ...options,
  });
  /* Neither the program nor whoever gave a pattern may write into what is compiled; inputs of one pattern keep sharing one. */
  const copyOf = copies();
  const inputs: InputSlot[] = [];
  for (const [name, shape] of Object.entries(program.inputs)) {
    const length = shapeLength(name, shape);
    const first = graph.variableCount;
    const firstNode = graph.variables(length);
    inputs.push({ name, first, firstNode, length, shape: copyOf(shape) });
  }
  const tagged: Int32Array[] = [];
  const elements: Elements[] = [];
  const algebra = columnAlgebra(graph, inputs, elements);
  const context: TraceContext = {
    graph,
    block: (values) => {
      const ids = flattenValues(graph, 'block', values);
      tagged.push(graph.recorder === undefined ? ids : graph.recorder.together(ids));
      return values;
    },
    ...derivativesOf(graph, elements),
    elements: traceElements(graph, elements),
    ring: columns ? algebra.ring : symbolicRing(graph),
  };
  /* Whoever checks for collisions wants all nodes. */
  if (repetition && graph.findsByResidues) graph.recorder = recorderOf(graph, elements);
  const outputs = outputsOf(graph, returned(graph, program, inputs, context), algebra);
  for (const { name } of outputs) {
    if (inputs.some((i) => i.name === name))
      throw diagnostic('trace/name', `'${name}' is both an input and an output`, 'give the output another name');
  }
  const warnings = notANumber(graph, outputs);
  if (warnings.some(({ severity }) => severity === 'error')) throw new DiagnosticError(warnings);
  /* What elements compute is together in their template. */
  const { recorder } = graph;
  const blocks = recorder === undefined ? tagged : tagged.map((ids) => recorder.made(ids));
  graph.freeze();
  return {
    graph,
    inputs,
    outputs,
    blocks,
    elements: settled(graph, outputs, blocks, elements, algebra.isSum),
    warnings,
  };
};

/** A value that a program returned. */
interface Returned {
  readonly name: string;
  /** The matrix of nodes that it is, if it is one. */
  readonly matrix: Csr<Int32Array> | undefined;
  /** Else its nodes, with `~v` where value v of the graph's recorder stands. */
  readonly values: Int32Array;
}

/**
 * Runs a program. The symbols, as many as its inputs and outputs have values, are not kept: each collection while nodes are found would go through them.
 */
const returned = (
  graph: Graph,
  program: Program,
  inputs: readonly InputSlot[],
  context: TraceContext,
): readonly Returned[] => {
  const handedOut = copies();
  const symbols = Object.fromEntries(
    inputs.map(({ name, shape, firstNode }) => [name, symbolsOf(graph, handedOut(shape), firstNode)]),
  );
  const results: unknown = recordedBy(graph.recorder, () => program.run(symbols, context));
  if (typeof results !== 'object' || results === null)
    throw diagnostic(
      'trace/outputs',
      `the program returned ${describeValue(results)}`,
      'return an object of outputs by name',
    );
  const late = hasMethod(results, 'then') ? 'a promise' : hasMethod(results, 'next') ? 'an iterator' : undefined;
  if (late !== undefined)
    throw diagnostic(
      'trace/outputs',
      `the program returned ${late}`,
      'a trace runs from start to end at once: use a plain function, and await data before',
    );
  return Object.entries(results as Readonly<Record<string, TracedOutput>>).map(([name, value]) =>
    isSparse(value)
      ? { name, matrix: value, values: NO_NODES }
      : { name, matrix: undefined, values: flattenValues(graph, name, value) },
  );
};

/* Outputs may be called so as well. */
const hasMethod = (results: object, name: string): boolean =>
  typeof (results as Readonly<Record<string, unknown>>)[name] === 'function';

/** Outputs with their nodes, which are found for all of them together. */
const outputsOf = (
  graph: Graph,
  results: readonly Returned[],
  { nodeOf, unread }: Pick<ColumnAlgebra, 'nodeOf' | 'unread'>,
): OutputSlot[] => {
  const values = results.map(({ matrix, values: own }) =>
    matrix === undefined ? own : unread.isUnread(matrix) ? NO_NODES : matrix.values,
  );
  const found = graph.recorder === undefined ? values : nodesOfAll(graph.recorder, values);
  const products = unread.settled(results.flatMap(({ matrix }) => (matrix && unread.isUnread(matrix) ? [matrix] : [])));
  return results.map(({ name, matrix }, k) => {
    const product = matrix && products.get(matrix);
    const nodes = matrix !== undefined && product === undefined && values[k] === NO_NODES ? matrix.values : found[k];
    return {
      name,
      length: product === undefined ? nodes.length : product.pattern.colIdx.length,
      nodes: nodes.map(nodeOf),
      ...(matrix && { pattern: copyPattern(matrix.pattern) }),
      ...(product && { product }),
    };
  });
};

const NO_NODES = new Int32Array(0);

/** The nodes of several lists of values, found together. */
const nodesOfAll = (recorder: Recorder, values: readonly Int32Array[]): Int32Array[] => {
  const all = new Int32Array(values.reduce((n, v) => n + v.length, 0));
  let at = 0;
  for (const v of values) {
    all.set(v, at);
    at += v.length;
  }
  const found = recorder.nodesOf(all);
  at = 0;
  return values.map((v) => (v === NO_NODES ? v : found.subarray(at, (at += v.length))));
};

/** Copies of shapes, of each object one. */
const copies = (): ((shape: InputShape) => InputShape) => {
  const made = new Map<object, InputShape>();
  return (shape) => {
    if (typeof shape === 'number') return shape;
    const copy = made.get(shape) ?? ('rowPtr' in shape ? copyPattern(shape) : [...shape]);
    made.set(shape, copy);
    return copy;
  };
};

const copyPattern = ({ rows, cols, rowPtr, colIdx }: CsrPattern): CsrPattern => ({
  rows,
  cols,
  rowPtr: rowPtr.slice(),
  colIdx: colIdx.slice(),
});

/** Programs on sparse matrices alone: they mostly make sums of products, of which the sums are entered in the graph's table. */
const isAlgebra = (program: Program): boolean =>
  Object.values(program.inputs).every((shape) => typeof shape === 'object' && 'rowPtr' in shape);
const ENTRIES_OF_ALGEBRA = 6;
/** What repeats makes few nodes: the table grows where there are more. */
const ENTRIES_AT_FIRST = 2;

/** Nodes have numbers of 31 bits. */
const MOST_NODES = 2 ** 31 - 1;

/** Room to begin with: numeric code makes some tens of nodes an input, very large programs a few. Untouched room costs nothing. */
const expectedNodes = (variables: number): number => Math.max(1024, 4.5 * variables, Math.min(1 << 23, 48 * variables));

const shapeLength = (name: string, shape: InputShape): number => {
  const length =
    typeof shape === 'number' ? shape : 'rowPtr' in shape ? shape.colIdx.length : shape.reduce((a, b) => a * b, 1);
  if (!Number.isSafeInteger(length) || length < 0)
    throw diagnostic(
      'trace/shape',
      `input '${name}' has no valid length: ${length}`,
      'give a length, a list of lengths, or a sparse pattern',
    );
  return length;
};

const symbolsOf = (graph: Graph, shape: InputShape, first: number): SymbolicInput => {
  if (typeof shape === 'number') {
    const symbols: Sym[] = [];
    for (let i = 0; i < shape; i++) symbols.push(new Sym(graph, first + i));
    return symbols;
  }
  if ('rowPtr' in shape) return { pattern: shape, values: countFrom(first, shape.colIdx.length) };
  const [length, ...inner] = shape;
  if (length === undefined) return new Sym(graph, first);
  const size = inner.reduce((a, b) => a * b, 1);
  return Array.from({ length }, (_, i) => symbolsOf(graph, inner, first + i * size));
};

/**
 * Outputs that are not a number whatever the input: they are computed from a NaN by operations that pass it on, or, over the
 * reals, by a division by what is always zero. Over the reals there is no such number; else plain numbers give it too, as 0 / 0 for the normal of a vertex
 * without faces, and it is only said.
 */
const notANumber = (graph: Graph, outputs: readonly OutputSlot[]): Diagnostics => {
  const { op, left, right, length } = graph;
  let undefinedAt: Int32Array | undefined;
  for (let id = 0; id < length; id++) {
    const found = isUndefined(graph, id)
      ? id
      : undefinedAt === undefined || PASSES_NAN[op[id]] === 0
        ? -1
        : ARITY[op[id]] === 2 && undefinedAt[left[id]] < 0
          ? undefinedAt[right[id]]
          : undefinedAt[left[id]];
    if (found >= 0) (undefinedAt ??= new Int32Array(length).fill(-1))[id] = found;
  }
  if (undefinedAt === undefined) return [];
  const causes = undefinedAt;
  return outputs.flatMap(({ name, nodes }) => {
    const element = nodes.findIndex((id) => causes[id] >= 0);
    if (element < 0) return [];
    const first = `element ${element} of output '${name}'`;
    if (!graph.algebraic) {
      const others = nodes.reduce((n, id) => (causes[id] >= 0 ? n + 1 : n), -1);
      return [
        warning(
          'trace/not-a-number',
          `${first} is NaN whatever the inputs${others > 0 ? `, and so ${others === 1 ? 'is 1 other' : `are ${others} others`} of its elements` : ''}`,
          { remedy: 'guard the expression by a select, or fix what it is computed from, where that is not meant' },
        ),
      ];
    }
    const isNumber = graph.isConstant(causes[nodes[element]]);
    const what = isNumber
      ? 'a value that is not a number'
      : 'a division by an expression that, over the real numbers, is always zero';
    return [
      error('trace/not-a-number', `${first} depends on ${what}`, {
        remedy: isNumber
          ? "guard the expression by a select, fix what it is computed from, or compile with arithmetic: 'exact', which computes what plain numbers give"
          : "guard the expression by a select, or compile with arithmetic: 'exact', which computes what plain numbers give",
      }),
    ];
  });
};

/** Whether an operation is a number where one operand is NaN, for some other operand of those that do so. */
const decidesAlone = ({ arity, evaluate }: ScalarOp): boolean =>
  [0, 1, -1, Infinity, -Infinity].some(
    (x) => !Number.isNaN(evaluate(NaN, x)) || (arity === 2 && !Number.isNaN(evaluate(x, NaN))),
  );

/**
 * Operations that are NaN where an operand is. Not selections, of which an arm may be undefined where it is not taken;
 * comparisons, which are then false; and those of which some operand decides alone, such as powers and `hypot`.
 */
const PASSES_NAN = Uint8Array.from(scalarOps, (o) =>
  o.arity === 0 || o.predicate || o.kernelOp === 'arith.select' || decidesAlone(o) ? 0 : 1,
);
