import { sumOf, type ScalarRing } from './ring.js';

/** Sizes up to which determinants and inverses are written out. */
export const LARGEST_INVERSE = 4;

/** Determinant of an n×n matrix, rows first: Laplace's expansion along the first row. */
export const determinant = <S>(ring: ScalarRing<S>, n: number, m: readonly S[]): S =>
  n === 1
    ? m[0]
    : n === 2
      ? ring.sub(ring.mul(m[0], m[3]), ring.mul(m[1], m[2]))
      : alongFirstRow(
          ring,
          m,
          indices(n).map((j) => cofactor(ring, n, m, 0, j)),
        );

/** Inverse of an n×n matrix, rows first: the adjugate times the reciprocal of the determinant. */
export const inverse = <S>(ring: ScalarRing<S>, n: number, m: readonly S[]): readonly S[] => {
  const cofactors = m.map((_, k) => cofactor(ring, n, m, Math.floor(k / n), k % n));
  const reciprocal = ring.div(ring.constant(1), alongFirstRow(ring, m, cofactors.slice(0, n)));
  return m.map((_, k) => ring.mul(cofactors[n * (k % n) + Math.floor(k / n)], reciprocal));
};

const cofactor = <S>(ring: ScalarRing<S>, n: number, m: readonly S[], row: number, column: number): S => {
  if (n === 1) return ring.constant(1);
  const rest = m.filter((_, k) => Math.floor(k / n) !== row && k % n !== column);
  const minor = determinant(ring, n - 1, rest);
  return (row + column) % 2 === 0 ? minor : ring.neg(minor);
};

const alongFirstRow = <S>(ring: ScalarRing<S>, m: readonly S[], cofactors: readonly S[]): S =>
  sumOf(
    ring,
    cofactors.map((c, j) => ring.mul(m[j], c)),
  );

const indices = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
