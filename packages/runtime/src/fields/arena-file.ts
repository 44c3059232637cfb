import { fail } from '@filigree/ir';
import {
  bytesAt,
  clearBytes,
  initializeArena,
  isPooled,
  nodeText,
  RESERVED_CELLS,
  type Layout,
  type PooledStorage,
  type SNode,
} from '@filigree/sparse/fields';
import { rare } from '#rare';
import type { Arena } from './arena.js';
import { aligned, openedFile, sealedFile, type FileKind } from './sealed-file.js';

/** Numbers saved with an arena: the state of a program that is not in its fields. */
export type ArenaState = Readonly<Record<string, number>>;

/**
 * What an arena holds, as bytes: the root's cell, and of each pool the cells that were ever used. They fit every arena of the
 * same layout, whatever its budget. Error: `arena/too-large` beyond 4 GiB.
 */
export const saveArena = (arena: Arena, state: ArenaState = {}): Uint8Array => {
  arena.ready('settle');
  const { storage, words } = arena;
  const pools = storage.nodes.filter(isPooled);
  for (const at of pools) rare().settle(arena, at);
  const counts = pools.map((at) => countsOf(arena, at));
  const header = JSON.stringify({ layout: layoutText(storage.layout), pools: counts, state });
  const parts = partsOf(arena, counts).map(([address, size]) => bytesAt(words, address, size));
  return sealedFile(arenaFile, header, parts, (total) => {
    if (total > MOST_BYTES)
      fail('arena/too-large', `the file would have ${(total / 2 ** 30).toFixed(1)} GiB, and may have 4`, {
        remedy: 'read the fields one by one: toArray()',
      });
  });
};

/** Bytes of what `saveArena` writes of an arena, without what it says of it. */
export const bytesInUse = (arena: Arena): number => {
  arena.ready('settle');
  const pools = arena.storage.nodes.filter(isPooled);
  for (const at of pools) rare().settle(arena, at);
  const counts = pools.map((at) => countsOf(arena, at));
  return partsOf(arena, counts).reduce((sum, [, size]) => sum + size, 0);
};

/**
 * Restores an arena to what `saveArena` wrote and returns the state saved with it. On failure nothing is changed:
 * `arena/not-an-arena`, `arena/version`, `arena/truncated`, `arena/damaged`, `arena/layout` for another layout,
 * `arena/exhausted` if a pool here is too small for what it would hold.
 */
export const loadArena = (arena: Arena, file: Uint8Array): ArenaState => {
  arena.ready('structure');
  const { layout, pools: counts, state, start } = opened(file);
  const { storage, words } = arena;
  const own = layoutText(storage.layout);
  if (layout !== own) refuseLayout(layout, own);
  const pools = storage.nodes.filter(isPooled);
  pools.forEach(({ node, pool }, n) => {
    if (counts[n].used > pool.capacity)
      fail(
        'arena/exhausted',
        `the saved arena holds ${counts[n].used - RESERVED_CELLS} cells of ${nodeText(node)}, and ` +
          `here there is room for ${pool.capacity - RESERVED_CELLS}`,
        {
          remedy: 'make the program with a larger `budget`, or give the node more `cells`',
        },
      );
  });

  reset(arena);
  pools.forEach(({ pool }, n) => {
    words[pool.used / 4] = counts[n].used;
    words[pool.freeCount / 4] = counts[n].free;
  });
  let end = start;
  for (const [address, size] of partsOf(arena, counts)) {
    bytesAt(words, address, size).set(file.subarray(end, end + size));
    end += aligned(size);
  }
  for (const at of pools)
    if (at.pool.table)
      for (let cell = RESERVED_CELLS; cell < words[at.pool.used / 4]; cell++)
        if (words[at.pool.active / 4 + cell] === 1) rare().putIntoTable(arena, at, cell);
  return state;
};

/** Brings a used arena back to the state it began in. */
const reset = (arena: Arena): void => {
  const { storage, words } = arena;
  for (const at of storage.nodes.filter(isPooled)) {
    rare().emptyPool(arena, at);
    clearBytes(words, at.pool.cells, at.pool.cells + at.cellBytes);
  }
  clearBytes(words, storage.root, storage.root + storage.nodes[0].cellBytes);
  initializeArena(storage, words);
};

/* Arrays of more bytes are refused by engines. */
const MOST_BYTES = 2 ** 32;

interface Counts {
  readonly used: number;
  readonly free: number;
}

const countsOf = ({ words }: Arena, { pool }: PooledStorage): Counts => ({
  used: words[pool.used / 4],
  free: words[pool.freeCount / 4],
});

/** What is saved, in order: address and bytes. */
const partsOf = ({ storage }: Arena, counts: readonly Counts[]): readonly (readonly [number, number])[] => [
  [storage.root, storage.nodes[0].cellBytes],
  ...storage.nodes.filter(isPooled).flatMap(({ pool, cellBytes }, n): readonly (readonly [number, number])[] => {
    const { used, free } = counts[n];
    return [
      [pool.free, 4 * free],
      [pool.active, 4 * used],
      [pool.coordinates, 4 * used * pool.axes.length],
      /* Cell 1 takes what found no room, and means nothing. */
      [pool.cells + RESERVED_CELLS * cellBytes, (used - RESERVED_CELLS) * cellBytes],
    ];
  }),
];

/** A layout as text, a node a line: what must be the same for an arena to fit. */
const layoutText = ({ nodes }: Layout): string =>
  nodes
    .map((node) => {
      let depth = 0;
      for (let at = node; at.parent >= 0; at = nodes[at.parent]) depth++;
      const { field } = node;
      const value = field ? ` ${field.type} ${field.ambient}${formatText(node)}` : '';
      return `${'  '.repeat(depth)}${nodeText(node)}${value}`;
    })
    .join('\n');

const formatText = ({ stored }: SNode): string =>
  stored
    ? ` as ${stored.format.name} ${JSON.stringify(stored.format.attrs)} in ${stored.wordBits} bits from ${stored.shift}`
    : '';

const refuseLayout = (saved: string, own: string): never => {
  const [there, here] = [saved.split('\n'), own.split('\n')];
  const n = there.findIndex((line, k) => line !== here[k]);
  const at = n < 0 ? there.length : n;
  const shown = (lines: readonly string[]): string => lines[at]?.trim() ?? 'nothing more';
  return fail(
    'arena/layout',
    `the saved arena has another layout: ${shown(there)} where this program has ${shown(here)}`,
    {
      remedy: 'load it into a program of the layout that it was saved from',
    },
  );
};

interface Opened {
  readonly layout: string;
  readonly pools: readonly Counts[];
  readonly state: ArenaState;
  /** Where the parts begin. */
  readonly start: number;
}

const opened = (file: Uint8Array): Opened => {
  const { header, start } = openedFile(file, arenaFile);
  return { ...(JSON.parse(header) as Omit<Opened, 'start'>), start };
};

const arenaFile: FileKind = {
  magic: 'FILIGREE',
  version: 2,
  area: 'arena',
  what: 'saved arena',
  again: 'save it again, or use another copy',
  versions: 'load it with the version of the program that saved it',
  give: 'give what save() made',
};
