import {
  DiagnosticError,
  Graph,
  Sym,
  error,
  isSymbolic,
  pass,
  reachable,
  type Diagnostics,
  type GraphOptions,
  type Num,
  type Pass,
} from '@filigree/ir';
import type { CsrPattern } from '@filigree/sparse';
import { ARITY, CONSTANT, DIV, SELECT } from '../decompose/codes.js';
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
  const graph = new Graph({
    capacity: program.capacity ?? expectedNodes(variables),
    ...(isAlgebra(program) ? { entries: ENTRIES_OF_ALGEBRA * variables } : {}),
    ...options,
  });
  const inputs: InputSlot[] = [];
  const symbols: Record<string, SymbolicInput> = {};
  for (const [name, shape] of Object.entries(program.inputs)) {
    const length = shapeLength(name, shape);
    const first = graph.variableCount;
    const firstNode = graph.variables(length);
    inputs.push({ name, first, firstNode, length, shape });
    symbols[name] = symbolsOf(graph, shape, firstNode);
  }
  const blocks: Int32Array[] = [];
  const context: TraceContext = {
    graph,
    block: (values) => {
      blocks.push(flatten(graph, 'block', values));
      return values;
    },
  };
  const results = program.run(symbols, context);
  const outputs = Object.entries(results).map(([name, value]): OutputSlot => {
    if (isSparse(value)) return { name, nodes: value.values, pattern: value.pattern };
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

/** Programs on sparse matrices alone: they mostly make sums of products, of which the sums are entered in the graph's table. */
const isAlgebra = (program: Program): boolean =>
  Object.values(program.inputs).every((shape) => typeof shape === 'object' && 'rowPtr' in shape);
const ENTRIES_OF_ALGEBRA = 6;

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

const collectIds = (graph: Graph, name: string, value: TracedOutput, ids: IntList): void => {
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
    for (let i = 0; i < value.length; i++) collectIds(graph, name, value[i], ids);
  } else if (typeof value === 'object' && value !== null && isSparse(value))
    for (const id of value.values) ids.push(id);
  else
    throw diagnostic(
      'trace/non-numeric',
      `output '${name}' holds ${value === null ? 'null' : typeof value}, not a number`,
      'return numbers, symbolic values, arrays of them, or sparse matrices',
    );
};

/** Outputs that are NaN whatever the input: a constant NaN, or a division by an expression that is identically zero. */
const notANumber = (graph: Graph, outputs: readonly OutputSlot[]): Diagnostics => {
  const suspects: number[] = [];
  const { op, length } = graph;
  for (let id = 0; id < length; id++)
    if ((op[id] === DIV || op[id] === CONSTANT) && isUndefined(graph, id)) suspects.push(id);
  if (suspects.length === 0) return [];
  return outputs.flatMap(({ name, nodes }) => {
    /* An arm of a select may be undefined where it is not taken. */
    const live = reachable(graph, nodes, (id) => graph.op[id] !== SELECT);
    const found = suspects.find((id) => live[id] === 1);
    if (found === undefined) return [];
    const element = nodes.findIndex(dependsOn(graph, found));
    const what = graph.isConstant(found)
      ? 'a value that is not a number'
      : 'a division by an expression that is always zero';
    return [
      error('trace/not-a-number', `element ${element} of output '${name}' depends on ${what}`, {
        remedy: 'guard the expression by a select, or fix the structure it is computed from',
      }),
    ];
  });
};

/** Which nodes need the value of `node`, selections apart. */
const dependsOn = (graph: Graph, node: number): ((id: number) => boolean) => {
  const { op, left, right, length } = graph;
  const depends = new Uint8Array(length);
  depends[node] = 1;
  for (let id = node + 1; id < length; id++) {
    const arity = op[id] === SELECT ? 0 : ARITY[op[id]];
    if (arity > 0 && depends[left[id]] === 1) depends[id] = 1;
    if (arity === 2 && depends[right[id]] === 1) depends[id] = 1;
  }
  return (id) => depends[id] === 1;
};

const isUndefined = (graph: Graph, id: number): boolean => {
  const code = graph.op[id];
  if (code === CONSTANT) return Number.isNaN(graph.constantValue(id));
  if (code !== DIV) return false;
  return graph.algebraicHash(graph.right[id]).every((h) => h === 0);
};

const diagnostic = (code: string, message: string, remedy: string): DiagnosticError =>
  new DiagnosticError([error(code, message, { remedy })]);
