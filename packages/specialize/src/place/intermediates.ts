import { fail } from '@filigree/ir';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Ordered } from '../order/order.js';
import { operationsOf } from './lanes.js';
import type { Movable } from './movable.js';

/**
 * Positions of intermediates, launch by launch. Values that are read often stand in the order in which
 * units run, where readers that are neighbours find neighbours; values that are read once or twice stand in the order in
 * which their group computes them, so that they are written consecutively without an index table; but those that one group reads which computes much on vector lanes, and nothing else
 * reads, stand in the order of that group where it would need tables otherwise.
 */
export const placeIntermediates = (h: Ordered, groups: readonly Movable[]): { slot: Int32Array; count: number } => {
  const { order, level, ptr, roots } = h;
  const { read } = h.destinations;
  const levels = slotsOfLevels(h);
  const count = levels.reduce((n, l) => n + l.values, 0);
  if (count > MAX_POSITIONS)
    fail('place/too-large', `${count} intermediate values do not fit 32-bit positions`, {
      remedy: 'split the program',
    });
  if (count === 0) return { slot: NO_SLOTS, count };
  const slot = new Int32Array(h.ids);
  const often = Uint8Array.from(levels, (l) => (l.often ? 1 : 0));
  /* The next position of each level. */
  const next = Int32Array.from(levels, (l) => l.at);
  for (let i = 0; i < order.length; i++) {
    const u = order[i];
    const l = level[u];
    if (often[l] === 1) for (let r = ptr[u]; r < ptr[u + 1]; r++) if (read[r] === 1) slot[roots[r]] = next[l]++;
  }
  const placed = new Uint8Array(h.ids);
  for (const column of columnsOnLanes(h, groups, (u) => often[level[u]] === 1))
    for (const node of column.nodes) {
      placed[node] = 1;
      slot[node] = next[column.level]++;
    }
  for (const { move, units } of groups) {
    if (move) continue;
    const values = ptr[units[0] + 1] - ptr[units[0]];
    for (let k = 0; k < values; k++)
      for (let i = 0; i < units.length; i++) {
        const l = level[units[i]];
        const r = ptr[units[i]] + k;
        if (often[l] === 0 && read[r] === 1 && placed[roots[r]] === 0) slot[roots[r]] = next[l]++;
      }
  }
  return { slot, count };
};

/** Operations an operand from which losing lanes costs more than tables for what writes the operands. */
const MUCH = 16;

/**
 * Columns of groups on lanes whose values nothing else reads, where these do not stand at even distances in the order in which they are computed: compilers give lanes up
 * where most operands come through tables.
 *
 * @param isOften whether a unit's values stand in an order of their own
 */
const columnsOnLanes = (
  { ids, ptr, roots, level }: Ordered,
  groups: readonly Movable[],
  isOften: (unit: number) => boolean,
): readonly { readonly level: number; readonly nodes: Int32Array }[] => {
  const heavy = groups.flatMap(({ body, repeated }) =>
    body !== undefined && repeated === undefined && operationsOf(body.template) >= MUCH * body.columns.length
      ? [body.columns.filter(({ kind }) => kind === INTERMEDIATE)]
      : [],
  );
  if (heavy.every((columns) => columns.length === 0)) return [];
  const reads = new Uint8Array(ids);
  for (const { body, segments } of groups)
    for (const { columns } of body ? [body, ...segments] : segments)
      for (const { kind, nodes, arePositions } of columns)
        if (kind === INTERMEDIATE && arePositions !== true) countReads(nodes, reads);
  /* Where values stand among those that are computed before and behind them, by unit; and their units. */
  const place = new Int32Array(level.length);
  let next = 0;
  for (const { move, units } of groups) if (!move) for (const u of units) place[u] = next++;
  const unitOf = new Int32Array(ids).fill(-1);
  for (let u = 0; u < level.length; u++) for (let r = ptr[u]; r < ptr[u + 1]; r++) unitOf[roots[r]] = u;
  return heavy.flatMap((columns) => {
    const own = columns.filter(({ nodes }) => {
      const first = unitOf[nodes[0]];
      return nodes.every((node) => reads[node] === 1 && level[unitOf[node]] === level[first] && !isOften(unitOf[node]));
    });
    const isEven = ({ nodes }: { readonly nodes: Int32Array }): boolean => {
      const at = (i: number): number => place[unitOf[nodes[i]]];
      for (let i = 2; i < nodes.length; i++) if (at(i) - at(i - 1) !== at(1) - at(0)) return false;
      return true;
    };
    return own.every(isEven) ? [] : own.map(({ nodes }) => ({ level: level[unitOf[nodes[0]]], nodes }));
  });
};

/** Adds to how often each value is read: 2 for more. */
const countReads = (nodes: Int32Array, reads: Uint8Array): void => {
  for (let i = 0; i < nodes.length; i++) if (reads[nodes[i]] < 2) reads[nodes[i]]++;
};

const NO_SLOTS = new Int32Array(0);

/** Loads a value from which the order of reads matters more than the order of writes. */
const OFTEN = 2.5;

interface LevelSlots {
  /** Position of the level's first value. */
  readonly at: number;
  readonly values: number;
  /** Whether the level's values are read often. */
  readonly often: boolean;
}

const slotsOfLevels = (h: Ordered): LevelSlots[] => {
  const { ptr, level } = h;
  const { read } = h.destinations;
  const values = new Int32Array(h.loadsOfLevel.length);
  for (let u = 0; u + 1 < ptr.length; u++) for (let r = ptr[u]; r < ptr[u + 1]; r++) values[level[u]] += read[r];
  let at = 0;
  return Array.from(values, (n, l) => {
    const slots = { at, values: n, often: h.loadsOfLevel[l] >= OFTEN * n };
    at += n;
    return slots;
  });
};

const MAX_POSITIONS = 2 ** 31 - 1;
