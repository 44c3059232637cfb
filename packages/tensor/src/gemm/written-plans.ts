import { SCRATCH_BYTES, byteSize } from '@filigree/ir';
import { entriesOf } from './entries.js';
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
  const counts = countsOf(spec, pieces);
  const plans: GemmPlan[] = [];
  /* Compilers fill 16 registers to the last one, 32 not. */
  const registers = target.registers - (target.registers > 16 ? 2 : 0);
  const products = productsOfSums(spec, counts);
  const chains = (height: number, width: number): number => {
    const sums = height * width;
    const room = registers - registersFor(spec, height, width, target);
    return Math.min(wantedChains(sums, products), 1 + Math.floor(room / sums));
  };
  const work = rememberedWork(spec, counts, chains);
  const mostColumns = Math.min(n, target.registers - 2);
  for (let height = 1; height <= Math.min(pieces.starts.length, target.registers - 2); height++)
    for (let width = 1; width <= mostColumns; width++) {
      if (registersFor(spec, height, width, target) > registers) continue;
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
 * Enough independent sums to keep two units with a latency of four cycles busy: with eight, every delay of one would be lost. A few
 * products are over before several sums of an element are worth their additions.
 */
const wantedChains = (sums: number, products: number): number =>
  sums > 2 * LATENCY ? 1 : Math.max(1, Math.min(4, Math.ceil((2 * LATENCY + 1) / sums), Math.floor(products / 3)));

/** Products that each element of C is the sum of, as far as zeros are known; on average, and at most. */
const productsOfSums = ({ k }: GemmSpec, { vectors, numbers }: Counts): number => {
  const mean = (lists: readonly (readonly number[])[]): number =>
    lists.reduce((sum, list) => sum + list.length, 0) / Math.max(1, lists.length);
  return Math.min(k, vectors ? mean(vectors) : k, numbers ? mean(numbers) : k);
};

/** Cycles of a multiply-add. */
const LATENCY = 4;

/** Registers of a tile: its sums, the factors held while the others stream by, one of those, and alpha. */
const registersFor = (spec: GemmSpec, height: number, width: number, target: GemmTarget): number => {
  const held = Math.min(height, width);
  /* A factor that is used once is an operand in memory, of vectors always, of numbers with AVX-512. */
  const streamed = (height > width && width === 1) || (width >= height && height === 1 && target.masks) ? 0 : 1;
  return height * width + held + streamed + (spec.alpha === 1 || spec.alpha === -1 ? 0 : 1);
};

/** Where a product has factors, as far as zeros are known. */
interface Counts {
  /** The steps at which each vector of A has an entry, and each column of B; absent: all. */
  readonly vectors?: readonly (readonly number[])[];
  readonly numbers?: readonly (readonly number[])[];
  /** Elements and zeros that vectors of A are put together from. */
  readonly gathered: number;
}

const countsOf = ({ n, k, a, b }: GemmSpec, { starts, lanes }: RowPieces): Counts => {
  const numbers = b.kind === 'dense' ? undefined : Array.from({ length: n }, (): number[] => []);
  if (b.kind === 'sparse') b.columns.forEach((j, e) => numbers![j].push(b.rows[e]));
  if (a.kind === 'dense') return { ...(numbers && { numbers }), gathered: starts.length * lanes * k };
  const vectors = starts.map((): number[] => []);
  a.rows.forEach((i, e) => {
    /* The last vector may begin within the one before. */
    for (const p of new Set([Math.floor(i / lanes), starts.length - 1]))
      if (i >= starts[p] && i < starts[p] + lanes && vectors[p].at(-1) !== a.columns[e]) vectors[p].push(a.columns[e]);
  });
  return {
    vectors,
    ...(numbers && { numbers }),
    gathered: 2 * vectors.reduce((sum, v) => sum + v.length, 0) + a.positions.length,
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
  const columnKinds = kindsOf(columnTiles, spec.b.kind === 'sparse');
  for (const r of kindsOf(rowTiles, spec.a.kind === 'sparse')) {
    const members = r.tile.members.length;
    for (const c of columnKinds) {
      const t = workOf(r.first, members, c.tile);
      const count = r.count * c.count;
      work.multiplyAdds += count * t.multiplyAdds;
      work.cycles += count * (t.cycles + (unit ? 0 : 1.5 * members * pieces.lanes * c.tile.members.length));
      work.instructions += count * t.instructions;
    }
  }
  let [written, stored] = [0, 0];
  for (const r of rows)
    for (const c of columns) {
      written += workOf(pieces.starts.indexOf(r.at), r.members.length, c).instructions;
      stored += 2 * r.members.length * c.members.length;
    }
  const gathered = gathers ? counts.gathered * (panel ? 1 : columnTiles.length) : 0;
  const [tiles, sums] = [rowTiles.length * columnTiles.length, pieces.starts.length * n];
  return stepsWritten(k, !counts.vectors && !counts.numbers).map((unrolledK) => {
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

/** Cycles of a loop's begin and end. */
const LOOP = 2;

/** Bytes of an instruction on average: most reach far into memory. */
const BYTES = 7;

const none = { multiplyAdds: 0, cycles: 0, instructions: 0 };

type TileWork = (firstPiece: number, height: number, columns: Tile) => typeof none;

/** The work of each tile, found once: those of a dense matrix differ in size only. */
const rememberedWork = (spec: GemmSpec, counts: Counts, chains: GemmPlan['chains']): TileWork => {
  const known = new Map<string, typeof none>();
  const [down, across] = [new Int32Array(spec.k), new Int32Array(spec.k)];
  return (firstPiece, height, columns) => {
    const row = counts.vectors ? firstPiece : 0;
    const column = counts.numbers ? columns.at : 0;
    const width = columns.members.length;
    const key = `${row} ${height} ${column} ${width}`;
    const work =
      known.get(key) ??
      tileWork(spec, height, width, chains(height, width), {
        ...(counts.vectors && { down: tally(counts.vectors.slice(row, row + height), down) }),
        ...(counts.numbers && { across: tally(counts.numbers.slice(column, column + width), across) }),
      });
    known.set(key, work);
    return work;
  };
};

/** How many of a tile's vectors, or of its columns, have an entry at each step; the steps with any. */
interface Tally {
  readonly at: Int32Array;
  readonly steps: readonly number[];
}

/** @param at counts of another tile, which are left behind */
const tally = (lists: readonly (readonly number[])[], at: Int32Array): Tally => {
  at.fill(0);
  const steps: number[] = [];
  for (const list of lists) for (const l of list) if (at[l]++ === 0) steps.push(l);
  return { at, steps };
};

/** A tile on a processor that does two multiply-adds, two loads and one store a cycle, and six instructions in all. */
const tileWork = (
  { k, beta }: GemmSpec,
  height: number,
  width: number,
  chains: number,
  { down, across }: { readonly down?: Tally; readonly across?: Tally },
): typeof none => {
  let [multiplyAdds, vectors, numbers] = [height * width * k, height * k, width * k];
  if (down || across) {
    [multiplyAdds, vectors, numbers] = [0, 0, 0];
    for (const l of (across ?? down)!.steps) {
      const [here, there] = [across ? across.at[l] : width, down ? down.at[l] : height];
      if (there === 0) continue;
      multiplyAdds += here * there;
      vectors += there;
      numbers += here;
    }
  }
  const sums = height * width;
  const instructions = multiplyAdds + vectors + numbers;
  /* Tiles that follow one another overlap, as far as the processor looks ahead. */
  const waits = ((LATENCY + 0.5) * multiplyAdds) / (sums * chains) / (1 + 180 / Math.max(1, instructions));
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
