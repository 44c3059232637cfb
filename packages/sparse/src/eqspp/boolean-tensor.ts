import { fail } from '@filigree/ir';

/**
 * A sparsity pattern of any order (§4.2.2): which entries may be non-zero. Entries are in column-major order, the first
 * index fastest, one byte each, 1 where an entry may be non-zero. Never written after it was made.
 */
export interface BooleanTensor {
  readonly shape: readonly number[];
  readonly bits: Uint8Array;
}

/** A pattern with one letter for each dimension, as a factor in Einstein's notation. */
export interface IndexedPattern {
  readonly indices: string;
  readonly pattern: BooleanTensor;
}

/** The number of entries of a shape; 1 for the empty shape. */
export const volume = (shape: readonly number[]): number => shape.reduce((v, n) => v * n, 1);

/** The pattern in which every entry may be non-zero. */
export const fullPattern = (shape: readonly number[]): BooleanTensor => ({
  shape,
  bits: new Uint8Array(volume(shape)).fill(1),
});

/**
 * The pattern with exactly the given entries. Throws `DiagnosticError` `eqspp/entry` where an entry lies outside the shape.
 *
 * @param entries one list of indices an entry, each counting from 0
 */
export const patternOf = (shape: readonly number[], entries: Iterable<readonly number[]>): BooleanTensor => {
  const bits = new Uint8Array(volume(shape));
  for (const entry of entries) {
    if (entry.length !== shape.length || entry.some((i, d) => !Number.isInteger(i) || i < 0 || i >= shape[d]))
      fail('eqspp/entry', `entry (${entry.join(', ')}) lies outside a tensor of shape ${shape.join(' × ')}`, {
        remedy: 'give one index for each dimension, counted from 0',
      });
    let at = 0;
    for (let d = shape.length - 1; d >= 0; d--) at = at * shape[d] + entry[d];
    bits[at] = 1;
  }
  return { shape, bits };
};

/** The number of entries that may be non-zero. */
export const countNonzeros = ({ bits }: BooleanTensor): number => {
  let n = 0;
  for (let e = 0; e < bits.length; e++) n += bits[e];
  return n;
};

/** The smallest box that holds all entries, `[start, stop)` for each dimension; `[0, 0)` everywhere where there is none. */
export const boundingBox = ({ shape, bits }: BooleanTensor): (readonly [start: number, stop: number])[] => {
  const low = shape.map((n) => n);
  const high = shape.map(() => 0);
  const at = shape.map(() => 0);
  let any = false;
  for (let e = 0; e < bits.length; e++) {
    if (bits[e] === 1) {
      any = true;
      for (let d = 0; d < at.length; d++) {
        if (at[d] < low[d]) low[d] = at[d];
        if (at[d] >= high[d]) high[d] = at[d] + 1;
      }
    }
    for (let d = 0; d < at.length && ++at[d] === shape[d]; d++) at[d] = 0;
  }
  return shape.map((_, d) => (any ? [low[d], high[d]] : [0, 0]));
};

/** The entries that both patterns have; their shapes must agree. */
export const intersectPatterns = (a: BooleanTensor, b: BooleanTensor): BooleanTensor => ({
  shape: a.shape,
  bits: a.bits.map((x, e) => x & b.bits[e]),
});

/** The entries that either pattern has; their shapes must agree. */
export const unitePatterns = (a: BooleanTensor, b: BooleanTensor): BooleanTensor => ({
  shape: a.shape,
  bits: a.bits.map((x, e) => x | b.bits[e]),
});
