import type { Builder, Value } from '@filigree/ir';
import { PARALLEL_WORK } from '../../linalg/parallel-work.js';
import { addScaled } from './access.js';

/** Places that are multiplied: one load each. */
export type DenseTerm = readonly Place[];

/** Where something lies for the first values of all loops. */
export interface Place {
  readonly buffer: string;
  readonly at: Value;
}

export interface DenseLoop {
  readonly trips: number;
  /** Elements that the target and each source of a term go on by. */
  readonly strides: readonly number[];
  /** The target does not depend on it. */
  readonly summed: boolean;
}

export interface DenseNest {
  readonly target: Place;
  /** What is added up; none is zero. */
  readonly terms: readonly DenseTerm[];
  readonly loops: readonly DenseLoop[];
  readonly add: boolean;
  readonly scale: number | Value;
  readonly type: 'f32' | 'f64';
  readonly lanes: number;
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
 * where that pays. Those of a team take one entry after another, neighbours next to each other.
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

interface Cursor {
  readonly target: Place;
  readonly terms: readonly DenseTerm[];
}

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

const advance = (b: Builder, cursor: Cursor, i: Value, { strides }: DenseLoop): Cursor => ({
  target: move(b, cursor.target, i, strides[0]!),
  terms: cursor.terms.map((t) => t.map((p, k) => move(b, p, i, strides[k + 1]!))),
});

const move = (b: Builder, place: Place, i: Value, by: number): Place => ({
  buffer: place.buffer,
  at: addScaled(b, place.at, i, by),
});

const over = (
  b: Builder,
  loops: readonly DenseLoop[],
  attrs: Attrs,
  cursor: Cursor,
  body: (cursor: Cursor) => void,
): void => {
  const [first, ...rest] = loops;
  if (first === undefined) return body(cursor);
  b.for(b.i32(0), b.i32(first.trips), b.i32(1), attrs, [], (i) =>
    over(b, rest, {}, advance(b, cursor, i, first), body),
  );
};

/** What is said of the outermost loop. */
type Attrs = { readonly parallel?: true };

/** Whole vectors, then halves of them down to single lanes. */
const pieces = (trips: number, lanes: number): readonly { from: number; to: number; width: number }[] => {
  const found: { from: number; to: number; width: number }[] = [];
  let from = 0;
  for (let width = lanes; width >= 1; width = width >> 1) {
    const to = from + Math.floor((trips - from) / width) * width;
    if (to > from) found.push({ from, to, width });
    from = to;
  }
  return found;
};

const alongLanes = (
  b: Builder,
  loop: DenseLoop,
  attrs: Attrs,
  lanes: number,
  cursor: Cursor,
  body: (cursor: Cursor, width: number) => void,
): void => {
  for (const { from, to, width } of pieces(loop.trips, lanes)) {
    const at = (i: Value): void => body(advance(b, cursor, i, loop), width);
    if (to - from === width) at(b.i32(from));
    else b.for(b.i32(from), b.i32(to), b.i32(width), width === lanes ? attrs : {}, [], at);
  }
};

/** A term where `width` lanes lie along a loop; of places that do not move along it one element serves all lanes. */
const product = (b: Builder, term: DenseTerm, width: number, along: DenseLoop | undefined): Value =>
  term
    .map((place, k) => {
      if (width === 1) return b.load(place.buffer, place.at);
      return along!.strides[k + 1] === 0
        ? b.splat(b.load(place.buffer, place.at), width)
        : b.load(place.buffer, place.at, width);
    })
    .reduce(b.mul);

/** The sum of all terms over these loops, for `width` neighbours along a loop of the target. */
const wideSum = (
  b: Builder,
  nest: DenseNest,
  cursor: Cursor,
  summed: readonly DenseLoop[],
  width: number,
  along?: DenseLoop,
): Value =>
  summed.length === 0 && cursor.terms.length > 0
    ? cursor.terms.map((t) => product(b, t, width, along)).reduce(b.add)
    : carried(b, summed, cursor, zero(b, nest, width), (c, sum) =>
        c.terms.reduce((acc, t) => b.add(acc, product(b, t, width, along)), sum),
      );

/** The sum of all terms for one element, the last loop along lanes where there is one. */
const sumOf = (
  b: Builder,
  nest: DenseNest,
  cursor: Cursor,
  summed: readonly DenseLoop[],
  lane: DenseLoop | undefined,
): Value => {
  if (lane === undefined) return wideSum(b, nest, cursor, summed, 1);
  return pieces(lane.trips, nest.lanes)
    .map(({ from, to, width }) => {
      const sum = carried(
        b,
        summed,
        cursor,
        zero(b, nest, width),
        (c, before) =>
          b.for(b.i32(from), b.i32(to), b.i32(width), {}, [before], (i, [acc]) =>
            advance(b, c, i, lane).terms.reduce((x, t) => b.add(x, product(b, t, width, lane)), acc!),
          )[0]!,
      );
      return width === 1 ? sum : b.reduce('add', sum);
    })
    .reduce(b.add);
};

const carried = (
  b: Builder,
  loops: readonly DenseLoop[],
  cursor: Cursor,
  init: Value,
  body: (cursor: Cursor, value: Value) => Value,
): Value => {
  const [first, ...rest] = loops;
  if (first === undefined) return body(cursor, init);
  return b.for(b.i32(0), b.i32(first.trips), b.i32(1), {}, [init], (i, [value]) =>
    carried(b, rest, advance(b, cursor, i, first), value!, body),
  )[0]!;
};

/** Scales a value and stores it, or adds it to what is there. */
const finish = (b: Builder, nest: DenseNest, { target }: Cursor, value: Value, width: number): void => {
  const { scale, type } = nest;
  const factor = typeof scale === 'number' ? (scale === 1 ? undefined : b.constant(scale, type)) : scale;
  const scaled = factor === undefined ? value : b.mul(width === 1 ? factor : b.splat(factor, width), value);
  b.store(target.buffer, nest.add ? b.add(b.load(target.buffer, target.at, width), scaled) : scaled, target.at);
};

const zero = (b: Builder, { type }: DenseNest, width: number): Value =>
  b.constant(0, width === 1 ? type : { lanes: width, of: type });
