import {
  describeValue,
  DiagnosticError,
  Graph,
  Sym,
  error,
  isSymbolic,
  pass,
  scalarOps,
  type Diagnostics,
  type GraphOptions,
  type Num,
  type Pass,
} from '@filigree/ir';
import type { CsrPattern } from '@filigree/sparse/formats';
import { ARITY, CONSTANT, DIV } from '../decompose/codes.js';
import { IntList } from '../decompose/int-list.js';
import { countFrom } from './count-from.js';

/**
 * The shape of a named input: a length, a nested shape such as `[n, 3]`, or the pattern of a sparse matrix, whose
 * values (one per entry) are the input.
 */
export type InputShape = number | readonly number[] | CsrPattern;

/** What a traced program receives for an input: nested arrays of symbols, or a sparse matrix of them. */
export type SymbolicInput = Sym | SymbolicInput[] | { readonly pattern: CsrPattern; readonly values: Int32Array };

/** A named range of variables: element `i` of the input is variable `first + i`, node `firstNode + i`. */
export interface InputSlot {
  readonly name: string;
  readonly first: number;
  readonly firstNode: number;
  readonly length: number;
  readonly shape: InputShape;
}

/** A named array of nodes to compute, flattened; a sparse result keeps its pattern. */
export interface OutputSlot {
  readonly name: string;
  readonly nodes: Int32Array;
  readonly pattern?: CsrPattern;
}

/** What symbolic execution leaves (§3.1, §4.7): an expression graph with named inputs and outputs. */
export interface Trace {
  readonly graph: Graph;
  readonly inputs: readonly InputSlot[];
  readonly outputs: readonly OutputSlot[];
  /** Sets of nodes tagged to be evaluated by one kernel (§4.2.4). */
  readonly blocks: readonly Int32Array[];
}

/** A value a traced program may return under a name. */
export type TracedOutput =
  Num | ArrayLike<TracedOutput> | { readonly pattern: CsrPattern; readonly values: Int32Array };

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
export interface TraceContext {
  readonly graph: Graph;
  /** Asks that these values be computed by one kernel; returns them. */
  readonly block: <T extends TracedOutput>(values: T) => T;
}

/** Runs a program on symbolic values. Fails on outputs that are not numeric and on values that are NaN whatever the input. */
export const trace = (options: GraphOptions = {}): Pass<Program, Trace> =>
  pass('trace', (program) => runTrace(program, options));

const runTrace = (program: Program, options: GraphOptions): Trace => {
  const variables = Object.entries(program.inputs).reduce((n, [name, shape]) => n + shapeLength(name, shape), 0);
  if (variables > MOST_NODES)
    throw diagnostic(
      'memory/exhausted',
      `inputs of ${variables} values have no room in memory`,
      'take a smaller problem',
    );
  const graph = new Graph({
    capacity: program.capacity ?? Math.min(MOST_NODES, expectedNodes(variables)),
    ...(isAlgebra(program) ? { entries: ENTRIES_OF_ALGEBRA * variables } : {}),
    ...options,
  });
  /* Neither the program nor whoever gave a pattern may write into what is compiled; inputs of one pattern keep sharing one. */
  const [copyOf, handedOut] = [copies(), copies()];
  const inputs: InputSlot[] = [];
  const symbols: Record<string, SymbolicInput> = {};
  for (const [name, shape] of Object.entries(program.inputs)) {
    const length = shapeLength(name, shape);
    const first = graph.variableCount;
    const firstNode = graph.variables(length);
    const own = copyOf(shape);
    inputs.push({ name, first, firstNode, length, shape: own });
    symbols[name] = symbolsOf(graph, handedOut(own), firstNode);
  }
  const blocks: Int32Array[] = [];
  const context: TraceContext = {
    graph,
    block: (values) => {
      blocks.push(flatten(graph, 'block', values));
      return values;
    },
  };
  const results: unknown = program.run(symbols, context);
  if (typeof results !== 'object' || results === null)
    throw diagnostic(
      'trace/outputs',
      `the program returned ${describeValue(results)}`,
      'return an object of outputs by name',
    );
  const outputs = Object.entries(results as Readonly<Record<string, TracedOutput>>).map(([name, value]): OutputSlot => {
    if (isSparse(value)) return { name, nodes: value.values.slice(), pattern: copyPattern(value.pattern) };
    return { name, nodes: flatten(graph, name, value) };
  });
  for (const { name } of outputs) {
    if (inputs.some((i) => i.name === name))
      throw diagnostic('trace/name', `'${name}' is both an input and an output`, 'give the output another name');
  }
  const problems = notANumber(graph, outputs);
  if (problems.length > 0) throw new DiagnosticError(problems);
  graph.freeze();
  return { graph, inputs, outputs, blocks };
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
  if (typeof shape === 'number') return Array.from({ length: shape }, (_, i) => new Sym(graph, first + i));
  if ('rowPtr' in shape) return { pattern: shape, values: countFrom(first, shape.colIdx.length) };
  const [length, ...inner] = shape;
  if (length === undefined) return new Sym(graph, first);
  const size = inner.reduce((a, b) => a * b, 1);
  return Array.from({ length }, (_, i) => symbolsOf(graph, inner, first + i * size));
};

