import type { Trace } from './streams.js';

/** Places looked at for a period, and periods tried. */
const PLACES = 12;
const TRIED = 4;

/** Distances after which the steps from `start` on repeat, those that repeat longest first. */
export const periods = (trace: Trace, start: number): number[] =>
  repetitions(trace, start)
    .sort((a, b) => b.same - a.same)
    .slice(0, TRIED)
    .map((r) => r.gap);

/** Elements that the longest period from `start` on spans, 0 if nothing repeats wholly. */
export const longestPeriod = (trace: Trace, start: number): number => {
  let best = 0;
  for (const { gap, same } of repetitions(trace, start)) if (same >= gap) best = Math.max(best, gap + same);
  return best;
};

const repetitions = (trace: Trace, start: number): { gap: number; same: number }[] => {
  const found: { gap: number; same: number }[] = [];
  let u = trace.next[start] ?? -1;
  for (let k = 0; k < PLACES && u >= 0; k++) {
    const same = trace.commonSteps(start, u);
    if (same > 0) found.push({ gap: u - start, same });
    u = trace.next[u];
  }
  return found;
};
