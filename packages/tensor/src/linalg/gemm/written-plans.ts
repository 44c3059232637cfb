import { byteSize } from '@filigree/ir';
import { alikeColumns } from './alike-columns.js';
import { entriesOf } from './entries.js';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { BYTES_A_CYCLE, keptDecoded } from './code-speed.js';
import { rowPieces } from './row-pieces.js';
import { type FactorCounts, countFactors } from './factor-counts.js';
import { tileSums } from './tile-sums.js';
import { type TileWork, rememberedWork } from './tile-work.js';
import { type Tile, runsOf, tilesOf } from './tiles.js';
import { waysToRead } from './ways-to-read.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * Plans whose products are written out, but for loops over tiles of one shape and over steps of k: blocks of C of all sizes that fit the
 * registers, and of the code for each as much as is worth a try.
 */
export const writtenPlans = (
  spec: GemmSpec,
  swapped: boolean,
  target: GemmTarget,
  alone: boolean,
): readonly GemmPlan[] => {
  const { m, n, k } = spec;
  const padded = spec.c.rowStride === 1 ? (spec.mPadded ?? m) : m;
  const pieces = rowPieces(m, target.vectorBytes / byteSize(spec.type), padded, target.masks);
  const unit = spec.c.rowStride === 1 || pieces.lanes === 1;
  const [a, b] = [entriesOf(spec.a, m), entriesOf(spec.b, k)];
  const lies = spec.a.kind === 'dense' ? spec.a : spec.a.stored;
  const gathers = lies === undefined || (lies.rowStride !== 1 && pieces.lanes > 1);
  const counts = countFactors(spec, pieces);
  const sums = tileSums(spec, counts, target, alone);
  const chains = (height: number, width: number): number => sums(height, width).chains;
  const work = rememberedWork(spec, counts, sums);
  const mostColumns = Math.min(n, target.registers - 2);
  const columnsBy = Array.from({ length: mostColumns }, (_, w) => columnTiles(spec, counts, w + 1));
  const plans: GemmPlan[] = [];
  for (let height = 1; height <= Math.min(pieces.starts.length, target.registers - 2); height++)
    for (let width = 1; width <= mostColumns; width++) {
      if (!sums(height, width).fits) continue;
      const rowTiles = tilesOf(pieces.starts, height);
      /* What the last vector computes a second time must still be as it was when it is loaded. */
      if (pieces.overlaps && spec.beta === 1 && rowTiles.at(-1)!.members.length < 2) continue;
      const columns = columnsBy[width - 1];
      /* As even as can be, tiles may all be smaller: they were tried before. */
      if (rowTiles[0].members.length < height || columns[0].members.length < width) continue;
      plans.push(
        ...plansWith({ spec, swapped, pieces, a, b, gathers, chains }, counts, work, rowTiles, columns, unit, target),
      );
    }
  return plans;
};

/** The columns in tiles of at most so many: neighbours, or of a sparse matrix those that share rows where that spares loads. */
const columnTiles = ({ n, k }: GemmSpec, { numbers }: FactorCounts, most: number): readonly Tile[] => {
  const neighbours = tilesOf(
    Array.from({ length: n }, (_, j) => j),
    most,
  );
  if (!numbers) return neighbours;
  const alike = alikeColumns(
    numbers,
    k,
    neighbours.map((t) => t.members.length),
  );
  return rowsOf(alike, numbers) < rowsOf(neighbours, numbers) ? alike : neighbours;
};

/** Rows in which the columns of a tile have entries, of all tiles together. */
const rowsOf = (tiles: readonly Tile[], rows: readonly (readonly number[])[]): number =>
  tiles.reduce((sum, { at, members }) => sum + new Set(members.flatMap((c) => rows[at + c])).size, 0);

