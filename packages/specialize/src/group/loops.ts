import { mix } from '@filigree/ir';
import type { Group, Repetition, Structured } from './groups.js';

/** Fewer steps than this are launches of their own. */
const MIN_STEPS = 8;
/** Levels at which something else runs are like no other. */
const OTHER = 0x6f746872;
/** Longest period that is looked for. */
const MAX_PERIOD = 12;

/**
 * Finds where the groups of one level, or of a few levels in turn, are of the same structure again and again — recurrences, prefix
 * sums, iterations, a long chain that was cut into units — and makes one loop over the steps of each such stretch: groups of one
 * structure become one, whose units stand step by step.
 *
 * @param others levels at which something else runs too, over which no loop may pass
 */
export const repeatLevels = (groups: readonly Structured[], others: ReadonlySet<number>): Group[] => {
  const last = groups.reduce((l, g) => Math.max(l, g.level), -1);
  if (last + 1 < MIN_STEPS) return [...groups];
  const levels = Array.from({ length: last + 1 }, (): Structured[] => []);
  for (const g of groups) levels[g.level].push(g);
  const signature = Int32Array.from(levels, (list, level) =>
    list
      .map((g) => g.structure)
      .sort((a, b) => a - b)
      .reduce(mix, others.has(level) ? mix(OTHER, level) : list.length),
  );
  return repetitions(signature).flatMap((r) => {
    if (r.steps === 1) return levels[r.first];
    const merged = new Map<string, Group[]>();
    for (let l = r.first; l < r.first + r.period * r.steps; l++)
      for (const g of levels[l]) {
        const key = `${(l - r.first) % r.period} ${g.structure}`;
        const known = merged.get(key);
        if (known) known.push(g);
        else merged.set(key, [g]);
      }
    return [...merged.values()].map((of): Group => ({ ...of[0], units: joined(of), repeated: r }));
  });
};

/** Cuts the levels into stretches that repeat, the shortest period first, and single levels. */
const repetitions = (signature: Int32Array): Repetition[] => {
  const n = signature.length;
  /* For each period how many levels from a level on are as those a period later. */
  const alike = Array.from({ length: MAX_PERIOD + 1 }, (_, period) => {
    const run = new Int32Array(n + 1);
    for (let l = n - 1 - period; period > 0 && l >= 0; l--)
      run[l] = signature[l] === signature[l + period] ? run[l + 1] + 1 : 0;
    return run;
  });
  const found: Repetition[] = [];
  for (let first = 0; first < n;) {
    let r: Repetition = { first, period: 1, steps: 1 };
    for (let period = 1; period <= MAX_PERIOD && r.steps === 1; period++) {
      const steps = 1 + Math.floor(alike[period][first] / period);
      if (steps >= MIN_STEPS) r = { first, period, steps };
    }
    found.push(r);
    first += r.period * r.steps;
  }
  return found;
};

const joined = (groups: readonly Group[]): Int32Array => {
  const out = new Int32Array(groups.reduce((n, g) => n + g.units.length, 0));
  let at = 0;
  for (const { units } of groups) {
    out.set(units, at);
    at += units.length;
  }
  return out;
};
