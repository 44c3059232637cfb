import type { Harvest, HarvestedGroup } from '../harvest/harvested.js';

/**
 * What every unit touches, in compressed rows: `values[ptr[u] .. ptr[u+1])` are the inputs and intermediates that unit u
 * reads, and the intermediates that it makes. Variables come first, by their numbers; intermediate r, an index into the
 * roots, is `variables + r`. Numbers of nodes would do as well, but these lie close together.
 */
export interface Accesses {
  readonly ptr: Int32Array;
  readonly values: Int32Array;
  readonly variables: number;
  /** Variables and intermediates in all. */
  readonly count: number;
}

export const accesses = (h: Harvest): Accesses => {
  const units = h.ptr.length - 1;
  const ptr = new Int32Array(units + 1);
  for (let u = 0; u < units; u++) ptr[u + 1] = h.ptr[u + 1] - h.ptr[u];
  for (const g of h.harvested) forEachRead(g, (unit, count) => (ptr[unit + 1] += count));
  for (let u = 0; u < units; u++) ptr[u + 1] += ptr[u];
  const values = new Int32Array(ptr[units]);
  const next = ptr.slice(0, units);
  const variables = h.graph.variableCount;
  const valueOf = new Int32Array(h.ids);
  for (const { first, firstNode, length } of h.inputs)
    for (let i = 0; i < length; i++) valueOf[firstNode + i] = first + i;
  for (let r = 0; r < h.roots.length; r++) valueOf[h.roots[r]] = variables + r;
  for (let u = 0; u < units; u++) for (let r = h.ptr[u]; r < h.ptr[u + 1]; r++) values[next[u]++] = variables + r;
  for (const g of h.harvested) {
    forEachRead(g, (unit, count, column, from) => {
      for (let k = 0; k < count; k++) values[next[unit]++] = valueOf[column[from + k]];
    });
  }
  return { ptr, values, variables, count: variables + h.roots.length };
};

/** Visits the reads of each instance of a group, column by column: entries `from .. from + count` of a column. */
const forEachRead = (
  g: HarvestedGroup,
  visit: (unit: number, count: number, column: Int32Array, from: number) => void,
): void => {
  const { units } = g;
  for (const { nodes } of g.body?.columns ?? []) for (let i = 0; i < units.length; i++) visit(units[i], 1, nodes, i);
  for (const { columns, ptr } of g.segments)
    for (const { nodes } of columns)
      for (let i = 0; i < units.length; i++) visit(units[i], ptr[i + 1] - ptr[i], nodes, ptr[i]);
};
