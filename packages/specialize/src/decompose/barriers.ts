import type { UnionFind } from './union-find.js';
import type { Uses } from './uses.js';

/** Sweeps after which tags are taken to depend on one another in a cycle. */
const MAX_SWEEPS = 32;

/**
 * For each unit how many barriers there are on the paths of reads below it at the most, where a barrier is passed by
 * reading it and by what it reads. So a read from or by a barrier leads to a smaller depth, no read to a greater one, and
 * a path between units of one depth passes no barrier. What is `tagged` as one has one depth. Undefined where tags depend
 * on one another in a cycle.
 */
export const barrierDepths = (uses: Uses, barrier: Uint8Array, tagged: UnionFind): Int32Array | undefined => {
  const { units, ptr, read, reads } = uses;
  const depth = new Int32Array(units.length);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let deepest = 0;
    let raisedBehind = false;
    for (let u = 0; u < units.length; u++) {
      const own = tagged.find(u);
      /* What reads too much to be known may read all that comes before it. */
      let d = reads[u] < 0 ? deepest + 1 : 0;
      for (let e = ptr[u]; e < ptr[u + 1]; e++) {
        const below = tagged.find(read[e]);
        if (below !== own) d = Math.max(d, depth[below] + (barrier[u] | barrier[read[e]]));
      }
      if (d > depth[own]) {
        depth[own] = d;
        /* Readers of the tag's earlier members have seen too low a depth. */
        raisedBehind ||= own !== u;
      }
      deepest = Math.max(deepest, depth[own]);
    }
    if (!raisedBehind) return depth.map((_, u) => depth[tagged.find(u)]);
  }
  return undefined;
};