const plansWith = (
  base: Pick<GemmPlan, 'spec' | 'swapped' | 'pieces' | 'a' | 'b' | 'gathers' | 'chains'>,
  counts: FactorCounts,
  workOf: TileWork,
  rowTiles: readonly Tile[],
  columnTiles: readonly Tile[],
  unit: boolean,
  target: GemmTarget,
): readonly GemmPlan[] => {
  const { spec, pieces } = base;
  const { k } = spec;
  const rows = runsOf(rowTiles, spec.a.kind === 'sparse');
  const columns = runsOf(columnTiles, spec.b.kind === 'sparse');
  const work = { multiplyAdds: 0, cycles: 0, looping: 0, tripping: 0, instructions: 0 };
  const columnKinds = kindsOf(columnTiles, spec.b.kind === 'sparse');
  for (const r of kindsOf(rowTiles, spec.a.kind === 'sparse')) {
    const members = r.tile.members.length;
    for (const c of columnKinds) {
      const t = workOf(r.first, members, c.tile);
      const count = r.count * c.count;
      work.multiplyAdds += count * t.multiplyAdds;
      work.cycles += count * (t.cycles + (unit ? 0 : 1.5 * members * pieces.lanes * c.tile.members.length));
      work.looping += count * t.looping;
      work.tripping += count * t.tripping;
      work.instructions += count * t.instructions;
    }
  }
  let [written, stored] = [0, 0];
  for (const r of rows)
    for (const c of columns) {
      written += workOf(pieces.starts.indexOf(r.at), r.members.length, c).instructions;
      stored += 2 * r.members.length * c.members.length;
    }
  return waysToRead(base, counts, rowTiles, columnTiles).flatMap(({ panel, columnsInside, waits, gathered }) =>
    stepsWritten(k, !counts.vectors && !counts.numbers, target.steps).map((unrolledK) => {
      const trips = Math.floor(k / unrolledK);
      const share = (unrolledK + (k % unrolledK)) / k;
      const looping = trips === 1 ? 0 : work.looping + trips * work.tripping;
      const codeBytes = BYTES * (written * share + stored + gathered * 1.3 * share);
      return {
        ...base,
        rows,
        columns,
        columnsInside,
        panel,
        looped: false as const,
        unrolledK,
        multiplyAdds: work.multiplyAdds,
        cycles: Math.max(work.cycles + looping, decoding(codeBytes, work.instructions, target)) + waits,
        codeBytes,
      };
    }),
  );
};

/** Tiles that take the same work, counted: of a dense matrix those of one size, of a sparse one none but itself; and the first's place. */
const kindsOf = (
  tiles: readonly Tile[],
  apart: boolean,
): readonly { readonly tile: Tile; readonly first: number; readonly count: number }[] => {
  const kinds: { tile: Tile; first: number; count: number }[] = [];
  let first = 0;
  for (const tile of tiles) {
    const last = kinds.at(-1);
    /* The larger ones come first. */
    if (!apart && last?.tile.members.length === tile.members.length) last.count++;
    else kinds.push({ tile, first, count: 1 });
    first += tile.members.length;
  }
  return kinds;
};

/** Cycles that reading the code takes, where one product has outgrown what is kept decoded. */
const decoding = (bytes: number, instructions: number, target: GemmTarget): number =>
  bytes > keptDecoded(target) ? (instructions * BYTES) / BYTES_A_CYCLE.read : 0;

/** Bytes of an instruction on average: most reach far into memory. */
const BYTES = 7;

/** How many steps over k may be written out in a loop: all of them, or for each number of trips as many as there must be; `most` where that can be. */
const stepsWritten = (k: number, dense: boolean, most = k): readonly number[] => {
  const steps = [k];
  for (let trips = 2; dense && trips <= k; trips++) {
    const by = Math.floor(k / trips);
    if (by < steps.at(-1)! && k > SHORT) steps.push(by);
  }
  const few = steps.filter((by) => by <= most);
  return few.length > 0 ? few : [steps.at(-1)!];
};

/** So few steps over k are not worth a loop. */
const SHORT = 8;
