import type { GemmSpec } from '../gemm-spec.js';
import type { RowPieces } from './row-pieces.js';
import type { Entries } from './entries.js';
import type { TileRun } from './tiles.js';

/** Vectors along k. */
export interface DeepLanes {
  readonly lanes: number;
  /** Independent vectors of each sum. */
  readonly chains: number;
  /** What fills no vector is loaded under a mask, not number by number. */
  readonly masked: boolean;
}

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
  /** Loops go over the columns and the entries of a sparse B, or of both matrices, by lists of where they are; else every entry is written out. */
  readonly looped: false | 'columns' | 'entries';
  /** Vectors lie along k, not along rows: every sum is one. Rows are then taken one by one. */
  readonly deep?: DeepLanes;
  /** Steps over k that are written out: all of them, or so many in a loop. */
  readonly unrolledK: number;
  /** Independent sums that each element of C is computed in by a tile of so many vectors and columns, to hide the latency of additions. */
  readonly chains: (height: number, width: number) => number;
  /** Multiplications and additions of vectors, and about how many cycles and bytes of code all of it takes. */
  readonly multiplyAdds: number;
  readonly cycles: number;
  readonly codeBytes: number;
}
