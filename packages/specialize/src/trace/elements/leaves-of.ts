import type { Graph } from '@filigree/ir';
import { ARITY, ARMS, CONSTANT } from '../../decompose/codes.js';
import type { Elements } from './elements.js';

/**
 * Leaves of what a template computes: its own, and what was there before it or depends on none of its leaves. Selections take their
 * arms as they are.
 */
export const leavesOf = (
  graph: Graph,
  { variables, sums }: Pick<Elements, 'variables' | 'sums'>,
  roots: readonly number[],
): Int32Array => {
  const { op, left, right } = graph;
  const first = variables.length > 0 ? variables[0] : sums.first;
  const depends = new Uint8Array(sums.first - first);
  for (const id of variables) depends[id - first] = 1;
  const of = (id: number): number => (id < first ? 0 : depends[id - first]);
  for (let id = first; id < sums.first; id++) {
    const arity = ARITY[op[id]];
    if (arity > 0) depends[id - first] |= of(left[id]) | (arity > 1 ? of(right[id]) : 0);
  }
  const found = new Set<number>();
  const seen = new Set<number>();
  const rest = [...roots];
  while (rest.length > 0) {
    const id = rest.pop()!;
    if (seen.has(id)) continue;
    seen.add(id);
    const inside = of(id) === 1 || op[id] === ARMS;
    if (op[id] === CONSTANT) continue;
    const arity = ARITY[op[id]];
    if (!inside || arity === 0) found.add(id);
    else {
      rest.push(left[id]);
      if (arity > 1) rest.push(right[id]);
    }
  }
  return Int32Array.from(found).sort();
};
