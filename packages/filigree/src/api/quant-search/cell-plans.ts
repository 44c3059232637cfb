import type { Choice, Ladder } from './formats-for.js';
import { inWords, type Words } from './in-words.js';

/** A way to store the fields of a cell. */
export interface CellPlan {
  readonly words: Words;
  /** The sum of the squares of what it does to outputs. */
  readonly squares: number;
}

/**
 * Ways to store the fields of a cell, from the smallest to what is there now, each with a smaller error than the one before it: beginning with the fewest bits,
 * bits go where they help most, first those that cost no byte.
 */
export const cellPlans = (fields: readonly (readonly Ladder[])[], now: readonly Choice[]): readonly CellPlan[] => {
  const whole: CellPlan = { words: inWords(now), squares: 0 };
  const found = new Map<number, CellPlan>();
  for (const ladders of oneOfEach(fields))
    for (const plan of grown(ladders, whole.words.bytes)) {
      const known = found.get(plan.words.bytes);
      if (!known || plan.squares < known.squares) found.set(plan.words.bytes, plan);
    }
  const sorted = [...found.values()].sort((a, b) => a.words.bytes - b.words.bytes);
  const falling = sorted.filter((p, n) => sorted.slice(0, n).every((q) => q.squares > p.squares));
  return [...falling, whole];
};

/** Plans by one ladder for each field, from few bits on, as long as they take less than so many bytes. */
const grown = function* (ladders: readonly Ladder[], most: number): Generator<CellPlan> {
  const planAt = (at: readonly number[]): CellPlan => {
    const choices = ladders.map((ladder, n) => ladder[at[n]]);
    return { words: inWords(choices), squares: squaresOf(choices) };
  };
  let levels = ladders.map(() => 0);
  let plan = planAt(levels);
  while (plan.words.bytes < most) {
    yield plan;
    const from = plan;
    const next = levels.flatMap((level, n) => {
      if (level + 1 >= ladders[n].length) return [];
      const at = levels.map((l, m) => (m === n ? l + 1 : l));
      const made = planAt(at);
      const gain = from.squares - made.squares;
      const cost = Math.max(0, made.words.bytes - from.words.bytes);
      return [{ at, made, worth: cost === 0 ? Infinity : gain / cost, gain }];
    });
    if (next.length === 0) return;
    const best = next.reduce((a, b) => (b.worth > a.worth || (b.worth === a.worth && b.gain > a.gain) ? b : a));
    [levels, plan] = [best.at, best.made];
  }
};

/** All ways to take one of each; where these are many, the first of each. */
const oneOfEach = <A>(lists: readonly (readonly A[])[]): readonly (readonly A[])[] => {
  const ways = lists.reduce((product, list) => product * list.length, 1);
  if (ways > MANY) return [lists.map(([first]) => first)];
  return lists.reduce<readonly (readonly A[])[]>(
    (all, list) => all.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  );
};

const MANY = 300;

const squaresOf = (choices: readonly Choice[]): number =>
  choices.reduce((sum, { errors }) => sum + errors.reduce((s, e) => s + e * e, 0), 0);
