import { mix, type Graph } from '@filigree/ir';
import { ARITY, STORABLE } from './codes.js';
import { NONE, OUTPUT, type Cut } from './candidates.js';

/** How far down expressions are compared. */
const DEPTH = 3;
/** One of so many that look alike is stored at the least. */
const USUAL = 2;

/**
 * 1 for expressions of which most others that look alike are stored because several read them. Where something has one reader by chance, as a vertex that is the neighbour of only one other, it would be
 * evaluated there, and each such case be a structure of its own.
 */
export const usuallyStored = (graph: Graph, { kind, references }: Cut): Uint8Array => {
  const { length } = graph;
  const shapes = shapesOf(graph, references);
  const counts = new Map<number, { stored: number; all: number }>();
  const judged = (id: number): boolean => references[id] > 0 && STORABLE[graph.op[id]] === 1 && kind[id] !== OUTPUT;
  for (let id = 0; id < length; id++) {
    if (!judged(id)) continue;
    let count = counts.get(shapes[id]);
    if (count === undefined) counts.set(shapes[id], (count = { stored: 0, all: 0 }));
    count.all++;
    if (kind[id] !== NONE) count.stored++;
  }
  const usual = new Uint8Array(length);
  for (let id = 0; id < length; id++) {
    if (!judged(id)) continue;
    const { stored, all } = counts.get(shapes[id])!;
    if (USUAL * stored >= all) usual[id] = 1;
  }
  return usual;
};

/** A number for the operations that an expression ends with. */
const shapesOf = ({ op, left, right, length }: Graph, references: Uint32Array): Int32Array => {
  let shapes = Int32Array.from(op.subarray(0, length));
  for (let depth = 1; depth < DEPTH; depth++) {
    const next = new Int32Array(length);
    for (let id = 0; id < length; id++) {
      if (references[id] === 0) continue;
      const code = op[id];
      const arity = ARITY[code];
      next[id] = arity === 0 ? code : mix(mix(code, shapes[left[id]]), arity === 2 ? shapes[right[id]] : 0);
    }
    shapes = next;
  }
  return shapes;
};
