import type { FactorCounts } from './factor-counts.js';
import type { GemmSpec } from '../gemm-spec.js';
import { LATENCY, type TileSums } from './tile-sums.js';
import type { Tile } from './tiles.js';

/** What a tile takes. */
export interface Work {
  readonly multiplyAdds: number;
  /** About how many cycles, all steps over k written out; and how many more in a loop over k, and in each of its trips. */
  readonly cycles: number;
  readonly looping: number;
  readonly tripping: number;
  readonly instructions: number;
}

/** The work of the tile of so many vectors from one on, and of these columns. */
export type TileWork = (firstPiece: number, height: number, columns: Tile) => Work;

/** The work of each tile, found once: those of a dense matrix differ in size only. */
export const rememberedWork = (
  spec: GemmSpec,
  counts: FactorCounts,
  sums: (height: number, width: number) => TileSums,
): TileWork => {
  const known = new Map<string, Work>();
  const [down, across] = [new Int32Array(spec.k), new Int32Array(spec.k)];
  return (firstPiece, height, columns) => {
    const row = counts.vectors ? firstPiece : 0;
    const width = columns.members.length;
    const entries = counts.numbers && columns.members.map((c) => counts.numbers![columns.at + c]);
    const key = `${row} ${height} ${width} ${entries ? `${columns.at} ${columns.members.join(' ')}` : ''}`;
    const work =
      known.get(key) ??
      tileWork(spec, height, width, sums(height, width), {
        ...(counts.vectors && { down: tally(counts.vectors.slice(row, row + height), down) }),
        ...(entries && { across: tally(entries, across) }),
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

/**
 * A tile on a processor that does two multiply-adds, two loads and one store a cycle, and six instructions in all. Of 800
 * plans for 40 products that were timed on Zen 3, those that these numbers choose take 0.8 % longer than the best.
 */
const tileWork = (
  { k, beta }: GemmSpec,
  height: number,
  width: number,
  { chains, full }: TileSums,
  { down, across }: { readonly down?: Tally; readonly across?: Tally },
): Work => {
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
  return {
    multiplyAdds,
    cycles: most + 0.1 * others + 0.6 * sums + 0.3 * beta * sums + 3,
    /* A loop over k begins with zeros instead of products, and counts; sums that fill the registers change places in each trip. */
    looping: 0.2 * sums * chains + 2 + (full ? 0.2 * k : 0),
    tripping: 1,
    instructions,
  };
};
