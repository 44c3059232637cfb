import { scalarOps, type Graph } from '@filigree/ir';
import { ARITY, ARMS, CONSTANT } from '../../decompose/codes.js';
import type { InputSlot } from '../input-slot.js';
import type { Elements } from './elements.js';
import { leavesOf } from './leaves-of.js';

/** The template of elements, to be looked at: operations with what they read, operands first. */
export interface DescribedElements {
  /** How many elements there are, and what they have, in one line. */
  readonly title: string;
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation {
  readonly id: number;
  readonly name: string;
  /** Operations by their ids; anything else as text: a leaf by the array that its column reads, a number. */
  readonly operands: readonly (number | string)[];
  /** Whether sums read its values. */
  readonly isRoot: boolean;
}

/** What a call of `elements` came to, or derivatives of many terms of one form. */
export const describeElements = (graph: Graph, inputs: readonly InputSlot[], e: Elements): DescribedElements => {
  const { op, left, right } = graph;
  const leaves = new Map(Array.from(leavesOf(graph, e, [...e.roots]), (id, k) => [id, leafName(inputs, e, id, k)]));
  const below = new Set<number>();
  for (const rest = [...e.roots]; rest.length > 0;) {
    const id = rest.pop()!;
    if (below.has(id) || leaves.has(id) || op[id] === CONSTANT) continue;
    below.add(id);
    rest.push(left[id]);
    if (ARITY[op[id]] > 1) rest.push(right[id]);
  }
  const operand = (id: number): (number | string)[] =>
    op[id] === ARMS && !leaves.has(id)
      ? [...operand(left[id]), ...operand(right[id])]
      : [leaves.get(id) ?? (op[id] === CONSTANT ? String(graph.constantValue(id)) : id)];
  const roots = new Set(e.roots);
  const operations = [...below]
    .filter((id) => op[id] !== ARMS)
    .sort((a, b) => a - b)
    .map((id) => ({
      id,
      name: scalarOps[op[id]].name,
      operands: [...operand(left[id]), ...(ARITY[op[id]] > 1 ? operand(right[id]) : [])],
      isRoot: roots.has(id),
    }));
  const sums = e.sums.ptr.length - 1;
  const summed = `${sums} sums of ${e.sums.terms.length} terms`;
  const values = `${e.count} elements of ${operations.length} operations, ${leaves.size} leaves and ${e.roots.length} values`;
  return { title: e.count === 0 ? summed : sums > 0 ? `${values}; ${summed}` : values, operations };
};

const leafName = (inputs: readonly InputSlot[], e: Elements, id: number, k: number): string => {
  const at = e.variables.indexOf(id);
  const node = at < 0 ? id : e.columns[at][0];
  const input = inputs.find((i) => node >= i.firstNode && node < i.firstNode + i.length);
  return `${input?.name ?? 'value'}.${k}${at < 0 ? ', the same for all' : ''}`;
};
