import type { Affine } from '../../trace/piece.js';
import type { Term } from '../recurrences/sparsity.js';
import { rangeOf, substituteAll, constantOf, iterator, tidy } from '../sets/conjunction.js';
import type { Box } from '../sets/box.js';
import { MOST_BITS } from '../sets/set-builder.js';
import { rangesOf, type Range } from './query.js';
import type { Variable } from './variables.js';

/** Points of one variable that are those of another, moved: x is in `to` where x + by is in `from`, for x within ranges. */
interface Move {
  readonly to: number;
  readonly from: number;
  readonly by: readonly number[];
  readonly ranges: readonly Range[];
}

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
export const runSweep = (
  { order, moves }: Sweep,
  boxes: ReadonlyMap<number, Box>,
  bits: ReadonlyMap<number, Uint32Array>,
): void => {
  const first = Math.min(...moves.map((m) => m.ranges[0].min));
  const last = Math.max(...moves.map((m) => m.ranges[0].max));
  const mine = order.map((k) => moves.filter((m) => m.to === k));
  for (let x = first; x <= last; x++)
    for (const group of mine)
      for (const m of group)
        if (x >= m.ranges[0].min && x <= m.ranges[0].max)
          moveSlice(m, x, boxes.get(m.to)!, boxes.get(m.from)!, bits.get(m.to)!, bits.get(m.from)!);
};

/** One value of the first iterator: row after row of the last. */
const moveSlice = (
  { by, ranges }: Move,
  x: number,
  to: Box,
  from: Box,
  target: Uint32Array,
  source: Uint32Array,
): void => {
  const dims = ranges.length;
  const at = ranges.map((r) => r.min);
  at[0] = x;
  const code = (box: Box, moved: boolean): number =>
    at.reduce((n, v, d) => n + (v + (moved ? by[d] : 0) - box.lower[d]) * box.strides[d], 0);
  if (dims === 1) return orBits(target, code(to, false), source, code(from, true), 1);
  const width = ranges[dims - 1].max - ranges[dims - 1].min + 1;
  for (;;) {
    orBits(target, code(to, false), source, code(from, true), width);
    let d = dims - 2;
    while (d > 0 && at[d] === ranges[d].max) at[d] = ranges[d--].min;
    if (d <= 0) return;
    at[d]++;
  }
};

/** target[a + n] |= source[b + n] for 0 ≤ n < length, in bits. */
const orBits = (target: Uint32Array, a: number, source: Uint32Array, b: number, length: number): void => {
  const end = a + length;
  const shift = (((b - a) % 32) + 32) % 32;
  for (let w = Math.floor(a / 32); w * 32 < end; w++) {
    const base = w * 32;
    /* Bits of the source that stand behind this word's. */
    const s = Math.floor((base + b - a) / 32);
    const low = s < 0 || s >= source.length ? 0 : source[s];
    const high = s + 1 < 0 || s + 1 >= source.length ? 0 : source[s + 1];
    let word = shift === 0 ? low : (low >>> shift) | (high << (32 - shift));
    if (base < a) word &= 0xffffffff << (a - base);
    if (base + 32 > end) word &= 0xffffffff >>> (base + 32 - end);
    target[w] |= word;
  }
};
