import { walk, type Op, type Region } from '@filigree/ir';
import type { ElementOpOf } from './element-ops.js';

/** Whether no other iteration of the parallel loop around an op touches the adjoint of its element. */
export type Owns = (op: Op) => boolean;

/** Outside of parallel loops nothing runs at once. */
export const ownsAll: Owns = () => true;

/**
 * Iterations of a parallel loop own the elements with their own coordinates, in places of which the loop touches no others: what
 * iterations read there is added to without atomics.
 */
export const ownElements = ({ params, ops }: Region, elementOf: ElementOpOf): Owns => {
  const shared = new Set<string>();
  const all: Op[] = [];
  walk({ params, ops }, (op) => void all.push(op));
  for (const op of all) {
    const element = elementOf(op);
    if (!element) continue;
    const own = element.index.length === params.length && params.every((p, n) => element.index[n].id === p.id);
    if (!own) shared.add(element.place);
  }
  return (op) => {
    const element = elementOf(op);
    return element !== undefined && !shared.has(element.place);
  };
};
