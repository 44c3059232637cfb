import { backtrack, MAX_POINTS } from './backtrack.js';
import { along, copies, grow } from './grow.js';
import { joined, withFront } from './join.js';
import { longestPeriod, periods } from './periods.js';
import { point, type Plan, type Stride } from './plan.js';
import { polyhedronOf } from './faces.js';
import type { Trace } from './streams.js';

/** Strides of loops that served before, latest first: structure recurs through a matrix. */
export type Memory = readonly (readonly Stride[])[];

export interface SearchOptions {
  readonly maxDimensions: number;
  /** Plans kept for each number of loops. */
  readonly beam: number;
  readonly memory: Memory;
}

/**
 * The longest piece found that begins at an element. Every interval of a piece is a piece itself, so taking the longest
 * again and again would give the fewest pieces, were each really the longest. The search grows plans loop by loop: it
 * starts from runs along strides that are common nearby, repeats them for as long as their period lasts, and keeps the
 * longest few for each number of loops. Bodies of few loops also come from back-tracking, where that can pay: for a
 * long period, or if no more loops are allowed.
 */
export const longestFrom = (trace: Trace, start: number, options: SearchOptions): Plan => {
  const { maxDimensions, beam, memory } = options;
  /* As many as there are plans for: the limit may be any number. */
  const levels: Plan[][] = [];
  const add = (p: Plan): void => {
    const loops = p.strides.length;
    if (loops > maxDimensions) return;
    while (levels.length <= loops) levels.push([]);
    levels[loops].push(p);
  };
  add(point(start));
  for (const f of frames(trace, start, maxDimensions)) add(along(trace, start, f));
  for (const f of memory) if (f.length <= maxDimensions) add(along(trace, start, f));
  if (maxDimensions <= BACKTRACKED || longestPeriod(trace, start) > 0) {
    const most = Math.min(maxDimensions, BACKTRACKED);
    for (let d = Math.max(2, Math.min(maxDimensions - 1, most)); d <= most; d++) add(backtrack(trace, start, d));
  }
  const gaps = periods(trace, start);
  let best: Plan = levels[0][0];
  for (const plans of levels) {
    for (const p of longest(plans, beam)) {
      if (p.count > best.count && polyhedronOf(p) !== undefined) best = p;
      if (p.strides.length === maxDimensions) continue;
      const grown = grow(trace, p);
      if (grown !== undefined) add(grown);
      for (const gap of gaps) if (gap < p.count) add(copies(trace, p, gap));
    }
  }
  if (best.kind === 'points' && best.count === MAX_POINTS) {
    /* Back-tracking stopped here only because it goes no further. */
    const on = along(trace, start, best.strides, Infinity);
    if (on.count > best.count && polyhedronOf(on) !== undefined) best = on;
  }
  return best.count >= LONG ? joined(trace, best, maxDimensions) : best;
};

/**
 * As `longestFrom`; but if only a few elements separate it from a long period, one plan of both, with these elements in
 * the loops of the period.
 */
export const longestWithFront = (trace: Trace, start: number, options: SearchOptions): Plan => {
  const best = longestFrom(trace, start, options);
  return withFront(trace, best, options.maxDimensions, (u, maxDimensions) =>
    longestFrom(trace, u, { ...options, maxDimensions }),
  );
};

/** Loops up to which back-tracking is used; with more it rarely finishes. */
const BACKTRACKED = 4;

/** Elements from which on a plan is worth searching for what else its loops can hold. */
const LONG = 32;

const longest = (plans: Plan[], beam: number): Plan[] => {
  plans.sort((a, b) => b.count - a.count);
  const out: Plan[] = [];
  for (const p of plans) {
    if (out.length === beam) break;
    let same = 0;
    for (const q of out) if (q.count === p.count) same++;
    if (same < 2) out.push(p);
  }
  return out;
};

/** Steps inspected ahead for strides, strides tried alone, and in pairs. */
const WINDOW = 20;
const SINGLES = 5;
const PAIRED = 4;

const frames = (trace: Trace, start: number, maxDimensions: number): Stride[][] => {
  if (maxDimensions === 0) return [];
  const { symbols } = trace;
  const weight = new Map<number, number>();
  const where = new Map<number, number>();
  const end = Math.min(start + WINDOW, symbols.length);
  for (let t = start; t < end; t++) {
    const s = symbols[t];
    if (!where.has(s)) where.set(s, t);
    weight.set(s, (weight.get(s) ?? 0) + (t > start && symbols[t - 1] === s ? 2 : 1));
  }
  const common = [...weight].sort((a, b) => b[1] - a[1]).slice(0, SINGLES);
  const strides = common.map(([s]) => trace.difference(where.get(s)! + 1, where.get(s)!));
  const out: Stride[][] = strides.map((c) => [c]);
  if (maxDimensions === 1) return out;
  const paired = strides.slice(0, PAIRED);
  for (const c of paired) for (const d of paired) if (c !== d) out.push([c, d]);
  return out;
};
