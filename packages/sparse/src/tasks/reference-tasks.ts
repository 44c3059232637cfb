import { isSparse, nodeOf, pathTo, type Layout } from '../fields/layout/layout.js';
import type { Task } from './task.js';

/**
 * How many tasks the thesis' system launches for one of ours without looking across kernels: a loop and a serial stretch are one
 * each, and before a loop over sparse elements, for each node from the root down to the one it runs over, a list is cleared and made
 * anew (thesis §4.3.2, Table 4.5). A loop over what is dense all the way is one over a range, and needs no lists.
 */
export const referenceTasks = (layout: Layout, { loop }: Pick<Task, 'loop'>): number => {
  const node = loop && nodeOf(layout, loop);
  const path = node ? pathTo(layout.nodes, node.id) : [];
  return path.some((n) => isSparse(layout.nodes[n])) ? 1 + 2 * path.length : 1;
};
