import type { Graph } from '@filigree/ir';
import { NONE, PROVISIONAL, type Cut } from './candidates.js';
import { unitWalk } from './walk.js';

/**
 * The blocks without those that an expression divides which is stored only since it was too long: it reads what is in the block, and something in the block reads it, so
 * neither could be evaluated first. The parts of such a block are units by themselves, and what was evaluated within blocks is stored again.
 *
 * @param before the kinds of the candidates before blocks were found
 * @param found what is stored since, ascending
 */
export const withoutDivided = (
  graph: Graph,
  cut: Cut,
  { candidates, before }: { readonly candidates: Int32Array; readonly before: Uint8Array },
  found: ReadonlySet<number>,
  blockOf: (id: number) => number,
): ((id: number) => number) => {
  if (found.size === 0) return blockOf;
  const { kind } = cut;
  const walk = unitWalk(graph, cut, kind.length);
  /* The blocks that each of these reads, perhaps through others of them. */
  const below = new Map<number, ReadonlySet<number>>();
  const divided = new Set<number>();
  for (const id of cut.candidates) {
    if (kind[id] === NONE) continue;
    const own = blockOf(id);
    if (own < 0 && !found.has(id)) continue;
    const blocks = new Set<number>();
    const n = walk.collect(id, Infinity);
    for (let i = 0; i < n; i++) {
      const read = walk.reads[i];
      if (kind[read] === NONE) continue;
      if (blockOf(read) >= 0) blocks.add(blockOf(read));
      else
        for (const b of below.get(read) ?? NO_BLOCKS)
          if (own < 0) blocks.add(b);
          else if (b === own) divided.add(b);
    }
    if (own < 0) below.set(id, blocks);
  }
  if (divided.size === 0) return blockOf;
  candidates.forEach((id, i) => {
    if (kind[id] === NONE && before[i] !== PROVISIONAL) kind[id] = before[i];
  });
  return (id) => (divided.has(blockOf(id)) ? -1 : blockOf(id));
};

const NO_BLOCKS: readonly number[] = [];
