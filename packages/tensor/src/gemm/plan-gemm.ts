import { SCRATCH_BYTES, byteSize } from '@filigree/ir';
import { type Entries, entriesOf, transposed } from './entries.js';
import type { GemmSpec, GemmTarget } from './gemm-spec.js';
import { type RowPieces, rowPieces } from './row-pieces.js';
import { type Tile, type TileRun, runsOf, tilesOf } from './tiles.js';

/** How a product is computed: which matrix is taken in vectors, and the blocks of C that are kept in registers. */
export interface GemmPlan {
  /** The product as it is computed: of the transposed matrices where `swapped`. */
  readonly spec: GemmSpec;
  readonly swapped: boolean;
  readonly pieces: RowPieces;
  readonly a: Entries;
  readonly b: Entries;
  /** Runs of tiles of row vectors and of columns, and which of the two loops is inside. */
  readonly rows: readonly TileRun[];
  readonly columns: readonly TileRun[];
  readonly columnsInside: boolean;
  /** Vectors of A are made from single elements; kept in a panel where several tiles of columns need them. */
  readonly gathers: boolean;
  readonly panel: boolean;
  /** Steps over k that are written out: all of them, or so many in a loop. */
  readonly unrolledK: number;
  /** Independent sums that each element of C is computed in, to hide the latency of additions. */
  readonly chains: number;
  /** Multiplications and additions of vectors, and about how many cycles and bytes of code all of it takes. */
  readonly multiplyAdds: number;
  readonly cycles: number;
  readonly codeBytes: number;
}

/** The best plan by a model of the processor: two multiply-adds and two loads a cycle. */
export const planGemm = (spec: GemmSpec, target: GemmTarget): GemmPlan => {
  const known = planned.get(spec)?.get(target);
  if (known) return known;
  const plan = bestPlan(spec, target);
  planned.set(spec, (planned.get(spec) ?? new WeakMap<GemmTarget, GemmPlan>()).set(target, plan));
  return plan;
};

/** Plans made before: flops are asked for before code is. */
const planned = new WeakMap<GemmSpec, WeakMap<GemmTarget, GemmPlan>>();

const bestPlan = (spec: GemmSpec, target: GemmTarget): GemmPlan => {
  const plans = [plansOf(spec, false, target), plansOf(transposedSpec(spec), true, target)].flat();
  return plans.reduce((best, p) => (p.cycles < best.cycles ? p : best));
};

/** Cᵀ = alpha·Bᵀ·Aᵀ + beta·Cᵀ; padding is of rows of C and does not help. */
const transposedSpec = ({ m, n, a, b, c, mPadded: _padding, ...rest }: GemmSpec): GemmSpec => ({
  ...rest,
  m: n,
  n: m,
  a: transposed(b),
  b: transposed(a),
  c: { rowStride: c.columnStride, columnStride: c.rowStride },
});

const plansOf = (spec: GemmSpec, swapped: boolean, target: GemmTarget): readonly GemmPlan[] => {
  const { m, n, k } = spec;
  const padded = spec.c.rowStride === 1 ? (spec.mPadded ?? m) : m;
  const pieces = rowPieces(m, target.vectorBytes / byteSize(spec.type), padded);
  const unit = spec.c.rowStride === 1 || pieces.lanes === 1;
  const [a, b] = [entriesOf(spec.a, m), entriesOf(spec.b, k)];
  const gathers = spec.a.kind === 'sparse' || (spec.a.rowStride !== 1 && pieces.lanes > 1);
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
      plans.push(
        planWith({ spec, swapped, pieces, a, b, gathers, chains }, counts, work, rowTiles, columnTiles, unit, target),
      );
    }
  return plans;
};

/** Enough independent sums to keep two units with a latency of four cycles busy, where one tile takes long. */
const chainsFor = (sums: number, k: number): number => (sums >= 8 || k < 16 ? 1 : Math.min(4, Math.ceil(8 / sums)));

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

const planWith = (
  base: Pick<GemmPlan, 'spec' | 'swapped' | 'pieces' | 'a' | 'b' | 'gathers' | 'chains'>,
  counts: Counts,
  workOf: TileWork,
  rowTiles: readonly Tile[],
  columnTiles: readonly Tile[],
  unit: boolean,
  target: GemmTarget,
): GemmPlan => {
  const { spec, pieces, gathers } = base;
  const { m, n, k } = spec;
  const panelBytes = rowTiles[0].members.length * pieces.lanes * k * byteSize(spec.type);
  const panel = gathers && columnTiles.length > 1 && panelBytes <= SCRATCH_BYTES / 2;
  const rows = runsOf(rowTiles, spec.a.kind === 'sparse');
  const columns = runsOf(columnTiles, spec.b.kind === 'sparse');
  /* The loop over what is larger goes outside, so that what the inner one returns to stays near. */
  const columnsInside = panel || n <= m;
  const work = { ...none };
  let written = 0;
  let firstPiece = 0;
  const unrolledK = stepsWritten(spec, rows, columns, counts.dense, target);
  /* A loop over k begins with zeros instead of products, and counts. */
  const looping = (sums: number): number => (unrolledK === k ? 0 : 0.2 * sums + Math.ceil(k / unrolledK));
  for (const tile of rowTiles) {
    const members = tile.members.length;
    for (const columnTile of columnTiles) {
      const t = workOf(firstPiece, members, columnTile);
      work.multiplyAdds += t.multiplyAdds;
      work.cycles +=
        t.cycles +
        looping(members * columnTile.members.length) +
        (unit ? 0 : 1.5 * members * pieces.lanes * columnTile.members.length);
      work.instructions += t.instructions;
    }
    firstPiece += members;
  }
  for (const r of rows)
    for (const c of columns) {
      const t = workOf(pieces.starts.indexOf(r.at), r.members.length, c);
      written += t.instructions * (unrolledK / k) + 2 * r.members.length * c.members.length;
    }
  const gathered = gathers ? counts.gathered * (panel ? 1 : columnTiles.length) : 0;
  const codeBytes = BYTES * (written + (gathers ? gathered * 1.3 * (unrolledK / k) : 0));
  /* Code that fills half of the cache has outgrown what is kept decoded. */
  const decoding = codeBytes > target.instructionCache / 2 ? work.instructions / 2.9 : 0;
  return {
    ...base,
    rows,
    columns,
    columnsInside,
    panel,
    unrolledK,
    multiplyAdds: work.multiplyAdds,
    cycles: Math.max(work.cycles, decoding) + 1.2 * gathered,
    codeBytes,
  };
};

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
  const latency = (4 * multiplyAdds) / sums / (1 + 180 / Math.max(1, instructions));
  const cycles =
    Math.max(multiplyAdds / 2, (vectors + numbers) / 2, instructions / 5, latency) + 0.6 * sums + 0.3 * beta * sums + 3;
  return { multiplyAdds, cycles, instructions };
};

/** How many steps over k are written out: all where the code stays short, else some. */
const stepsWritten = (
  { k }: GemmSpec,
  rows: readonly TileRun[],
  columns: readonly TileRun[],
  dense: boolean,
  target: GemmTarget,
): number => {
  if (!dense) return k;
  let instructions = 0;
  for (const r of rows)
    for (const c of columns) instructions += r.members.length * c.members.length + r.members.length + c.members.length;
  const fits = (bytes: number): number => Math.floor(bytes / (BYTES * instructions));
  if (k <= Math.max(fits(target.instructionCache / 12), 8)) return k;
  const most = Math.max(4, Math.min(fits(target.instructionCache / 16), 16));
  const trips = Math.ceil(k / most);
  return Math.max(1, Math.floor(k / trips));
};
