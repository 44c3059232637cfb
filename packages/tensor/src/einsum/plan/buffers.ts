import type { Action, Plan } from './plan.js';
import { isTemporary, reads, writes } from './state.js';

/**
 * (7) Temporaries and the buffers that they share: greedily, each takes the smallest free buffer that holds it, otherwise
 * the largest free one, which grows; a buffer is free after the last action that reads its temporary.
 */
export const assignBuffers = (actions: readonly Action[]): Pick<Plan, 'temporaries' | 'buffers'> => {
  const sizes: number[] = [];
  const busyUntil: number[] = [];
  const temporaries: Plan['temporaries'][number][] = [];
  actions.forEach(({ target: { name, layout } }, i) => {
    if (!isTemporary(name) || temporaries.some((t) => t.name === name)) return;
    const free = sizes.map((_, b) => b).filter((b) => busyUntil[b] < i);
    const fitting = free.filter((b) => sizes[b] >= layout.size).sort((a, b) => sizes[a] - sizes[b]);
    const largest = [...free].sort((a, b) => sizes[b] - sizes[a]);
    const buffer = fitting[0] ?? largest[0] ?? sizes.length;
    sizes[buffer] = Math.max(sizes[buffer] ?? 0, layout.size);
    busyUntil[buffer] = actions.findLastIndex((a) => reads(a, name) || writes(a, name));
    temporaries.push({ name, layout, buffer });
  });
  return { temporaries, buffers: sizes };
};
