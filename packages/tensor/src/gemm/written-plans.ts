import { SCRATCH_BYTES, byteSize } from '@filigree/ir';
import { type Entries, entriesOf } from './entries.js';
import type { GemmSpec, GemmTarget } from './gemm-spec.js';
import { BYTES_A_CYCLE, keptDecoded } from './code-speed.js';
import type { GemmPlan } from './plan-gemm.js';
import { rowPieces, type RowPieces } from './row-pieces.js';
import { type Tile, runsOf, tilesOf } from './tiles.js';

/**
 * Plans whose products are written out, but for loops over tiles of one shape and over steps of k: blocks of C of all sizes that fit the
 * registers, and of the code for each as much as is worth a try.
 */
export const writtenPlans = (spec: GemmSpec, swapped: boolean, target: GemmTarget): readonly GemmPlan[] => {
  const { m, n, k } = spec;
  const padded = spec.c.rowStride === 1 ? (spec.mPadded ?? m) : m;
  const pieces = rowPieces(m, target.vectorBytes / byteSize(spec.type), padded, target.masks);
  const unit = spec.c.rowStride === 1 || pieces.lanes === 1;
  const [a, b] = [entriesOf(spec.a, m), entriesOf(spec.b, k)];
  const lies = spec.a.kind === 'dense' ? spec.a : spec.a.stored;
  const gathers = lies === undefined || (lies.rowStride !== 1 && pieces.lanes > 1);
  const counts = countsOf(spec, pieces, a, b);
  const work = rememberedWork(spec, counts);
  const plans: GemmPlan[] = [];
  /* Compilers fill 16 registers to the last one, 32 not. */
  const slack = target.registers > 16 ? 2 : 0;
  const mostColumns = Math.min(n, target.registers - 2);
  for (let height = 1; height <= Math.min(pieces.starts.length, target.registers - 2); height++)
    for (let width = 1; width <= mostColumns; width++) {
      const chains = chainsFor(height * width, k);
      if (registersFor(spec, height, width, chains, target) > target.registers - slack) continue;
      const rowTiles = tilesOf(pieces.starts, height);
      /* What the last vector computes a second time must still be as it was when it is loaded. */
      if (pieces.overlaps && spec.beta === 1 && rowTiles.at(-1)!.members.length < 2) continue;
      const columnTiles = tilesOf(
        Array.from({ length: n }, (_, j) => j),
        width,
      );
      /* As even as can be, tiles may all be smaller: they were tried before. */
      if (rowTiles[0].members.length < height || columnTiles[0].members.length < width) continue;
      plans.push(
        ...plansWith(
          { spec, swapped, pieces, a, b, gathers, chains },
          counts,
          work,
          rowTiles,
          columnTiles,
          unit,
          target,
        ),
      );
    }
  return plans;
};

/**
 * Enough independent sums to keep two units with a latency of four cycles busy, where one tile takes long: with eight, every delay of
 * one would be lost.
 */
const chainsFor = (sums: number, k: number): number =>
  sums > 2 * LATENCY || k < 16 ? 1 : Math.min(4, Math.ceil((2 * LATENCY + 1) / sums));

/** Cycles of a multiply-add. */
const LATENCY = 4;

/** Registers of a tile: its sums, the factors held while the others stream by, one of those, and alpha. */
const registersFor = (spec: GemmSpec, height: number, width: number, chains: number, target: GemmTarget): number => {
  const held = Math.min(height, width);
  /* A factor that is used once is an operand in memory, of vectors always, of numbers with AVX-512. */
  const streamed = (height > width && width === 1) || (width >= height && height === 1 && target.masks) ? 0 : 1;
  return height * width * chains + held + streamed + (spec.alpha === 1 || spec.alpha === -1 ? 0 : 1);
};

/** Products by piece, column and step, where zeros are known. */
interface Counts {
  /** Whether a vector of A has an entry. */
  readonly vector: (piece: number, l: number) => boolean;
  readonly number: (l: number, column: number) => boolean;
  readonly dense: boolean;
  /** Elements and zeros that vectors of A are put together from. */
  readonly gathered: number;
}

const countsOf = ({ m, n, k, a: left, b: right }: GemmSpec, pieces: RowPieces, a: Entries, b: Entries): Counts => {
  const vectors = new Uint8Array(pieces.starts.length * k).fill(left.kind === 'dense' ? 1 : 0);
  if (left.kind === 'sparse')
    pieces.starts.forEach((start, p) => {
      for (let l = 0; l < k; l++)
        for (let i = start; i < Math.min(m, start + pieces.lanes); i++) if (a.at(i, l) >= 0) vectors[p * k + l] = 1;
    });
  let gathered = pieces.starts.length * pieces.lanes * k;
  if (left.kind === 'sparse') gathered = 2 * vectors.reduce((sum, v) => sum + v, 0) + left.positions.length;
  const numbers = new Uint8Array(n * k).fill(right.kind === 'dense' ? 1 : 0);
  if (right.kind === 'sparse')
    for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) if (b.at(l, j) >= 0) numbers[j * k + l] = 1;
  return {
    vector: (piece, l) => vectors[piece * k + l] === 1,
    number: (l, column) => numbers[column * k + l] === 1,
    dense: left.kind === 'dense' && right.kind === 'dense',
    gathered,
  };
};

