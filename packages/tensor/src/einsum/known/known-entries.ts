import { type BooleanTensor, positionsOf, stridesIn } from '@filigree/sparse/eqspp';

/** Numbers that are known when a plan is made, with a letter for each dimension, column-major. */
export interface KnownEntries {
  readonly indices: string;
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Which entries are not zero. */
export const patternOfKnown = ({ shape, values }: KnownEntries): BooleanTensor => ({
  shape,
  bits: Uint8Array.from(values, (x) => (x === 0 ? 0 : 1)),
});

/** Without the entries that a pattern over the same indices lacks. */
export const withinPattern = (known: KnownEntries, { bits }: BooleanTensor): KnownEntries => ({
  ...known,
  values: known.values.map((x, e) => (bits[e] === 1 ? x : 0)),
});

/** With the dimensions in another order, summed over those that the new order lacks. */
export const rearrangeKnown = (known: KnownEntries, indices: string): KnownEntries => {
  if (indices === known.indices) return known;
  const one: KnownEntries = { indices: '', shape: [], values: Float64Array.of(1) };
  return multiplyKnown(known, one, indices);
};

/** Σ by·value, all over the same indices in the same order. */
export const addKnown = (terms: readonly { readonly by: number; readonly of: KnownEntries }[]): KnownEntries => {
  const { indices, shape, values } = terms[0].of;
  const sums = new Sums(values.length);
  for (const { by, of } of terms) of.values.forEach((x, e) => sums.add(e, by * x));
  return { indices, shape, values: sums.values() };
};

/** The product of two, summed over the indices that the result lacks; time goes with the non-zeros that are multiplied. */
export const multiplyKnown = (a: KnownEntries, b: KnownEntries, result: string): KnownEntries => {
  const extents = new Map([a, b].flatMap(({ indices, shape }) => [...indices].map((l, d) => [l, shape[d]] as const)));
  const shapeOf = (letters: string): number[] => [...letters].map((l) => extents.get(l)!);
  const shape = shapeOf(result);
  const shared = [...a.indices].filter((l) => b.indices.includes(l)).join('');
  const strides = stridesIn(result, shape);
  const meetings = stridesIn(shared, shapeOf(shared));
  const own = new Map([...strides].filter(([l]) => !a.indices.includes(l)));
  const [toA, toB] = [positionsOf(a.indices, a.shape, strides), positionsOf(b.indices, b.shape, own)];
  const [meetA, meetB] = [positionsOf(a.indices, a.shape, meetings), positionsOf(b.indices, b.shape, meetings)];
  const met = new Map<number, number[]>();
  b.values.forEach((x, e) => {
    if (x === 0) return;
    const list = met.get(meetB[e]);
    if (list) list.push(e);
    else met.set(meetB[e], [e]);
  });
  const sums = new Sums(shape.reduce((n, x) => n * x, 1));
  a.values.forEach((x, e) => {
    if (x !== 0) for (const f of met.get(meetA[e]) ?? []) sums.add(toA[e] + toB[f], x * b.values[f]);
  });
  return { indices: result, shape, values: sums.values() };
};

/**
 * Sums that are zero where what is left is no more than rounding: matrices of a basis multiply to many zeros, which would
 * otherwise come out as 1e-17 and be taken for entries.
 */
class Sums {
  private readonly sums: Float64Array;
  private readonly sizes: Float64Array;
  private readonly counts: Int32Array;
  constructor(length: number) {
    this.sums = new Float64Array(length);
    this.sizes = new Float64Array(length);
    this.counts = new Int32Array(length);
  }

  add(at: number, x: number): void {
    if (x === 0) return;
    this.sums[at] += x;
    this.sizes[at] += Math.abs(x);
    this.counts[at]++;
  }

  values(): Float64Array {
    return this.sums.map((x, e) =>
      this.counts[e] > 1 && Math.abs(x) <= this.counts[e] * Number.EPSILON * this.sizes[e] ? 0 : x,
    );
  }
}
