import { addTransposed, setRange } from './bits.js';
import type { Box } from './box.js';
import { wordsFor, type Allocate } from './memory.js';
import { forEachRun, type PointSet } from './point-set.js';

/** A dense set as bits, in which a subscript of choice runs fastest. */
export interface BitTable {
  /** What each subscript adds to a place, counted from the box's lower corner. */
  readonly strides: readonly number[];
  readonly bits: Uint32Array;
  readonly box: Box;
}

/** One bit a code up to this many codes (256 MB), beyond it sorted runs. */
export const MOST_BITS = 2 ** 31;

/**
 * Whether a set is enumerated faster by words than by runs: at least every 16th point is there, and runs would take
 * more memory than bits.
 */
export const isDense = ({ box, count, runs }: PointSet): boolean =>
  box.extent.length > 0 &&
  box.size <= MOST_BITS &&
  count * 16 >= box.size &&
  (runs === undefined || runs.starts.length * 128 > box.size);

/** The bits of a set with one subscript fastest. */
export const tableOf = (set: PointSet, fastest: number, allocate: Allocate): BitTable => {
  const { box } = set;
  const bits = set.bits ?? bitsOf(set, allocate);
  const shape = shapeAround(box, fastest);
  if (shape.columns === 1) return { strides: box.strides, bits, box };
  const out = wordsFor(box.size, allocate);
  addTransposed(out, bits, shape);
  return { strides: stridesWith(box, fastest), bits: out, box };
};

/** A box as what lies before a subscript, it, and what lies behind it. */
export const shapeAround = (box: Box, d: number): { before: number; rows: number; columns: number } => ({
  before: box.extent.slice(0, d).reduce((n, x) => n * x, 1),
  rows: box.extent[d],
  columns: box.strides[d],
});

/** The strides of the subscripts where one is moved behind the others. */
const stridesWith = ({ extent, strides }: Box, fastest: number): readonly number[] =>
  strides.map((s, d) => (d === fastest ? 1 : d < fastest ? s : s * extent[fastest]));

const bitsOf = (set: PointSet, allocate: Allocate): Uint32Array => {
  const bits = wordsFor(set.box.size, allocate);
  forEachRun(set, (from, to) => setRange(bits, from, to));
  return bits;
};
