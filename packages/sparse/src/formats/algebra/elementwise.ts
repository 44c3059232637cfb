import type { Csr, CsrPattern } from '../patterns/csr.js';
import { intersectionPattern, sumPattern } from './pattern-algebra.js';
import type { Ring } from './ring.js';

/** A + B. Throws `DiagnosticError`: `algebra/shape`. */
export const add = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>): Csr<V> => merge(ring, a, b, false);

/** A − B. Throws `DiagnosticError`: `algebra/shape`. */
export const sub = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>): Csr<V> => merge(ring, a, b, true);

/** −A. */
export const neg = <V>(ring: Ring<V>, a: Csr<V>): Csr<V> =>
  ring.scaled?.(-1, a) ?? { pattern: a.pattern, values: negatedValues(ring, a) };

/** The values of −A. */
export const negatedValues = <V>(ring: Ring<V>, a: Csr<V>): V => {
  const n = a.pattern.colIdx.length;
  const values = ring.allocate(n);
  const together = ring.together?.(a, a);
  const { neg: negate } = together ?? ring;
  for (let e = 0; e < n; e++) negate(values, e, a.values, e);
  together?.finish(values);
  return values;
};

/** s·A for an ordinary number s. */
export const scale = <V>(ring: Ring<V>, s: number, a: Csr<V>): Csr<V> =>
  ring.scaled?.(s, a) ?? { pattern: a.pattern, values: scaledValues(ring, s, a) };

/** The values of s·A. */
export const scaledValues = <V>(ring: Ring<V>, s: number, a: Csr<V>): V => {
  const n = a.pattern.colIdx.length;
  const values = ring.allocate(n);
  for (let e = 0; e < n; e++) ring.scale(values, e, s, a.values, e);
  return values;
};

/** The element-wise product A∘B, with an entry where both have one. Throws `DiagnosticError`: `algebra/shape`. */
export const elementwiseProduct = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>): Csr<V> => {
  const pattern = intersectionPattern(a.pattern, b.pattern);
  const values = ring.allocate(pattern.colIdx.length);
  const ai = new Int32Array(1);
  const bi = new Int32Array(1);
  for (let i = 0; i < pattern.rows; i++) {
    let p = a.pattern.rowPtr[i];
    let q = b.pattern.rowPtr[i];
    for (let e = pattern.rowPtr[i]; e < pattern.rowPtr[i + 1]; e++) {
      const j = pattern.colIdx[e];
      while (a.pattern.colIdx[p] !== j) p++;
      while (b.pattern.colIdx[q] !== j) q++;
      ai[0] = p;
      bi[0] = q;
      ring.dot(values, e, a.values, ai, b.values, bi, 1);
    }
  }
  return { pattern, values };
};

const merge = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>, minus: boolean): Csr<V> => {
  const pattern = sumPattern(a.pattern, b.pattern);
  return ring.combined?.(a, b, pattern, minus) ?? { pattern, values: sumValues(ring, a, b, pattern, minus) };
};

/** The values of A + B, or A − B, for the known union of their patterns: where only one has an entry, a copy of it or minus it. */
export const sumValues = <V>(ring: Ring<V>, a: Csr<V>, b: Csr<V>, pattern: CsrPattern, minus: boolean): V => {
  const values = ring.allocate(pattern.colIdx.length);
  const together = ring.together?.(a, b);
  const { add, sub, neg, copy } = together ?? ring;
  const both = minus ? sub : add;
  const onlyB = minus ? neg : copy;
  const { rowPtr: aPtr, colIdx: aCol } = a.pattern;
  const { rowPtr: bPtr, colIdx: bCol } = b.pattern;
  let e = 0;
  for (let i = 0; i < pattern.rows; i++) {
    let p = aPtr[i];
    let q = bPtr[i];
    const pEnd = aPtr[i + 1];
    const qEnd = bPtr[i + 1];
    while (p < pEnd && q < qEnd) {
      const d = aCol[p] - bCol[q];
      if (d === 0) both(values, e++, a.values, p++, b.values, q++);
      else if (d < 0) copy(values, e++, a.values, p++);
      else onlyB(values, e++, b.values, q++);
    }
    while (p < pEnd) copy(values, e++, a.values, p++);
    while (q < qEnd) onlyB(values, e++, b.values, q++);
  }
  together?.finish(values);
  return values;
};
