import { SCRATCH_BYTES, byteSize } from '@filigree/ir';
import type { FactorCounts } from './factor-counts.js';
import type { GemmPlan } from './gemm-plan.js';
import type { Tile } from './tiles.js';

/** A way in which the tiles of a product read A. */
export interface WayToRead extends Pick<GemmPlan, 'panel' | 'columnsInside'> {
  /** Cycles besides those of the tiles: for vectors that are put together or copied, and for lines that come from afar. */
  readonly waits: number;
  /** Elements and zeros that vectors are put together from, in all. */
  readonly gathered: number;
}

/**
 * The ways in which tiles may read A: where it lies, or from a panel, a copy of so many rows in the order of use. Vectors that are put together
 * are kept in one wherever several tiles of columns use them; those that are loaded, where A may come from afar.
 */
export const waysToRead = (
  { spec, pieces, gathers }: Pick<GemmPlan, 'spec' | 'pieces' | 'gathers'>,
  counts: FactorCounts,
  rowTiles: readonly Tile[],
  columnTiles: readonly Tile[],
): readonly WayToRead[] => {
  const { m, n, k, a, b, type } = spec;
  const [height, times] = [rowTiles[0].members.length * pieces.lanes, columnTiles.length];
  const dense = a.kind === 'dense' && b.kind === 'dense';
  const vectorLines = pieces.starts.length * k * Math.ceil((pieces.lanes * byteSize(type)) / LINE);
  /** What an inner loop returns to, so many rows or columns, has no place in a first-level cache: A comes from the second-level one. */
  const missed = (inner: number): number =>
    !dense || inner * k * byteSize(type) <= NEAR
      ? 0
      : (0.15 * times * pieces.starts.length * pieces.lanes * k * byteSize(type)) / LINE;
  const beside = (columnsInside: boolean): number =>
    missed(columnsInside ? height + n : columnTiles[0].members.length + m);
  const far = dense && !gathers ? farLine(a.columnStride * byteSize(type), height * byteSize(type), k) : 0;
  /* The loop over what is larger goes outside, so that what the inner one returns to stays near. */
  const inPlace: WayToRead = {
    panel: false,
    columnsInside: n <= m,
    waits: beside(n <= m) + far * times * vectorLines + (gathers ? 1.2 * counts.gathered * times : 0),
    gathered: gathers ? counts.gathered * times : 0,
  };
  const panelBytes = height * k * byteSize(type);
  if (times === 1 || !(gathers || far > 0) || panelBytes > SCRATCH_BYTES / 2) return [inPlace];
  const near = panelBytes <= NEAR_PANEL;
  const panel: WayToRead = {
    panel: true,
    columnsInside: true,
    waits:
      beside(true) +
      (gathers
        ? 1.2 * counts.gathered
        : far * vectorLines + pieces.starts.length * k + (near ? 0 : SECOND * times * vectorLines)),
    gathered: gathers ? counts.gathered : 0,
  };
  return gathers ? [panel] : [inPlace, panel];
};

/**
 * Cycles that reading a line of so many pieces of memory, each at one distance from the one before, waits each time that all are gone through: they
 * share few places of a cache where the distance is a multiple of a power of two, or lie in more pages than a processor knows at once. A
 * first-level cache has eight lines for places a page apart; of a second-level one half is taken for what passes by.
 */
const farLine = (stride: number, bytes: number, count: number): number => {
  if (stride <= bytes) return 0;
  const lines = Math.ceil(bytes / LINE);
  /** Whether the pieces have place in a cache in which lines that are so many bytes apart share some ways. */
  const stay = (period: number, ways: number): boolean =>
    count * lines <= ways * Math.min(period / LINE, (period / gcd(stride, period)) * lines);
  if (!stay(131072, 4)) return BEYOND;
  return stay(PAGE, 8) && count * stride <= PAGES * PAGE ? 0 : SECOND;
};

const gcd = (x: number, y: number): number => (y === 0 ? x : gcd(y, x % y));

/**
 * Cycles for a line of a second-level cache, and for one from beyond, as far as others do not hide them. On WebAssembly, 256 × 256 in f32 takes 6 %
 * longer without panels, where lines come from the second level; 1024 × 1024 in f32 with AVX-512 2.5 times as long, where they come from beyond.
 */
const [SECOND, BEYOND] = [0.5, 6];

/** Bytes that stay in a first-level cache of 32 kB, beside what else a kernel reads; and those of its lines. */
const [NEAR, LINE] = [24576, 64];

/** Bytes of a panel that stay there while tiles of columns pass by. */
const NEAR_PANEL = 16384;

/** Bytes of a page, and pages that are known at once. */
const [PAGE, PAGES] = [4096, 64];
