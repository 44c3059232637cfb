import { errorOf, pathOf, smallerNear, type Cell, type Scheme } from './path.js';

/** The scheme with the fewest bytes that keeps the bound: along the path that steps from more to fewer take, then off it, cell by cell. */
export const smallest = async <T extends { readonly bytes: number; readonly error: number }>(
  cells: readonly Cell[],
  bound: number,
  trialOf: (scheme: Scheme) => Promise<T>,
  mayTry: () => boolean,
): Promise<T> => {
  const path = pathOf(cells);
  const holds = async (n: number): Promise<boolean> => (await trialOf(path[n])).error <= bound;
  let good = 0;
  let bad = path.length;
  let next = path.findLastIndex((scheme) => errorOf(cells, scheme) <= bound);
  for (let stride = 1; bad - good > 1 && mayTry(); stride *= 2) {
    if (await holds(next)) {
      good = next;
      next = Math.min(next + stride, bad === path.length ? path.length - 1 : Math.floor((good + bad) / 2));
      if (next === good) break;
    } else {
      bad = next;
      next = good > 0 ? Math.floor((good + bad) / 2) : Math.max(next - stride, 0);
      if (next === good) break;
    }
  }
  let at = path[good];
  let best = await trialOf(at);
  for (let improved = true; improved;) {
    improved = false;
    for (const scheme of smallerNear(cells, at)) {
      if (!mayTry() || errorOf(cells, scheme) > HOPEFUL * bound) break;
      const trial = await trialOf(scheme);
      if (trial.error > bound || trial.bytes >= best.bytes) continue;
      [at, best, improved] = [scheme, trial, true];
      break;
    }
  }
  return best;
};

/** How many times the bound may be expected of a scheme that is tried all the same. */
const HOPEFUL = 2;
