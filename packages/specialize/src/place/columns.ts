import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Column } from '../harvest/columns.js';
import type { Ordered } from '../order/order.js';
import { columnFrom } from '../trace/elements/column-from.js';
import type { Movable } from './movable.js';

/** The buffer of intermediate values. */
export const TEMPORARIES = 'temp';

/** Where values stand. */
export interface Positions {
  readonly h: Ordered;
  /** Position of each stored node among the intermediates. */
  readonly slot: Int32Array;
  /** Buffer of each kind of values. */
  readonly names: readonly string[];
}

/** Positions of the values that a column names. */
export const positionsOf = (at: Positions, { nodes, kind, arePositions = false }: Column): Int32Array => {
  if (arePositions) return nodes;
  if (kind === INTERMEDIATE) return gather(at.slot, nodes);
  const first = at.h.inputs[kind - 1].firstNode;
  const out = new Int32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) out[i] = nodes[i] - first;
  return out;
};

/** The buffer of values of a kind. */
export const bufferOf = (at: Positions, kind: number): string => (kind === INTERMEDIATE ? TEMPORARIES : at.names[kind]);

/** Position columns of a group's destinations, and which value goes to which. */
export const destinationColumns = (
  at: Positions,
  g: Movable,
  firstAddress: number,
): { columns: Int32Array[]; stores: { buffer: string; address: number }[][] } => {
  const { h, slot } = at;
  const columns: Int32Array[] = [];
  const stores: { buffer: string; address: number }[][] = [];
  const add = (list: { buffer: string; address: number }[], buffer: string, column: Int32Array): void => {
    list.push({ buffer, address: firstAddress + columns.length });
    columns.push(column);
  };
  if (g.move) {
    const { name } = h.outputs[g.move.output];
    for (const positions of g.move.positions) {
      const list: { buffer: string; address: number }[] = [];
      for (const column of positions) add(list, name, column);
      stores.push(list);
    }
    return { columns, stores };
  }
  const { units } = g;
  const first = h.ptr[units[0]];
  const { ptr, output, position } = h.destinations;
  for (let k = 0; k < h.ptr[units[0] + 1] - first; k++) {
    const list: { buffer: string; address: number }[] = [];
    const ofRoot = gather(h.ptr, units);
    for (let i = 0; i < ofRoot.length; i++) ofRoot[i] += k;
    if (h.destinations.read[first + k] === 1) add(list, TEMPORARIES, gather(slot, gather(h.roots, ofRoot)));
    const written = ptr[first + k];
    const starts = written < ptr[first + k + 1] ? gather(ptr, ofRoot) : ofRoot;
    for (let o = 0; o < ptr[first + k + 1] - written; o++)
      add(list, h.outputs[output[written + o]].name, columnFrom(position, starts, o));
    stores.push(list);
  }
  return { columns, stores };
};

/** values[at[i]] */
const gather = (values: Int32Array, at: Int32Array): Int32Array => {
  const out = new Int32Array(at.length);
  for (let i = 0; i < at.length; i++) out[i] = values[at[i]];
  return out;
};
