import type { FactorCounts } from './factor-counts.js';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';

/** How a tile's block of C lies in registers. */
export interface TileSums {
  readonly fits: boolean;
  /** Independent sums of each element. */
  readonly chains: number;
  /** No register is left: what the compiler moves in a loop goes by way of memory. Among other products the loop's shorter code is worth more. */
  readonly full: boolean;
}

/**
 * The sums of tiles of so many vectors and columns.
 *
 * @param alone whether the product is a kernel's only one, or nearly
 */
export const tileSums = (
  spec: GemmSpec,
  counts: FactorCounts,
  target: GemmTarget,
  alone: boolean,
): ((height: number, width: number) => TileSums) => {
  /* Compilers fill 16 registers to the last one, 32 not. */
  const slack = target.registers > 16 ? 2 : 0;
  const products = productsOfSums(spec, counts);
  return (height, width) => {
    const sums = height * width;
    const left = target.registers - slack - registersFor(spec, height, width, target);
    const chains = Math.min(
      wantedChains(sums, products, alone ? LEAST.alone : LEAST.among),
      1 + Math.max(0, Math.floor(left / sums)),
    );
    return { fits: left >= 0, chains, full: alone && left - (chains - 1) * sums + slack <= 0 };
  };
};

/**
 * Enough independent sums to keep two units with a latency of four cycles busy: with eight, every delay of one would be lost.
 *
 * @param least products that are worth a sum of their own
 */
const wantedChains = (sums: number, products: number, least: number): number =>
  sums > 2 * LATENCY ? 1 : Math.max(1, Math.min(4, Math.ceil((2 * LATENCY + 1) / sums), Math.floor(products / least)));

/**
 * Products that are worth a sum of their own: of a product that stands alone, and between others. Between others waits are filled with their
 * work: SeisSol's neighbour flux of order 4, f64, takes 3 to 7 % longer with two sums of five products each than with one of ten.
 */
const LEAST = { alone: 3, among: 8 };

/** Products that each element of C is the sum of, as far as zeros are known: on average, and at most. */
const productsOfSums = ({ k }: GemmSpec, { vectors, numbers }: FactorCounts): number => {
  const mean = (lists: readonly (readonly number[])[]): number =>
    lists.reduce((sum, list) => sum + list.length, 0) / Math.max(1, lists.length);
  return Math.min(k, vectors ? mean(vectors) : k, numbers ? mean(numbers) : k);
};

/** Cycles of a multiply-add. */
export const LATENCY = 4;

/** Registers of a tile: its sums, the factors held while the others stream by, one of those, and alpha. */
const registersFor = (spec: GemmSpec, height: number, width: number, target: GemmTarget): number => {
  const held = Math.min(height, width);
  /* A factor that is used once is an operand in memory, of vectors always, of numbers with AVX-512. */
  const streamed = (height > width && width === 1) || (width >= height && height === 1 && target.masks) ? 0 : 1;
  return height * width + held + streamed + (spec.alpha === 1 || spec.alpha === -1 ? 0 : 1);
};
