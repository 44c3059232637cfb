import { byteSize } from '@filigree/ir';
import { entriesOf } from './entries.js';
import type { GemmSpec, GemmTarget, MatrixView } from '../gemm-spec.js';
import { rowPieces } from './row-pieces.js';
import { runsOf, tilesOf } from './tiles.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * Plans that take a few instructions, however many entries a sparse B has. Of a dense A: for so many vectors of rows, each column's
 * entries in a loop. Each entry is a number in all lanes, by as many vectors of A as there are sums in registers. Of a sparse A: each entry
 * of B by those of A that it meets.
 */
export const loopedPlans = (spec: GemmSpec, swapped: boolean, target: GemmTarget): readonly GemmPlan[] => {
  const { a, b } = spec;
  if (b.kind === 'dense' || b.positions.length === 0) return [];
  return a.kind === 'dense' ? columnPlans(spec, a, b, swapped, target) : [entriesPlan(spec, a, b, swapped)];
};

type View<Kind> = Extract<MatrixView, { readonly kind: Kind }>;

const columnPlans = (
  spec: GemmSpec,
  a: View<'dense'>,
  b: View<'sparse'>,
  swapped: boolean,
  target: GemmTarget,
): readonly GemmPlan[] => {
  const { m, n, k, c, alpha, beta } = spec;
  const padded = c.rowStride === 1 ? (spec.mPadded ?? m) : m;
  const pieces = rowPieces(m, target.vectorBytes / byteSize(spec.type), padded, target.masks);
  const gathers = a.rowStride !== 1 && pieces.lanes > 1;
  const most = target.registers - 2 - (alpha === 1 || alpha === -1 ? 0 : 1) - (target.registers > 16 ? 2 : 0);
  const entries = b.positions.length;
  const plans: GemmPlan[] = [];
  for (let height = 1; height <= Math.min(most, pieces.starts.length); height++) {
    const tiles = tilesOf(pieces.starts, height);
    /* What the last vector computes a second time must still be as it was when it is loaded. */
    if (pieces.overlaps && beta === 1 && tiles.at(-1)!.members.length < 2) continue;
    if (tiles[0].members.length < height) continue;
    const rows = runsOf(tiles);
    const single = gathers || (c.rowStride !== 1 && pieces.lanes > 1) ? 1.2 * pieces.lanes : 0;
    let cycles = 0;
    for (const { members } of tiles)
      cycles += chunkCycles(members.length, entries, n, beta) + single * members.length * (entries + n);
    plans.push({
      spec,
      swapped,
      pieces,
      a: entriesOf(a, m),
      b: entriesOf(b, k),
      rows,
      columns: runsOf([{ at: 0, members: [0] }]),
      columnsInside: true,
      gathers,
      panel: false,
      looped: 'columns',
      unrolledK: k,
      chains: () => 1,
      multiplyAdds: pieces.starts.length * entries,
      cycles,
      codeBytes: rows.reduce(
        (bytes, r) => bytes + CHUNK_BYTES + SUM_BYTES * r.members.length * (single > 0 ? pieces.lanes : 1),
        0,
      ),
    });
  }
  return plans;
};

/** Each product reads and writes C in memory; an entry of B begins a loop whose end is predicted wrong every other time. */
const entriesPlan = (spec: GemmSpec, a: View<'sparse'>, b: View<'sparse'>, swapped: boolean): GemmPlan => {
  const { m, n, k, beta } = spec;
  const inColumn = new Int32Array(k);
  for (const l of a.columns) inColumn[l]++;
  const multiplyAdds = b.rows.reduce((sum, l) => sum + inColumn[l], 0);
  const whole = runsOf([{ at: 0, members: [0] }]);
  return {
    spec,
    swapped,
    pieces: rowPieces(m, 1, m, false),
    a: entriesOf(a, m),
    b: entriesOf(b, k),
    rows: whole,
    columns: whole,
    columnsInside: true,
    gathers: false,
    panel: false,
    looped: 'entries',
    unrolledK: k,
    chains: () => 1,
    multiplyAdds,
    cycles: 2 * multiplyAdds + 14 * b.positions.length + 12 * n + (beta === 0 ? 0.5 * m * n : 0),
    codeBytes: ENTRIES_BYTES,
  };
};

/**
 * All columns for so many vectors of rows. An entry takes two numbers of lists, one of B, the multiply-adds with vectors from memory, and
 * three instructions of the loop; a column its bounds, its place in C, and a branch that is predicted wrong every other time.
 */
const chunkCycles = (height: number, entries: number, columns: number, beta: 0 | 1): number => {
  const instructions = height + 6;
  const perColumn = (instructions * entries) / columns;
  /* Columns follow one another while sums wait for each other. */
  const latency = (4 * entries) / (1 + 180 / perColumn);
  return (
    Math.max((height + 3) / 2, instructions / 5) * entries +
    Math.max(0, latency - (instructions / 5) * entries) +
    columns * (12 + (1 + 0.3 * beta) * height)
  );
};

/** Bytes of code of the loops over columns and entries, and of a sum: a multiply-add, a zero, its store. */
const [CHUNK_BYTES, SUM_BYTES] = [120, 28];

/** And of the loops over entries of both matrices. */
const ENTRIES_BYTES = 200;
