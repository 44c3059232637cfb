import { type BooleanTensor, type IndexedPattern, volume } from './boolean-tensor.js';
import { countAlong, positionsOf, projectPattern, stridesIn } from './rearrange.js';

/**
 * The pattern of a product of two factors, summed over all indices that the result lacks (§4.2.2 with + as ∨ and · as ∧).
 * Rows of bits are united word by word, so the time is about the number of non-zeros of one factor times the words of a
 * row of the other.
 *
 * @param result indices of either factor, in the order wanted
 */
export const contractPatterns = (a: IndexedPattern, b: IndexedPattern, result: string): BooleanTensor => {
  const left = dropPrivate(a, b, result);
  const right = dropPrivate(b, a, result);
  const size = sizes(left, right);
  const shared = [...left.indices].filter((i) => right.indices.includes(i));
  const batch = shared.filter((i) => result.includes(i)).join('');
  const summed = shared.filter((i) => !result.includes(i)).join('');
  const m = [...left.indices].filter((i) => !right.indices.includes(i)).join('');
  const n = [...right.indices].filter((i) => !left.indices.includes(i)).join('');
  const extent = (indices: string): number => volume([...indices].map((i) => size.get(i)!));
  // Bits run along the longer side.
  if (extent(m) > extent(n)) return contractPatterns(right, left, result);
  const [M, N, K, G] = [extent(m), extent(n), extent(summed), extent(batch)];
  const words = Math.max(1, Math.ceil(N / 32));
  const rows = packRows(right, n, summed + batch, words);
  const la = projectPattern(left, m + summed + batch).bits;
  const shape = [...result].map((i) => size.get(i)!);
  const bits = new Uint8Array(volume(shape));
  const strides = stridesIn(result, shape);
  const place = (indices: string): Int32Array => {
    const extents = [...indices].map((i) => size.get(i)!);
    return positionsOf(indices, extents, strides);
  };
  const [atM, atN, atG] = [place(m), place(n), place(batch)];
  const row = new Uint32Array(words);
  for (let g = 0; g < G; g++)
    for (let i = 0; i < M; i++) {
      row.fill(0);
      for (let k = 0; k < K; k++) {
        if (la[i + M * (k + K * g)] === 0) continue;
        const from = words * (k + K * g);
        for (let w = 0; w < words; w++) row[w] |= rows[from + w];
      }
      const base = atM[i] + atG[g];
      for (let j = 0; j < N; j++) if ((row[j >>> 5] >>> (j & 31)) & 1) bits[base + atN[j]] = 1;
    }
  return { shape, bits };
};

/** The number of non-zeros that the product of two factors has before it is summed (§4.3), without making it. */
export const countProduct = (a: IndexedPattern, b: IndexedPattern): number => {
  const shared = [...a.indices].filter((i) => b.indices.includes(i)).join('');
  const x = countAlong(a, shared);
  const y = countAlong(b, shared);
  return x.reduce((n, c, e) => n + c * y[e], 0);
};

/** Without the indices that neither the other factor nor the result has. */
const dropPrivate = (a: IndexedPattern, b: IndexedPattern, result: string): IndexedPattern => {
  const indices = [...a.indices].filter((i) => b.indices.includes(i) || result.includes(i)).join('');
  return { indices, pattern: projectPattern(a, indices) };
};

const sizes = (...factors: readonly IndexedPattern[]): ReadonlyMap<string, number> =>
  new Map(factors.flatMap((f) => [...f.indices].map((i, d): [string, number] => [i, f.pattern.shape[d]])));

const packRows = (factor: IndexedPattern, along: string, across: string, words: number): Uint32Array => {
  const { shape, bits } = projectPattern(factor, along + across);
  const length = volume(shape.slice(0, along.length));
  const count = volume(shape.slice(along.length));
  const rows = new Uint32Array(words * count);
  for (let r = 0; r < count; r++)
    for (let j = 0; j < length; j++) rows[words * r + (j >>> 5)] |= bits[r * length + j] << (j & 31);
  return rows;
};
