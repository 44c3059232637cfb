import type { Graph } from '@filigree/ir';
import { ARITY, ARMS, CONSTANT, SELECT } from '../../decompose/codes.js';

/** Builds nodes of one graph in another, down to those for which it is given what stands there. */
export const copyInto = (
  from: Graph,
  into: Graph,
  roots: readonly number[],
  given: ReadonlyMap<number, number>,
): readonly number[] => {
  const { op, left, right } = from;
  const below = new Set<number>();
  for (const rest = [...roots]; rest.length > 0;) {
    const id = rest.pop()!;
    if (below.has(id) || given.has(id)) continue;
    below.add(id);
    if (ARITY[op[id]] > 0) rest.push(left[id]);
    if (ARITY[op[id]] > 1) rest.push(right[id]);
  }
  const made = new Map(given);
  const at = (id: number): number => made.get(id)!;
  for (const id of [...below].sort((a, b) => a - b)) {
    const code = op[id];
    if (code === CONSTANT) made.set(id, into.constant(from.constantValue(id)));
    else if (code === SELECT) made.set(id, into.select(at(left[id]), at(left[right[id]]), at(right[right[id]])));
    else if (code !== ARMS) made.set(id, into.apply(code, at(left[id]), ARITY[code] > 1 ? at(right[id]) : 0));
  }
  return roots.map(at);
};