const plansWith = (
  base: Pick<GemmPlan, 'spec' | 'swapped' | 'pieces' | 'a' | 'b' | 'gathers' | 'chains'>,
  counts: Counts,
  workOf: TileWork,
  rowTiles: readonly Tile[],
  columnTiles: readonly Tile[],
  unit: boolean,
  target: GemmTarget,
): readonly GemmPlan[] => {
  const { spec, pieces, gathers } = base;
  const { m, n, k } = spec;
  const panelBytes = rowTiles[0].members.length * pieces.lanes * k * byteSize(spec.type);
  const panel = gathers && columnTiles.length > 1 && panelBytes <= SCRATCH_BYTES / 2;
  const rows = runsOf(rowTiles, spec.a.kind === 'sparse');
  const columns = runsOf(columnTiles, spec.b.kind === 'sparse');
  /* The loop over what is larger goes outside, so that what the inner one returns to stays near. */
  const columnsInside = panel || n <= m;
  const work = { ...none };
  let firstPiece = 0;
  for (const tile of rowTiles) {
    const members = tile.members.length;
    for (const columnTile of columnTiles) {
      const t = workOf(firstPiece, members, columnTile);
      work.multiplyAdds += t.multiplyAdds;
      work.cycles += t.cycles + (unit ? 0 : 1.5 * members * pieces.lanes * columnTile.members.length);
      work.instructions += t.instructions;
    }
    firstPiece += members;
  }
  let [written, stored] = [0, 0];
  for (const r of rows)
    for (const c of columns) {
      written += workOf(pieces.starts.indexOf(r.at), r.members.length, c).instructions;
      stored += 2 * r.members.length * c.members.length;
    }
  const gathered = gathers ? counts.gathered * (panel ? 1 : columnTiles.length) : 0;
  const [tiles, sums] = [rowTiles.length * columnTiles.length, pieces.starts.length * n];
  return stepsWritten(k, counts.dense).map((unrolledK) => {
    const trips = Math.floor(k / unrolledK);
    const share = (unrolledK + (k % unrolledK)) / k;
    /* A loop over k begins with zeros instead of products, and counts. */
    const looping = trips === 1 ? 0 : 0.2 * sums + tiles * (LOOP + trips);
    const codeBytes = BYTES * (written * share + stored + (gathers ? gathered * 1.3 * share : 0));
    return {
      ...base,
      rows,
      columns,
      columnsInside,
      panel,
      looped: false,
      unrolledK,
      multiplyAdds: work.multiplyAdds,
      cycles: Math.max(work.cycles + looping, decoding(codeBytes, work.instructions, target)) + 1.2 * gathered,
      codeBytes,
    };
  });
};

/** Cycles that reading the code takes, where one product has outgrown what is kept decoded. */
const decoding = (bytes: number, instructions: number, target: GemmTarget): number =>
  bytes > keptDecoded(target) ? (instructions * BYTES) / BYTES_A_CYCLE.read : 0;

/** Cycles of a loop's begin and end. */
const LOOP = 2;

/** Bytes of an instruction on average: most reach far into memory. */
const BYTES = 7;

const none = { multiplyAdds: 0, cycles: 0, instructions: 0 };

type TileWork = (firstPiece: number, height: number, columns: Tile) => typeof none;

/** The work of each tile, found once: those of a dense matrix differ in size only. */
const rememberedWork = (spec: GemmSpec, counts: Counts): TileWork => {
  const known = new Map<string, typeof none>();
  return (firstPiece, height, columns) => {
    const row = spec.a.kind === 'dense' ? 0 : firstPiece;
    const column = spec.b.kind === 'dense' ? 0 : columns.at;
    const key = `${row} ${height} ${column} ${columns.members.length}`;
    const work = known.get(key) ?? tileWork(spec, counts, firstPiece, height, columns);
    known.set(key, work);
    return work;
  };
};

/** A tile on a processor that does two multiply-adds, two loads and one store a cycle, and six instructions in all. */
const tileWork = (spec: GemmSpec, counts: Counts, firstPiece: number, height: number, columns: Tile): typeof none => {
  const { k, beta } = spec;
  const width = columns.members.length;
  let [multiplyAdds, vectors, numbers] = [height * width * k, height * k, width * k];
  if (!counts.dense) {
    [multiplyAdds, vectors, numbers] = [0, 0, 0];
    for (let l = 0; l < k; l++) {
      let [across, down] = [0, 0];
      for (const c of columns.members) if (counts.number(l, columns.at + c)) across++;
      for (let p = firstPiece; p < firstPiece + height; p++) if (counts.vector(p, l)) down++;
      if (across === 0 || down === 0) continue;
      multiplyAdds += across * down;
      vectors += down;
      numbers += across;
    }
  }
  const sums = height * width;
  const instructions = multiplyAdds + vectors + numbers;
  /* Tiles that follow one another overlap, as far as the processor looks ahead. */
  const waits = ((LATENCY + 0.5) * multiplyAdds) / (sums * chainsFor(sums, k)) / (1 + 180 / Math.max(1, instructions));
  const limits = [multiplyAdds / 2, (vectors + numbers) / 2, instructions / 5, waits];
  /* What is near a limit too is in the way now and then. */
  const most = Math.max(...limits);
  const others = limits.reduce((x, y) => x + y, -most);
  const cycles = most + 0.1 * others + 0.6 * sums + 0.3 * beta * sums + 3;
  return { multiplyAdds, cycles, instructions };
};

/** How many steps over k may be written out in a loop: all of them, or for each number of trips as many as there must be. */
const stepsWritten = (k: number, dense: boolean): readonly number[] => {
  const steps = [k];
  for (let trips = 2; dense && trips <= k; trips++) {
    const by = Math.floor(k / trips);
    if (by < steps.at(-1)! && k > SHORT) steps.push(by);
  }
  return steps;
};

/** So few steps over k are not worth a loop. */
const SHORT = 8;
