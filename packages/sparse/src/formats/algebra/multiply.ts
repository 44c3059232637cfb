import { fail } from '@filigree/ir';
import { samePattern } from '../patterns/compare.js';
import type { Csr, CsrPattern } from '../patterns/csr.js';
import { countProducts, longestProductRow, productPattern } from './pattern-algebra.js';
import type { Ring } from './ring.js';

/**
 * The matrix product A·B over any ring, row by row (Gustavson). `ring.dot` is called once per output entry, in entry
 * order, with the pairs of that entry in increasing k, in scratch arrays that are reused from call to call; a ring with
 * `dots` is given a row at once. Entries that happen to be zero stay: the result's pattern depends on the operands' patterns alone.
 * Throws `DiagnosticError`: `algebra/shape`, `algebra/too-large`.
 */
export const multiply = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>): Csr<V> => {
  const pattern = productPattern(a.pattern, b.pattern);
  return ring.product?.(a, b, pattern) ?? { pattern, values: productValues(ring, a, b, pattern) };
};

/**
 * Aᵏ by repeated multiplication, k ≥ 1. `left`: ((A·A)·A)·…, k − 1 products; `squares`: by repeated squaring, about
 * 2·log₂ k products, which associates differently and therefore rounds differently.
 * Throws `DiagnosticError`: `algebra/power` for a non-square matrix or a k that is no positive whole number.
 */
export const power = <V>(ring: Ring<V>, a: Csr<V>, k: number, order: 'left' | 'squares' = 'left'): Csr<V> => {
  const { rows, cols } = a.pattern;
  if (rows !== cols) {
    fail('algebra/power', `a ${rows} × ${cols} matrix has no powers`, { remedy: 'take powers of square matrices' });
  }
  if (!Number.isSafeInteger(k) || k < 1) {
    fail('algebra/power', `${k} is no exponent for a sparse matrix`, { remedy: 'the exponent is a whole number ≥ 1' });
  }
  if (order === 'left') {
    let out = a;
    for (let n = 1; n < k; n++) out = multiply(ring, out, a);
    return out;
  }
  let out: Csr<V> | undefined;
  let square = a;
  for (let rest = k; ; square = multiply(ring, square, square)) {
    if (rest % 2 === 1) out = out === undefined ? square : multiply(ring, out, square);
    rest = Math.floor(rest / 2);
    if (rest === 0) return out!;
  }
};

/**
 * Scalar multiplications and additions of Aᵏ by k − 1 products, from the patterns alone. Counting ends where there are more than `most`: then some number
 * above `most`. Throws `DiagnosticError`: `algebra/shape`, `algebra/too-large`.
 */
export const countPowerFlops = (a: CsrPattern, k: number, most = Infinity): number => {
  let [flops, raised] = [0, a];
  for (let n = 2; n <= k; n++) {
    const products = countProducts(raised, a);
    /* Looking for a pattern takes as long as there are products; at least half of their operations are multiplications. */
    if (flops + products > most) return flops + products;
    const next = productPattern(raised, a);
    const ofProduct = 2 * products - next.colIdx.length;
    if (samePattern(raised, next)) return flops + (k - n + 1) * ofProduct;
    flops += ofProduct;
    raised = next;
  }
  return flops;
};

/**
 * The values of A·B for its known pattern. The pairs of one output row are met in decreasing k and put in front of the
 * chain of their entry, so that each chain runs in increasing k; it is then copied into the scratch that `dot` reads.
 */
export const productValues = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>, pattern: CsrPattern): V => {
  const { rowPtr: aPtr, colIdx: aCol } = a.pattern;
  const { rowPtr: bPtr, colIdx: bCol } = b.pattern;
  const { rowPtr, colIdx } = pattern;
  const values = ring.allocate(colIdx.length);
  const together = ring.together?.(a, b, pattern);
  const dots = together?.dots ?? ring.dots;
  const size = scratchSizes(a.pattern, b.pattern, pattern);
  const pairA = new Int32Array(size.pairs);
  const pairB = new Int32Array(size.pairs);
  const next = new Int32Array(size.pairs);
  const ai = new Int32Array(dots ? size.pairs : size.terms);
  const bi = new Int32Array(ai.length);
  const ends = new Int32Array(size.entries + 1);
  const first = new Int32Array(size.entries);
  const slotOf = new Int32Array(b.pattern.cols);
  for (let i = 0; i < pattern.rows; i++) {
    const begin = rowPtr[i];
    const width = rowPtr[i + 1] - begin;
    for (let s = 0; s < width; s++) {
      slotOf[colIdx[begin + s]] = s;
      first[s] = -1;
    }
    let t = 0;
    for (let p = aPtr[i + 1] - 1; p >= aPtr[i]; p--) {
      const k = aCol[p];
      for (let q = bPtr[k]; q < bPtr[k + 1]; q++, t++) {
        const s = slotOf[bCol[q]];
        pairA[t] = p;
        pairB[t] = q;
        next[t] = first[s];
        first[s] = t;
      }
    }
    if (dots) {
      let n = 0;
      for (let s = 0; s < width; s++) {
        for (let c = first[s]; c !== -1; c = next[c], n++) {
          ai[n] = pairA[c];
          bi[n] = pairB[c];
        }
        ends[s + 1] = n;
      }
      dots(values, begin, a.values, ai, b.values, bi, ends, width);
      continue;
    }
    for (let s = 0; s < width; s++) {
      let n = 0;
      for (let c = first[s]; c !== -1; c = next[c], n++) {
        ai[n] = pairA[c];
        bi[n] = pairB[c];
      }
      ring.dot(values, begin + s, a.values, ai, b.values, bi, n);
    }
  }
  together?.finish(values);
  return values;
};

/** The most pairs and entries of any output row, and the most terms any one entry can have. */
const scratchSizes = (
  a: CsrPattern,
  b: CsrPattern,
  out: CsrPattern,
): { readonly pairs: number; readonly entries: number; readonly terms: number } => {
  let entries = 0;
  let terms = 0;
  for (let i = 0; i < a.rows; i++) {
    entries = Math.max(entries, out.rowPtr[i + 1] - out.rowPtr[i]);
    // Within a row of A every k gives one pair at most to an entry.
    terms = Math.max(terms, a.rowPtr[i + 1] - a.rowPtr[i]);
  }
  return { pairs: longestProductRow(a, b), entries, terms };
};
