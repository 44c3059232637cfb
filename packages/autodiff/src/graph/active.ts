import { graphCodes, type Graph } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';
import { throughMarked } from './rule-of.js';

const { ARITY, ARMS } = graphCodes;

/** What an expression has to do with the variables by which it is differentiated; one entry a node up to the last root. */
export interface Activity {
  /** 1 where a root's derivative by some variable goes through the node; 2 at the variables themselves. */
  readonly active: Uint8Array;
  /** Number of nodes at which `active` is not 0. */
  readonly count: number;
  /** Whether a root depends on a variable at all, be it through steps and conditions. */
  readonly depends: boolean;
}

/**
 * Marks the nodes between `roots` and `variables`, which are taken as independent of each other: nothing below one is looked at. Fails where one of these
 * nodes has no derivative.
 */
export const activity = (
  graph: Graph,
  roots: ArrayLike<number>,
  variables: ArrayLike<number>,
  table: DerivativeTable,
): Activity => {
  let last = -1;
  for (let i = 0; i < roots.length; i++) last = Math.max(last, roots[i]);
  const below = new Uint8Array(last + 1);
  const variable = new Uint8Array(last + 1);
  for (let i = 0; i < variables.length; i++) if (variables[i] <= last) variable[variables[i]] = 1;
  for (let i = 0; i < roots.length; i++) below[roots[i]] = 1;
  const { op, left, right } = graph;
  let depends = false;
  for (let id = last; id >= 0; id--) {
    if (below[id] === 0) continue;
    if (variable[id] === 1) {
      depends = true;
      continue;
    }
    const arity = ARITY[op[id]];
    if (arity > 0) below[left[id]] = 1;
    if (arity === 2) below[right[id]] = 1;
  }
  const active = new Uint8Array(last + 1);
  const dependent = new Uint8Array(last + 1);
  const through = throughMarked(graph, active, table);
  let count = 0;
  for (let id = 0; id <= last; id++) {
    if (below[id] === 0) continue;
    if (variable[id] === 1) active[id] = 2;
    else {
      const arity = ARITY[op[id]];
      if (arity === 0 || !(dependent[left[id]] || (arity === 2 && dependent[right[id]]))) continue;
      /* The arms of a selection stand beside it: their operands are those of the selection. */
      if (op[id] !== ARMS && through(id)) active[id] = 1;
    }
    dependent[id] = 1;
    if (active[id] !== 0) count++;
  }
  return { active, count, depends };
};
