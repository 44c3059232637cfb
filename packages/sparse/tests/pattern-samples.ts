import fc from 'fast-check';
import type { CsrPattern } from '@filigree/sparse/formats';

/** A pattern from the columns of each row. */
export const patternOf = (cols: number, rows: readonly (readonly number[])[]): CsrPattern => ({
  rows: rows.length,
  cols,
  rowPtr: Int32Array.from([0, ...rows.map((_, i) => rows.slice(0, i + 1).reduce((n, r) => n + r.length, 0))]),
  colIdx: Int32Array.from(rows.flat()),
});

/** Columns of rows that repeat, shifted by `step` a row. */
const shifted = (cols: number, first: number, shape: readonly number[], count: number, step: number): number[][] =>
  Array.from({ length: count }, (_, k) =>
    [...new Set(shape.map((d) => (first + k) * step + d))].filter((c) => c >= 0 && c < cols).sort((a, b) => a - b),
  );

/** Any matrix: none, one by one, empty rows, dense ones, bands, blocks, copies of rows, and rows that are like no other. */
export const patterns: fc.Arbitrary<CsrPattern> = fc.integer({ min: 1, max: 40 }).chain((cols) => {
  const some = fc.uniqueArray(fc.nat(cols - 1), { maxLength: 24 }).map((c) => [...c].sort((a, b) => a - b));
  const near = fc.uniqueArray(fc.integer({ min: -6, max: 6 }), { maxLength: 7 });
  const upTo = (n: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: n });
  const part = fc.oneof(
    fc.array(some, { maxLength: 9 }),
    fc.tuple(some, upTo(11)).map(([columns, count]) => Array.from({ length: count }, () => columns)),
    fc.tuple(near, upTo(14), fc.nat(3), fc.nat(cols)).map(([d, n, step, first]) => shifted(cols, first, d, n, step)),
    fc.tuple(fc.nat(8), upTo(12), fc.nat(cols)).map(([width, n, first]) =>
      shifted(
        cols,
        first,
        Array.from({ length: width }, (_, k) => k - 3),
        n,
        1,
      ),
    ),
    upTo(3).map((n) => Array.from({ length: n }, () => Array.from({ length: cols }, (_, c) => c))),
  );
  return fc.array(part, { maxLength: 6 }).map((parts) => patternOf(cols, parts.flat()));
});

/** Small whole numbers, of which sums are exact in any order. */
export const numbers = (n: number, salt: number): Float64Array =>
  Float64Array.from({ length: n }, (_, k) => ((Math.imul(k + salt, 0x9e3779b1) >>> 20) % 9) - 4);

export const gathered = (values: Float64Array, from: Int32Array): Float64Array =>
  Float64Array.from(from, (at) => values[at]!);

/** Σ over the entries of each row. */
export const rowByRow = (p: CsrPattern, visit: (row: number, column: number, at: number) => void): void => {
  for (let i = 0; i < p.rows; i++) for (let at = p.rowPtr[i]!; at < p.rowPtr[i + 1]!; at++) visit(i, p.colIdx[at]!, at);
};
