import { byteSize } from '@filigree/ir';
import type { LoopGrain, Plan } from './plan.js';
import type { Scratchpads } from './scratchpad/pads.js';

/**
 * Whether a team of threads runs each task of a plan, its elements and what is kept close of fields divided among them: where tasks have loops of
 * known lengths or are lists, elements that are not parts of one word, and scratchpads that a team has room for.
 */
export const runsOnTeam = (plan: Plan, cached: Scratchpads | undefined, team: LoopGrain['team']): boolean => {
  const inner = plan.loops.slice(plan.split);
  const elements = inner.reduce((n, l) => n * l.count, 1);
  const bytes = (cached?.buffers ?? []).reduce((sum, b) => sum + b.length * byteSize(b.type), 0);
  return (
    team !== undefined &&
    elements >= FEW &&
    inner.every(({ at }) => (at.length === undefined || inner.length === 1) && at.node.kind !== 'bits') &&
    inner.every(({ at, axis, part }) => at.mask === undefined || !part || at.node.extents[axis] % part.size === 0) &&
    bytes <= team.sharedBytes
  );
};

/* Threads that go in step: with fewer elements most of them would wait. */
const FEW = 32;
