import { walk, type Op, type Region } from '@filigree/ir';
import { activates } from '../access/field-dialect.js';
import { isSparse, nodeOf, nodesWithin, pathTo, type Layout } from '../layout/layout.js';
import { isAroundBoth, isAtOwnElement } from './own.js';

/** What code may do to the structure. */
export interface Changes {
  /** Nodes whose active cells may change; for the body of a loop, other than those around its own element. */
  readonly nodes: ReadonlySet<number>;
  /** Those of them of which cells may no longer be active. */
  readonly lost: ReadonlySet<number>;
}

/** Finds what a region may change; `own` is the node over whose elements it runs, if it is the body of a loop over elements. */
export const changesOf = (layout: Layout, region: Region, own?: number): Changes => {
  const nodes = new Set<number>();
  const lost = new Set<number>();
  walk(region, (op) => {
    const path = activated(layout, op);
    const atOwn = own !== undefined && isAtOwnElement(layout, op, region, own);
    for (const n of path) if (isSparse(layout.nodes[n]) && !(atOwn && isAroundBoth(layout, n, own, path))) nodes.add(n);
    if (removing.has(op.name))
      for (const n of nodesWithin(layout, nodeOf(layout, op)!.id))
        if (isSparse(layout.nodes[n])) {
          nodes.add(n);
          lost.add(n);
        }
  });
  return { nodes, lost };
};

const removing = new Set(['field.deactivate', 'field.clear', 'field.clear_all', 'snode.deactivate', 'snode.clear']);

const writing = new Set(['field.store', 'field.store_word', 'field.atomic']);

const activating = new Set(['field.activate', 'field.append', 'snode.lookup_all']);

/** Nodes of which an op may activate a cell. */
const activated = (layout: Layout, op: Op): readonly number[] => {
  if (writing.has(op.name)) return activates(op) ? (layout.fields.get(String(op.attrs.field))?.path ?? []) : [];
  const named = activating.has(op.name) || (op.name === 'snode.lookup' && op.attrs.activate === true);
  return named ? pathTo(layout.nodes, nodeOf(layout, op)!.id) : [];
};
