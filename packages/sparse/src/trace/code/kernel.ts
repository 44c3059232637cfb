import {
  buildKernel,
  fail,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { Tables } from './tables.js';
import { emitTiles, placeTiles, type TileHere } from './tiles/tile-loops.js';
import type { TilePlan, TileRegion } from './tiles/tile-plan.js';

/** How a kernel for a pattern is made. */
export interface KernelOptions {
  /** The type of values and vectors; default `f64`. */
  readonly dtype?: 'f32' | 'f64';
}

/** The options of a kernel of this name, checked. */
export const kernelOptions = (what: string, given: KernelOptions | undefined): KernelOptions =>
  checkOptions(what, given, kernelSpec);

export const kernelSpec: OptionSpec<KernelOptions> = { dtype: option.choice('f32', 'f64') };

/** A kernel for matrices of one pattern, and how their values must lie for it. */
export interface SparseKernel {
  readonly module: Module;
  /** For each element of the buffer `A`, its position in the CSR values, see `packValues`. */
  readonly from: Int32Array;
  /** Bytes of index tables; plain CSR has 4 a row and 4 a non-zero. */
  readonly indexBytes: number;
}

/**
 * Copies values in CSR order into the buffer `A` of a kernel, in the order in which the kernel reads them: once before
 * the first run, and again whenever values change. Linear in their number. Fails with `trace/values` if there are more
 * or fewer values than the kernel has.
 */
export const packValues = (
  kernel: Pick<SparseKernel, 'from'>,
  values: ArrayLike<number>,
  into: Float64Array | Float32Array,
): void => {
  const { from } = kernel;
  const wanted = from.reduce((n, e) => Math.max(n, e + 1), 0);
  if (values.length !== wanted || into.length !== from.length) {
    fail('trace/values', `${values.length} values for a buffer of ${into.length}, not ${wanted} for ${from.length}`, {
      remedy: 'pass the values of the pattern that the kernel was made for, and its buffer A',
    });
  }
  for (let k = 0; k < from.length; k++) into[k] = values[from[k]];
};

/** A module with one kernel over the tiles of a plan, with its buffer `A` in the order `from`. */
export const tileKernel = (
  name: string,
  plan: TilePlan,
  from: Int32Array,
  buffers: readonly Buffer[],
  visit: (b: Builder, region: TileRegion, tile: TileHere) => void,
): SparseKernel => {
  const tables = new Tables();
  const placed = placeTiles(plan, tables);
  const all = [...buffers, ...tables.buffers()];
  const body = (b: Builder): void => emitTiles(b, placed, (region, tile) => visit(b, region, tile));
  return { module: makeModule(name, all, [buildKernel(name, {}, body, all)]), from, indexBytes: tables.bytes };
};

/** Numbers in a vector; targets with shorter vectors split them. */
export const lanesOf = (dtype: 'f32' | 'f64'): number => (dtype === 'f64' ? 4 : 8);

/** Refuses a dense size that is no whole number from 1 on, or that makes a dense matrix too large to index. */
export const checkWidth = (what: string, width: number, rows: number): void => {
  if (!Number.isInteger(width) || width < 1 || width * Math.max(1, rows) >= 2 ** 31) {
    fail('trace/width', `${rows} × ${width} is no size for ${what}`, {
      remedy: 'give a whole number from 1 on, with less than 2^31 elements in all',
    });
  }
};
