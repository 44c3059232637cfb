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
  for (const g of h.harvested) countReads(g, ptr);
  for (let u = 0; u < units; u++) ptr[u + 1] += ptr[u];
  const values = new Int32Array(ptr[units]);
  const next = ptr.slice(0, units);
  const variables = h.graph.variableCount;
  const valueOf = new Int32Array(h.ids);
  for (const { first, firstNode, length } of h.inputs)
    for (let i = 0; i < length; i++) valueOf[firstNode + i] = first + i;
  for (let r = 0; r < h.roots.length; r++) valueOf[h.roots[r]] = variables + r;
  for (let u = 0; u < units; u++) for (let r = h.ptr[u]; r < h.ptr[u + 1]; r++) values[next[u]++] = variables + r;
  for (const g of h.harvested) listReads(g, valueOf, next, values);
  return { ptr, values, variables, count: variables + h.roots.length };
};

/** Adds to `ptr[unit + 1]` how much each instance of a group reads. */
const countReads = ({ units, body, segments }: HarvestedGroup, ptr: Int32Array): void => {
  const width = body?.columns.length ?? 0;
  for (let i = 0; i < units.length; i++) ptr[units[i] + 1] += width;
  for (const { columns, ptr: from } of segments)
    for (let i = 0; i < units.length; i++) ptr[units[i] + 1] += columns.length * (from[i + 1] - from[i]);
};

/** Lists what each instance of a group reads from `next[unit]` on, column by column. */
const listReads = (
  { units, body, segments }: HarvestedGroup,
  valueOf: Int32Array,
  next: Int32Array,
  values: Int32Array,
): void => {
  for (const { nodes } of body?.columns ?? [])
    for (let i = 0; i < units.length; i++) values[next[units[i]]++] = valueOf[nodes[i]];
  for (const { columns, ptr } of segments)
    for (const { nodes } of columns)
      for (let i = 0; i < units.length; i++)
        for (let k = ptr[i]; k < ptr[i + 1]; k++) values[next[units[i]]++] = valueOf[nodes[k]];
};
