import type { Affine } from '../../trace/piece.js';
import type { Term } from '../recurrences/sparsity.js';
import { substituteAll, constantOf, iterator, tidy } from '../sets/conjunction.js';
import type { Box } from '../sets/box.js';
import { MOST_BITS } from '../sets/bit-table.js';
import { rangeOf } from '../sets/integer-points.js';
import { rangesOf } from './query.js';
import type { Variable } from './variables.js';
import { cuts, each, partsOf, type Platform, type Steps, type Work } from './work.js';
import { moveSlice, type Move, type Slice } from './slice.js';

/** A cycle of moves that never go back in the first iterator: one sweep along it finds the fix-point. */
export interface Sweep {
  readonly order: readonly number[];
  readonly moves: readonly Move[];
}

/**
 * The cycle of a component as moves, as stencils have them; undefined where a term meets several sets, goes elsewhere than
 * by constants, or where bits would be too many.
 */
export const sweepOf = (component: readonly number[], variables: readonly Variable[]): Sweep | undefined => {
  const moves: Move[] = [];
  for (const k of component) {
    if (variables[k].box.size > MOST_BITS || variables[k].kept.length === 0) return undefined;
    for (const t of variables[k].terms) {
      if (!t.atoms.some((a) => typeof a.of === 'number' && component.includes(a.of))) continue;
      if (t.atoms.length !== 1) return undefined;
      const found = movesOf(t, k, variables);
      if (found === undefined) return undefined;
      moves.push(...found);
    }
  }
  if (moves.some((m) => m.by[0] > 0)) return undefined;
  /* Within one value of the first iterator variables are done in an order, and each row on its own. */
  const now = moves.filter((m) => m.by[0] === 0);
  if (now.some((m) => m.to === m.from)) return undefined;
  const order: number[] = [];
  const left = [...component];
  while (left.length > 0) {
    const next = left.findIndex((k) => now.every((m) => m.to !== k || order.includes(m.from)));
    if (next < 0) return undefined;
    order.push(...left.splice(next, 1));
  }
  return { order, moves };
};

/** A term as moves: one for each value of the iterators that are not kept. */
const movesOf = (t: Term, to: number, variables: readonly Variable[]): readonly Move[] | undefined => {
  const { kept } = variables[to];
  const [{ of, at }] = t.atoms;
  const from = of as number;
  if (variables[from].kept.length !== kept.length) return undefined;
  const dims = Math.max(0, ...[...t.where, ...at].map((f) => f.coefs.length), ...kept.map((d) => d + 1));
  const dropped = Array.from({ length: dims }, (_, d) => d).filter((d) => !kept.includes(d));
  const values: number[][] = [[]];
  for (const d of dropped) {
    const range = rangeOf(t.where, iterator(d));
    if (range === undefined) return [];
    if ((range.max - range.min + 1) * values.length > MOST_MOVES) return undefined;
    const next: number[][] = [];
    for (const v of values) for (let x = range.min; x <= range.max; x++) next.push([...v, x]);
    values.splice(0, values.length, ...next);
  }
  const moves: Move[] = [];
  for (const v of values) {
    /* Kept iterators are numbered in their order, the others are numbers. */
    const names = Array.from({ length: dims }, (_, d): Affine =>
      kept.includes(d) ? iterator(kept.indexOf(d)) : constantOf(v[dropped.indexOf(d)]),
    );
    const where = tidy(t.where.map((f) => substituteAll(f, names)));
    if (where === undefined) continue;
    if (where.some((f) => f.coefs.filter((c) => c !== 0).length > 1)) return undefined;
    const by: number[] = [];
    for (let d = 0; d < kept.length; d++) {
      const f = substituteAll(at[d], names);
      if (f.coefs.some((c, e) => c !== (e === d ? 1 : 0)) || f.coefs.length !== d + 1) return undefined;
      by.push(f.constant);
    }
    const ranges = rangesOf(where, kept.length);
    if (ranges !== undefined) moves.push({ to, from, by, ranges });
  }
  return moves;
};

const MOST_MOVES = 64;

/** Adds to each variable's bits what the moves bring. */
export function* sweepSteps(
  { order, moves }: Sweep,
  boxes: ReadonlyMap<number, Box>,
  bits: ReadonlyMap<number, Uint32Array>,
  platform: Platform,
): Steps<void> {
  const first = Math.min(...moves.map((m) => m.ranges[0].min));
  const last = Math.max(...moves.map((m) => m.ranges[0].max));
  const all = order.map((k) => ({
    to: boxes.get(k)!,
    target: bits.get(k)!,
    slices: moves
      .filter((m) => m.to === k)
      .map((m): Slice => ({ ...m, fromBox: boxes.get(m.from)!, source: bits.get(m.from)! })),
  }));
  for (let x = first; x <= last; x++)
    for (const { to, target, slices } of all) {
      const now = slices.filter((m) => x >= m.ranges[0].min && x <= m.ranges[0].max);
      if (now.length === 0) continue;
      /* The words of this value of the first iterator, in parts. */
      const begin = (x - to.lower[0]) * to.strides[0];
      const lead = begin % 32;
      const cost = (now.length * to.strides[0]) / 256;
      const parts = cuts(lead + to.strides[0], partsOf(cost, platform), 32);
      if (parts.length === 1) {
        /* Asking for so little would take longer than doing it. */
        for (const m of now) moveSlice(m, x, to, target, begin - lead, begin + to.strides[0]);
        continue;
      }
      yield* each(
        parts.map(([from, end]): Work<void> => ({
          kind: 'move',
          slices: now,
          x,
          to,
          target,
          from: begin - lead + from,
          end: begin - lead + end,
          cost: cost / parts.length,
        })),
      );
    }
}