const isSparse = (value: TracedOutput): value is { readonly pattern: CsrPattern; readonly values: Int32Array } =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'values' in value;

const flatten = (graph: Graph, name: string, value: TracedOutput): Int32Array => {
  const ids = new IntList();
  collectIds(graph, name, value, ids);
  return ids.values().slice();
};

/** Arrays within arrays: programs have a few. */
const MOST_NESTED = 64;

/** @param around the arrays that hold this one, from the outermost */
const collectIds = (
  graph: Graph,
  name: string,
  value: TracedOutput,
  ids: IntList,
  around: readonly unknown[] = [],
): void => {
  if (isSymbolic(value)) {
    if (value.graph !== graph)
      throw diagnostic(
        'trace/foreign',
        `output '${name}' holds a symbolic value of another trace`,
        'return only values computed from this trace’s inputs',
      );
    ids.push(value.id);
  } else if (typeof value === 'number') ids.push(graph.constant(value));
  else if (typeof value === 'object' && value !== null && 'length' in value) {
    if (around.includes(value) || around.length > MOST_NESTED)
      throw diagnostic(
        'trace/nested',
        around.includes(value)
          ? `output '${name}' is an array that holds itself`
          : `output '${name}' has arrays in arrays more than ${MOST_NESTED} deep`,
        'return numbers, or arrays of them',
      );
    const inside = [...around, value];
    for (let i = 0; i < value.length; i++) collectIds(graph, name, value[i], ids, inside);
  } else if (typeof value === 'object' && value !== null && isSparse(value))
    for (const id of value.values) ids.push(id);
  else
    throw diagnostic(
      'trace/non-numeric',
      `output '${name}' holds ${value === null ? 'null' : typeof value}, not a number`,
      'return numbers, symbolic values, arrays of them, or sparse matrices',
    );
};

/**
 * Outputs that are not a number whatever the input: they are computed from a NaN by operations that pass it on, or, over the
 * reals, by a division by what is always zero.
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
    const isNumber = graph.isConstant(causes[nodes[element]]);
    const what = isNumber
      ? 'a value that is not a number'
      : 'a division by an expression that, over the real numbers, is always zero';
    return [
      error('trace/not-a-number', `element ${element} of output '${name}' depends on ${what}`, {
        remedy: isNumber
          ? 'guard the expression by a select, or fix what it is computed from'
          : "guard the expression by a select, or compile with arithmetic: 'exact', which computes what plain numbers give",
      }),
    ];
  });
};

/**
 * Operations that are NaN where an operand is. Not selections, of which an arm may be undefined where it is not taken;
 * comparisons, which are then false; and powers and `hypot`, which some operands decide alone.
 */
const PASSES_NAN = Uint8Array.from(scalarOps, (o) =>
  o.arity === 0 || o.predicate || ['select', 'arms', 'pow', 'hypot'].includes(o.name) ? 0 : 1,
);

const isUndefined = (graph: Graph, id: number): boolean => {
  const code = graph.op[id];
  if (code === CONSTANT) return Number.isNaN(graph.constantValue(id));
  return code === DIV && graph.algebraic && graph.algebraicHash(graph.right[id]).every((h) => h === 0);
};

const diagnostic = (code: string, message: string, remedy: string): DiagnosticError =>
  new DiagnosticError([error(code, message, { remedy })]);
