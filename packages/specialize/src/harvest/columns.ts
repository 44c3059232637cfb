import type { Graph } from '@filigree/ir';
import { equalColumns, isUniform } from '../trace/elements/column-from.js';
import type { Slot } from './template.js';

/** A leaf of a template as its instances fill it: node ids, all of one buffer (0: intermediates, k + 1: input k). */
export interface Column {
  readonly kind: number;
  readonly nodes: Int32Array;
  /** Whether `nodes` are positions in the buffer instead, so that nobody copies as many as products of large matrices have. */
  readonly arePositions?: boolean;
}

/** Leaves and constants of a group after harvesting: distinct columns, and what stands at each place of the form. */
export interface HarvestedLeaves {
  readonly columns: readonly Column[];
  /** Varying constants, one column each. */
  readonly constants: readonly Float64Array[];
  readonly leaf: readonly Slot[];
  readonly constant: readonly Slot[];
}

/**
 * Finds repeated leaves and uniform constants (§4.4, App. B): columns that agree in every instance become one variable;
 * a constant that all instances share becomes a number in the code, others a column of their own.
 *
 * @param leaves node ids, one array per leaf
 * @param constants node ids of constants, one array per constant
 */
export const harvestLeaves = (
  graph: Graph,
  leaves: readonly Int32Array[],
  kinds: readonly number[],
  constants: readonly Int32Array[],
): HarvestedLeaves => {
  const columns: Column[] = [];
  const leaf: Slot[] = leaves.map((nodes, i) => {
    const known = columns.findIndex((c) => c.kind === kinds[i] && equalColumns(c.nodes, nodes));
    if (known >= 0) return { variable: known };
    columns.push({ kind: kinds[i], nodes });
    return { variable: columns.length - 1 };
  });
  const varying: { nodes: Int32Array; values: Float64Array }[] = [];
  const constant: Slot[] = constants.map((nodes) => {
    if (isUniform(nodes)) return { value: graph.constantValue(nodes[0]) };
    const known = varying.findIndex((c) => equalColumns(c.nodes, nodes));
    if (known >= 0) return { variable: columns.length + known };
    varying.push({ nodes, values: Float64Array.from(nodes, (id) => graph.constantValue(id)) });
    return { variable: columns.length + varying.length - 1 };
  });
  return { columns, constants: varying.map((c) => c.values), leaf, constant };
};
