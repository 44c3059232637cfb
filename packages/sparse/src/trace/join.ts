import { backtrack } from './backtrack.js';
import { polyhedronOf } from './faces.js';
import { longestPeriod } from './periods.js';
import { prefix, stack, type Plan } from './plan.js';
import type { Trace } from './streams.js';

/** A plan with what follows it, as far as it fits into the same loops, an outer loop at a time. */
export const joined = (trace: Trace, plan: Plan, maxDimensions: number): Plan => {
  let best = plan;
  while (best.strides.length < maxDimensions && best.start + best.count < trace.length) {
    const end = best.start + best.count;
    const next = backtrack(trace, end, best.strides);
    const more = pair(trace, best, next);
    if (polyhedronOf(more) === undefined) break;
    best = more;
  }
  return best;
};

/** Elements inspected for the beginning of a long period, and beginnings tried. */
const AHEAD = 16;
const TRIED = 3;

/** By how many loops the period itself stays below the limit, so that some are left for both its ends. */
const SPARE = 3;

/**
 * A better plan than `best` that begins where it does: a long period that starts a little later, with the elements
 * before and after it in the same loops; `best` itself if there is none.
 */
export const withFront = (
  trace: Trace,
  best: Plan,
  maxDimensions: number,
  search: (start: number, maxDimensions: number) => Plan,
): Plan => {
  const { start } = best;
  const places: { u: number; span: number }[] = [];
  for (let u = start + 1; u < Math.min(start + AHEAD, trace.length); u++) {
    const span = longestPeriod(trace, u);
    if (span > 8 * best.count && span > 64) places.push({ u, span });
  }
  places.sort((a, b) => b.span - a.span);
  let found = best;
  for (const { u } of places.slice(0, TRIED)) {
    for (let dims = maxDimensions - 1; dims >= Math.max(1, maxDimensions - SPARE); dims--) {
      const period = search(u, dims);
      if (period.count < 2 * best.count) break;
      const front = backtrack(trace, start, period.strides);
      if (front.count < u - start) continue;
      const both = pair(trace, prefix(front, u - start), period);
      if (polyhedronOf(both) === undefined) continue;
      const plan = joined(trace, both, maxDimensions);
      if (plan.count > found.count) found = plan;
    }
  }
  return found;
};

/** Two plans in the same loops, one after the other: two iterations of a loop around them. */
const pair = (trace: Trace, first: Plan, second: Plan): Plan => {
  const zero = first.strides.map(() => 0);
  return stack([first, second], [zero, zero], trace.difference(second.start, first.start));
};
