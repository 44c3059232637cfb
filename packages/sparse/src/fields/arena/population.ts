import type { Arena } from './arena.js';
import { lengthAt } from './cells.js';
import { containers, visitElements } from './elements.js';
import type { Path } from './path.js';
import { shortenList } from './release.js';
import { dropCell, growCell } from './structure.js';

/** Which cells of a node are active, and how long its lists are, as numbers one behind the other. */
export interface Population {
  /** The indices of each cell. */
  readonly cells: Int32Array;
  /** Of a node of lists, the indices of what is around each list, and its length. */
  readonly lists: Int32Array;
}

/** How a population differs from an earlier one. */
export interface PopulationChange {
  /** The indices of cells that are active now. */
  readonly appeared: readonly (readonly number[])[];
  readonly disappeared: readonly (readonly number[])[];
}

/** The population of the last node of a path. No kernel may run. */
export const populationOf = (arena: Arena, path: Path): Population => {
  const cells: number[] = [];
  visitElements(arena, path, (_cell, at) => {
    for (let a = 0; a < at.length; a++) cells.push(at[a]);
  });
  const lists: number[] = [];
  for (const [container, origin] of listsIn(arena, path)) lists.push(...origin, lengthOf(arena, path, container));
  return { cells: Int32Array.from(cells), lists: Int32Array.from(lists) };
};

/** What has become active or inactive, or longer or shorter; nothing where all is as it was. */
export const populationChange = ({ axes }: Path, then: Population, now: Population): PopulationChange | undefined => {
  if (areEqual(then.lists, now.lists) && areEqual(then.cells, now.cells)) return undefined;
  const without = (all: Rows, others: Rows): readonly (readonly number[])[] =>
    [...all].flatMap(([key, row]) => (others.has(key) ? [] : [row]));
  /* A hash table may have the same cells, and what is around lists, in another order. */
  const [cells, lists] = [
    [then, now].map((p) => rowsOf(p.cells, axes.length)),
    [then, now].map((p) => rowsOf(p.lists, axes.length + 1)),
  ];
  const [appeared, disappeared] = [without(cells[1], cells[0]), without(cells[0], cells[1])];
  const sameLists = lists[0].size === lists[1].size && without(lists[0], lists[1]).length === 0;
  return sameLists && appeared.length + disappeared.length === 0 ? undefined : { appeared, disappeared };
};

/**
 * Makes those cells of a node active that were, which are ambient where they had become inactive, and no others; what has changed until then. What is around must be as it was. No kernel may run. Error:
 * `field/exhausted`.
 */
export const repopulate = (arena: Arena, path: Path, then: Population): PopulationChange | undefined => {
  const change = populationChange(path, then, populationOf(arena, path));
  if (!change) return undefined;
  const lengths = new Map(
    [...rowsOf(then.lists, path.axes.length + 1)].map(([, row]) => [row.slice(0, -1).join(), row.at(-1)!]),
  );
  for (const [container, origin] of listsIn(arena, path)) {
    const length = lengths.get(origin.join()) ?? 0;
    if (lengthOf(arena, path, container) > length) shortenList(arena, innermost(path), container, length);
  }
  for (const at of change.appeared) dropCell(arena, path, at);
  for (const at of change.disappeared) growCell(arena, path, at);
  for (const [container, origin] of listsIn(arena, path))
    arena.words[lengthAt(innermost(path), container)] = lengths.get(origin.join()) ?? 0;
  return change;
};

const innermost = ({ steps }: Path) => steps[steps.length - 1].at;

/** The lists of a node, each with the indices of what is around it; none where it is no node of lists. */
function* listsIn(arena: Arena, path: Path): Generator<readonly [container: number, origin: readonly number[]]> {
  if (innermost(path).length === undefined) return;
  yield* containers(arena, path.steps, 0, arena.storage.root, path.axes.map(() => 0), undefined); // prettier-ignore
}

const lengthOf = ({ words }: Arena, path: Path, container: number): number =>
  words[lengthAt(innermost(path), container)];

type Rows = ReadonlyMap<string, readonly number[]>;

const rowsOf = (numbers: Int32Array, width: number): Rows => {
  const rows = new Map<string, readonly number[]>();
  for (let n = 0; n < numbers.length; n += width) {
    const row = Array.from(numbers.subarray(n, n + width));
    rows.set(row.join(), row);
  }
  return rows;
};

const areEqual = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((x, n) => x === b[n]);
