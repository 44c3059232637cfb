import { ANYTHING } from '@filigree/sparse/fields';
import type { Graph, Node } from './graph.js';

/** For each node, the earlier nodes that must run before it, ascending: state-flow chains of all states (thesis §4.4.1). */
export const edgesOf = ({ nodes }: Pick<Graph, 'nodes'>): readonly (readonly number[])[] => {
  const chains = new Map<string, Chain>();
  /* What may fail, or touch anything, keeps its place: launches after one that failed must not have run. */
  let fence = -1;
  const edges: (readonly number[])[] = [];
  nodes.forEach((node, n) => {
    const before = new Set<number>();
    if (keepsItsPlace(node)) {
      for (let m = Math.max(fence, 0); m < n; m++) before.add(m);
      fence = n;
    } else if (fence >= 0) before.add(fence);
    for (const [state, touch] of node.touches) {
      const chain = chains.get(state) ?? { owner: -1, readers: [] };
      if (chain.owner >= 0) before.add(chain.owner);
      if (touch.writes) {
        for (const reader of chain.readers) before.add(reader);
        chains.set(state, { owner: n, readers: [] });
      } else {
        chain.readers.push(n);
        chains.set(state, chain);
      }
    }
    before.delete(n);
    edges.push([...before].sort((a, b) => a - b));
  });
  return edges;
};

/** A state: who wrote it last, and who has read that since. */
interface Chain {
  readonly owner: number;
  readonly readers: number[];
}

/** Whether nothing may move past a node. */
export const keepsItsPlace = ({ mayFail, touches }: Node): boolean => mayFail || touches.has(ANYTHING);
