import type { CellPlan } from './cell-plans.js';

/** A cell of a layout, how many of it are in use, and the ways to store its fields. */
export interface Cell {
  readonly count: number;
  readonly plans: readonly CellPlan[];
}

/** The number of a plan for each cell. */
export type Scheme = readonly number[];

/** Schemes from what is there now to the smallest: each step takes the bytes that are worth least. */
export const pathOf = (cells: readonly Cell[]): readonly Scheme[] => {
  const path: Scheme[] = [cells.map(({ plans }) => plans.length - 1)];
  for (;;) {
    const at = path[path.length - 1];
    const steps = smallerThan(cells, at).map((scheme) => ({
      scheme,
      cost: (errorOf(cells, scheme) ** 2 - errorOf(cells, at) ** 2) / (bytesOf(cells, at) - bytesOf(cells, scheme)),
    }));
    if (steps.length === 0) return path;
    path.push(steps.reduce((a, b) => (b.cost < a.cost ? b : a)).scheme);
  }
};

/** The schemes in which one cell is stored in fewer bytes. */
const smallerThan = (cells: readonly Cell[], scheme: Scheme): readonly Scheme[] =>
  cells.flatMap((_, c) => (scheme[c] > 0 ? [scheme.map((p, n) => (n === c ? p - 1 : p))] : []));

/** Smaller schemes near one: with a cell in fewer bytes, and perhaps another one in more; those first of which the least error is expected. */
export const smallerNear = (cells: readonly Cell[], scheme: Scheme): readonly Scheme[] => {
  const down = smallerThan(cells, scheme);
  const around = down.flatMap((one) => [
    one,
    ...cells.flatMap(({ plans }, c) =>
      one[c] === scheme[c] && one[c] + 1 < plans.length ? [one.map((p, n) => (n === c ? p + 1 : p))] : [],
    ),
  ]);
  const now = bytesOf(cells, scheme);
  return around.filter((one) => bytesOf(cells, one) < now).sort((a, b) => errorOf(cells, a) - errorOf(cells, b));
};

/** What a scheme is expected to do to the outputs. */
export const errorOf = (cells: readonly Cell[], scheme: Scheme): number =>
  Math.sqrt(cells.reduce((sum, { plans }, n) => sum + plans[scheme[n]].squares, 0));

const bytesOf = (cells: readonly Cell[], scheme: Scheme): number =>
  cells.reduce((sum, { count, plans }, n) => sum + count * plans[scheme[n]].words.bytes, 0);
