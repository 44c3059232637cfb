import { describeValue, DiagnosticError, error, isSymbolic, type Graph, type Num } from '@filigree/ir';
import type { CsrPattern } from '@filigree/sparse/formats';
import { IntList } from '../decompose/int-list.js';

/** A value a traced program may return under a name; truth values are 1 and 0, as those that depend on inputs. */
export type TracedOutput =
  | Num
  | boolean
  | ArrayLike<TracedOutput>
  | { readonly pattern: CsrPattern; readonly values: Int32Array };

/** Whether a value is a sparse matrix of nodes. */
export const isSparse = (value: TracedOutput): value is { readonly pattern: CsrPattern; readonly values: Int32Array } =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'values' in value;

/** The nodes of a value, in the order in which it is nested. `name` is said where something else stands in it. */
export const flatten = (graph: Graph, name: string, value: TracedOutput): Int32Array => {
  const values = flattenValues(graph, name, value);
  return graph.recorder === undefined ? values : graph.recorder.nodesOf(values);
};

/** The same, with `~v` where value v of the graph's recorder stands. */
export const flattenValues = (graph: Graph, name: string, value: TracedOutput): Int32Array => {
  const ids = new IntList(16);
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
    ids.push(value.at);
  } else if (typeof value === 'number' || typeof value === 'boolean') ids.push(graph.constant(Number(value)));
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
      `${placeIn(name, [...around, value])} is ${describeValue(value)}, not a number`,
      value === undefined && around.length > 0
        ? 'look for an element that is never assigned, or that is read beyond the end of an array'
        : 'return numbers, symbolic values, arrays of them, or sparse matrices',
    );
};

/* Of equal parts of an array the first is the one that was looked at. */
const placeIn = (name: string, path: readonly unknown[]): string => {
  const indices = path.slice(1).map((part, k) => Array.from(path[k] as ArrayLike<unknown>).indexOf(part));
  return indices.length > 0 ? `element [${indices.join('][')}] of output '${name}'` : `output '${name}'`;
};

export const diagnostic = (code: string, message: string, remedy: string): DiagnosticError =>
  new DiagnosticError([error(code, message, { remedy })]);
