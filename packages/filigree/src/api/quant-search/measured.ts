import { floatLadders, type Choice, type Sensitivity, type Surveyed } from './formats-for.js';

/**
 * What rounding a field does to the outputs, where a run shows more of it than `by` says: noise between launches misses what a launch writes and reads again.
 * A format in the middle of each ladder is tried; `off` runs the program with the field in it and gives what each output is off.
 */
export const measured = async (
  seen: Surveyed,
  by: Sensitivity,
  off: (choice: Choice) => Promise<readonly number[]>,
): Promise<Sensitivity> => {
  const found = { ...by };
  for (const way of ['absolute', 'relative', 'joint'] as const) {
    const [ladder] = floatLadders(seen, unitAlong(way, by)).filter((l) => l.some((c) => c.errors[0] > 0));
    if (!ladder) continue;
    const choice = ladder[Math.floor(ladder.length / 2)];
    const errors = await off(choice);
    found[way] = by[way].map((e, n) => Math.max(e, errors[n] / choice.errors[n]));
  }
  return found;
};

/** With this the errors of the ladder of one kind are what its formats round by, and those of others are none. */
const unitAlong = (way: keyof Sensitivity, by: Sensitivity): Sensitivity => {
  const all = (value: number): readonly number[] => by.absolute.map(() => value);
  return { absolute: all(0), relative: all(0), joint: all(0), [way]: all(1) };
};
