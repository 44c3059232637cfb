import type { Builder, Value } from '@filigree/ir';
import { PARALLEL_WORK } from '../../linalg/parallel-work.js';
import {
  advance,
  alongLanes,
  over,
  type Attrs,
  type Cursor,
  type DenseLoop,
  type DenseTerm,
  type Place,
} from './nest-loops.js';
import { finish, sumOf, wideSum, zero, type Finish } from './nest-sums.js';
import { chosenTile, tiledSums } from './tile.js';

export interface DenseNest extends Finish {
  readonly target: Place;
  /** What is added up; none is zero. */
  readonly terms: readonly DenseTerm[];
  readonly loops: readonly DenseLoop[];
  readonly lanes: number;
  readonly registers: number;
  /** Whether threads may divide the outermost loop. */
  readonly divides: boolean;
  /** Whether a team of threads divides the entries of the target: no term is of the target's buffer then. */
  readonly team: boolean;
}

/** Entries of a sparse target one after the other, and of each what is added up. */
export interface ListedEntries {
  readonly count: number;
  /** How far from where the target begins an entry lies. */
  readonly target: (entry: Value) => Value;
  /** Which of the listed terms an entry has: from the first up to the second. */
  readonly terms: (entry: Value) => readonly [from: Value, to: Value];
  /** How far from where each source begins its factor of a term lies. */
  readonly sources: (term: Value) => readonly Value[];
}

/**
 * target = scale·Σ terms, or target += …, by loops with constant bounds. Indices that follow directly after one another
 * in every operand become one loop. The loop along which all operands are contiguous runs on vector lanes: preferably
 * one of the target's, else a summed one. Iterations of the outermost loop write elements of their own, and threads divide them
 * where that pays. Sums of products whose factors serve several entries are made for tiles of these. Those of a team take one entry after another, neighbours next to each other.
 */
export const denseNest = (b: Builder, nest: DenseNest): void => {
  const loops = fuse(nest.loops.filter((l) => l.trips !== 1));
  if (loops.some((l) => l.trips === 0)) return;
  if (nest.team) return byTeam(b, nest, loops);
  const lane = laneLoop(loops);
  const rest = loops.filter((l) => l !== lane);
  const outer = rest.filter((l) => !l.summed).sort((x, y) => y.strides[0]! - x.strides[0]!);
  const summed = rest.filter((l) => l.summed);
  const start: Cursor = { target: nest.target, terms: nest.terms };
  const operations = loops.reduce((n, l) => n * l.trips, Math.max(1, nest.terms.length));
  /* In place, an iteration may read what another writes. */
  const inPlace = nest.terms.some((t) => t.some((p) => p.buffer === nest.target.buffer));
  const attrs: Attrs = nest.divides && !inPlace && operations >= PARALLEL_WORK ? { parallel: true } : {};
  const tile = inPlace ? undefined : chosenTile(nest, outer, summed, lane);
  if (tile) return tiledSums(b, nest, tile, attrs, start);
  over(b, outer, attrs, start, (cursor) => {
    if (lane === undefined || lane.summed) return finish(b, nest, cursor, sumOf(b, nest, cursor, summed, lane), 1);
    alongLanes(b, lane, outer.length === 0 ? attrs : {}, nest.lanes, cursor, (c, width) =>
      finish(b, nest, c, wideSum(b, nest, c, summed, width, lane), width),
    );
  });
};

/**
 * The same for a target or sources that are stored sparsely, by a team: `terms` has one, of what lies at the beginning of each source. Threads take an entry of the target each, with
 * all dense indices, and go through what is added up in it; so nothing is shared, and an entry is stored once.
 */
export const listedByTeam = (b: Builder, nest: DenseNest, listed: ListedEntries): void =>
  byTeam(b, nest, fuse(nest.loops.filter((l) => l.trips !== 1)), listed);

const byTeam = (b: Builder, nest: DenseNest, loops: readonly DenseLoop[], listed?: ListedEntries): void => {
  const kept = loops.filter((l) => !l.summed).sort((x, y) => x.strides[0]! - y.strides[0]!);
  const summed = loops.filter((l) => l.summed);
  const entries = kept.reduce((n, l) => n * l.trips, listed?.count ?? 1);
  b.for(b.i32(0), b.i32(entries), b.i32(1), { team: true }, [], (entry) => {
    let [cursor, rest]: [Cursor, Value] = [{ target: nest.target, terms: nest.terms }, entry];
    kept.forEach((loop, k) => {
      const last = k === kept.length - 1 && listed === undefined;
      cursor = advance(b, cursor, last ? rest : b.rem(rest, b.i32(loop.trips)), loop);
      if (!last) rest = b.div(rest, b.i32(loop.trips));
    });
    if (listed === undefined) return finish(b, nest, cursor, wideSum(b, nest, cursor, summed, 1), 1);
    const [from, to] = listed.terms(rest);
    const [sum] = b.for(from, to, b.i32(1), {}, [zero(b, nest, 1)], (term, [before]) => {
      const at = listed.sources(term);
      const there = cursor.terms.map((t) => t.map((p, k) => ({ ...p, at: b.add(p.at, at[k]!) })));
      return [b.add(before!, wideSum(b, nest, { ...cursor, terms: there }, summed, 1))];
    });
    const { target } = cursor;
    finish(b, nest, { ...cursor, target: { ...target, at: b.add(target.at, listed.target(rest)) } }, sum!, 1);
  });
};

/** A loop follows another where everyone's next row begins right behind the last. */
const fuse = (loops: readonly DenseLoop[]): readonly DenseLoop[] => {
  for (const first of loops)
    for (const second of loops)
      if (
        first !== second &&
        first.summed === second.summed &&
        first.strides.every((s, k) => second.strides[k] === s * first.trips)
      )
        return fuse([
          { ...first, trips: first.trips * second.trips },
          ...loops.filter((l) => l !== first && l !== second),
        ]);
  return loops;
};

const laneLoop = (loops: readonly DenseLoop[]): DenseLoop | undefined => {
  const longest = (some: readonly DenseLoop[]): DenseLoop | undefined =>
    some.reduce<DenseLoop | undefined>((best, l) => (best && best.trips >= l.trips ? best : l), undefined);
  const near = (strides: readonly number[]): boolean => strides.every((s) => s === 0 || s === 1);
  return (
    longest(loops.filter((l) => !l.summed && l.strides[0] === 1 && near(l.strides))) ??
    longest(loops.filter((l) => l.summed && near(l.strides) && l.strides.includes(1)))
  );
};
