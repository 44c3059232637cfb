import { ANYTHING } from '@filigree/sparse/tasks';
import type { Graph, Node } from './graph.js';

/** For each node, the earlier nodes that must run before it, ascending: state-flow chains of all states (thesis §4.4.1). */
export const edgesOf = ({ nodes }: Pick<Graph, 'nodes'>): readonly (readonly number[])[] => {
  const chains = new Map<string, Chain>();
  /** For each node the last one that it was found to be before. */
  const noted = new Int32Array(nodes.length).fill(-1);
  /* What may fail, or touch anything, keeps its place: launches after one that failed must not have run. */
  let fence = -1;
  return nodes.map((node, n) => {
    const before: number[] = [];
    const add = (m: number): void => {
      if (m < 0 || m === n || noted[m] === n) return;
      noted[m] = n;
      before.push(m);
    };
    if (keepsItsPlace(node)) {
      for (let m = Math.max(fence, 0); m < n; m++) add(m);
      fence = n;
    } else add(fence);
    for (const [state, { writes }] of node.touches) {
      let chain = chains.get(state);
      if (!chain) chains.set(state, (chain = { owner: -1, readers: [] }));
      add(chain.owner);
      if (writes) {
        for (const reader of chain.readers) add(reader);
        chain.owner = n;
        chain.readers = [];
      } else chain.readers.push(n);
    }
    return before.sort((a, b) => a - b);
  });
};

/** A state: who wrote it last, and who has read that since. */
interface Chain {
  owner: number;
  readers: number[];
}

/** Whether nothing may move past a node. */
export const keepsItsPlace = ({ mayFail, touches }: Node): boolean => mayFail || touches.has(ANYTHING);
