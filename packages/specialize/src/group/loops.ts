import { mix } from '@filigree/ir';
import type { Repetition } from './groups.js';

/** Fewer steps than this are launches of their own. */
const MIN_STEPS = 8;
/** Levels at which something else runs are like no other. */
const OTHER = 0x6f746872;
/** Longest period that is looked for. */
const MAX_PERIOD = 12;
/** Levels of more units are launches of their own, which threads divide, unless they repeat exactly. */
const SHORT = 1024;
/** Of the groups that a step looks for, one in so many is there at the least; */
const MOST_EMPTY = 8;
/** and each is there in so many steps on average. */
const LEAST_USE = 2;
/** Steps of an exact repetition that others do not join, where there are no more than a few of these. */
const LONG = 64;
const FEW = 8;

/** A group of units with a number that is the same for groups of one structure whatever their level. */
export interface Structured {
  readonly level: number;
  readonly units: Int32Array;
  readonly structure: number;
}

/** Groups of one structure that become one: their level is that of the first step. */
export type Join<T, G> = (groups: readonly T[], level: number, repeated: Repetition) => G;

/**
 * Finds where the groups of one level, or of a few levels in turn, are of the same structure again and again — recurrences, prefix
 * sums, iterations, a long chain that was cut into units — and makes one loop over the steps of each such stretch: groups of one
 * structure become one, whose units stand step by step. Short levels that have now these and now those of a few structures, as the rows of a
 * triangular matrix that do not wait for each other, are such a loop too: a step may have no unit of a group.
 *
 * @param others levels at which something else runs too, over which no loop may pass
 * @param join puts groups of one structure together, in the order of their levels
 * @returns groups in the order of their levels
 */
export const repeatLevels = <T extends Structured, G>(
  groups: readonly T[],
  others: ReadonlySet<number>,
  join: Join<T, G>,
): (T | G)[] => {
  const last = groups.reduce((l, g) => Math.max(l, g.level), -1);
  if (last + 1 < MIN_STEPS) return [...groups];
  const levels = Array.from({ length: last + 1 }, (): T[] => []);
  for (const g of groups) levels[g.level].push(g);
  const signature = Int32Array.from(levels, (list, level) =>
    list
      .map((g) => g.structure)
      .sort((a, b) => a - b)
      .reduce(mix, others.has(level) ? mix(OTHER, level) : list.length),
  );
  const isShort = (level: number): boolean =>
    !others.has(level) && levels[level].reduce((n, g) => n + g.units.length, 0) <= SHORT;
  return joinUnlike(repetitions(signature), levels, isShort).flatMap((r): readonly (T | G)[] => {
    if (r.steps === 1) return levels[r.first];
    const merged = new Map<string, T[]>();
    for (let l = r.first; l < r.first + r.period * r.steps; l++)
      for (const g of levels[l]) {
        const key = `${(l - r.first) % r.period} ${g.structure}`;
        const known = merged.get(key);
        if (known) known.push(g);
        else merged.set(key, [g]);
      }
    return [...merged.values()]
      .map((of) => ({ of, level: r.first + ((of[0].level - r.first) % r.period) }))
      .map(({ of, level }) => join(of, level, r));
  });
};

/** Whether there are enough levels for a loop. */
export const mayRepeat = (groups: readonly { readonly level: number }[]): boolean =>
  groups.some(({ level }) => level + 1 >= MIN_STEPS);

/** Makes one repetition of those that follow one another, of one level a step each, where most groups of all are in many steps. */
const joinUnlike = (
  found: readonly Repetition[],
  levels: readonly (readonly Structured[])[],
  isShort: (level: number) => boolean,
): Repetition[] => {
  const out: Repetition[] = [];
  const isJoined = ({ first, period, steps }: Repetition): boolean =>
    period === 1 && levels[first].length > 0 && levelsOf(first, steps).every(isShort);
  for (let k = 0; k < found.length;) {
    const structures = new Set<number>();
    let [groups, steps, end] = [0, 0, k];
    for (; end < found.length && isJoined(found[end]); end++) {
      const { first, steps: more } = found[end];
      const fresh = levels[first].filter((g) => !structures.has(g.structure));
      const all = groups + more * levels[first].length;
      if ((steps + more) * (structures.size + fresh.length) > MOST_EMPTY * all) break;
      for (const g of fresh) structures.add(g.structure);
      groups = all;
      steps += more;
    }
    if (isMostlyExact(found.slice(k, end), steps)) {
      out.push(...found.slice(k, end));
      k = end;
    } else if (end - k > 1 && steps >= MIN_STEPS && groups >= LEAST_USE * structures.size) {
      out.push({ first: found[k].first, period: 1, steps });
      k = end;
    } else out.push(found[k++]);
  }
  return out;
};

/**
 * Whether steps are the same again and again but for a few: a recurrence that begins or ends in another way. Those few are launches of their own then, and no step asks whether it is one of
 * them.
 */
const isMostlyExact = (found: readonly Repetition[], steps: number): boolean => {
  const exact = found.filter((r) => r.steps >= LONG).reduce((n, r) => n + r.steps, 0);
  return exact > 0 && steps - exact <= FEW;
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

const levelsOf = (first: number, steps: number): number[] => Array.from({ length: steps }, (_, s) => first + s);
