import { eig2, eig3, identity, mat, polar2, polar3, svd2, svd3, vec, type Mat } from '@filigree/lang';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

type Square = Mat<3, 3>;

const EPSILON = 2 ** -52;

/** Entries of every kind: ordinary, whole, equal, zero, and of very different magnitude. */
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: -10, max: 10, noNaN: true }) },
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 2 }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.double({ min: -1e-9, max: 1e-9, noNaN: true }) },
);
const square = (n: number): fc.Arbitrary<Square> =>
  fc
    .array(fc.array(entry, { minLength: n, maxLength: n }), { minLength: n, maxLength: n })
    .map((rows) => matrixOf(rows));
/** Products of a column and a row, so that all singular values but one vanish; and sums of two of them. */
const deficient = (n: number): fc.Arbitrary<Square> =>
  fc
    .array(
      fc.array(entry, { minLength: n, maxLength: n }).map((x) => vec(...x)),
      { minLength: 4, maxLength: 4 },
    )
    .chain(([a, b, c, d]) =>
      fc.constantFrom(a.outer(b), n === 3 ? a.outer(b).add(c.outer(d)) : a.outer(b)).map((m) => m as unknown as Square),
    );
const matrixOf = (rows: readonly (readonly number[])[]): Square => mat(...rows) as unknown as Square;

/** What rounding may do to a matrix of this size; its entries may be too small to have all digits. */
const roundingOf = (m: Square): number => 64 * EPSILON * largest(m) + 1e-320;
const largest = (m: Square): number => m.abs().greatest();
const identityOf = (n: number): Square => identity(n) as unknown as Square;
const scaled = (V: Square, values: Iterable<number>): Square => {
  const factors = [...values];
  return matrixOf([...V].map((row) => [...row].map((x, j) => x * factors[j])));
};

/** Decompositions of both sizes under one type. */
interface Size {
  readonly n: number;
  readonly svd: (A: Square) => readonly [U: Square, sigma: Iterable<number>, V: Square];
  readonly polar: (A: Square) => readonly [R: Square, S: Square];
  readonly eig: (A: Square) => readonly [lambda: Iterable<number>, V: Square];
}
const sizes: readonly Size[] = [
  {
    n: 2,
    svd: svd2 as unknown as Size['svd'],
    polar: polar2 as unknown as Size['polar'],
    eig: eig2 as unknown as Size['eig'],
  },
  { n: 3, svd: svd3, polar: polar3, eig: eig3 },
];

const isRotation = (R: Square): void => {
  expect(largest(R.transpose().mul(R).sub(identityOf(R.rows)))).toBeLessThan(64 * EPSILON);
  expect(R.determinant()).toBeGreaterThan(0);
};

describe.each(sizes)('$n×$n', ({ n, svd, polar, eig }) => {
  const any = fc.oneof(square(n), deficient(n));

  it('svd: U diag(σ) Vᵀ is the matrix, U and V are rotations, σ is sorted', () => {
    fc.assert(
      fc.property(any, (A) => {
        const [U, sigma, V] = svd(A);
        isRotation(U);
        isRotation(V);
        expect(largest(scaled(U, sigma).mul(V.transpose()).sub(A))).toBeLessThanOrEqual(roundingOf(A));
        const values = [...sigma];
        const slack = roundingOf(A);
        for (let k = 1; k < n; k++) expect(values[k - 1]).toBeGreaterThanOrEqual(Math.abs(values[k]) - slack);
        for (let k = 0; k < n - 1; k++) expect(values[k]).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('svd: the last singular value has the sign of the determinant', () => {
    const reflection = matrixOf([...identityOf(n)].map((row, k) => [...row].map((x) => (k === 0 ? -x : x))));
    expect([...svd(reflection)[1]]).toEqual([...new Array<number>(n - 1).fill(1), -1]);
    fc.assert(
      fc.property(square(n), (A) => {
        const values = [...svd(A)[1]];
        fc.pre(Math.abs(values[n - 1]) > 1e-6 * values[0] && Math.abs(A.determinant()) > 1e-300);
        expect(Math.sign(values[n - 1])).toBe(Math.sign(A.determinant()));
      }),
    );
  });

  it('svd: finds singular values that are known', () => {
    const angle = fc.double({ min: -4, max: 4, noNaN: true });
    const value = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(angle, angle), fc.tuple(value, value, value), ([a, b], values) => {
        const known = values.slice(0, n).sort((x, y) => y - x);
        const A = scaled(turn(n, a), known).mul(turn(n, b).transpose());
        const found = [...svd(A)[1]].map(Math.abs);
        known.forEach((s, k) => expect(Math.abs(found[k] - s)).toBeLessThanOrEqual(64 * EPSILON * known[0] + 1e-300));
      }),
    );
  });

  it('svd: neither overflows nor underflows', () => {
    for (const scale of [1e-300, 1e-160, 1e160, 1e300]) {
      const A = matrixOf([...identityOf(n)].map((row, i) => [...row].map((x, j) => (x * 2 + i - j * 0.5) * scale)));
      const [U, sigma, V] = svd(A);
      isRotation(U);
      expect(
        largest(
          scaled(
            U,
            [...sigma].map((s) => s / scale),
          )
            .mul(V.transpose())
            .sub(A.div(scale)),
        ),
      ).toBeLessThan(1e-13);
    }
    const [U, sigma] = svd(identityOf(n).mul(0));
    isRotation(U);
    expect([...sigma]).toEqual(new Array<number>(n).fill(0));
  });

  it('polar: R S is the matrix, R a rotation, S symmetric', () => {
    fc.assert(
      fc.property(any, (A) => {
        const [R, S] = polar(A);
        isRotation(R);
        expect(largest(R.mul(S).sub(A))).toBeLessThanOrEqual(roundingOf(A));
        expect(largest(S.sub(S.transpose()))).toBeLessThanOrEqual(roundingOf(A));
      }),
      { numRuns: 1000 },
    );
  });

  it('polar: no rotation is nearer', () => {
    fc.assert(
      fc.property(square(n), fc.double({ min: -3, max: 3, noNaN: true }), (A, angle) => {
        const [R] = polar(A);
        expect(A.sub(R).norm()).toBeLessThanOrEqual(A.sub(turn(n, angle)).norm() + 1e-12);
      }),
    );
  });

  it('eig: V diag(λ) Vᵀ is the matrix, V a rotation, λ is sorted', () => {
    fc.assert(
      fc.property(any, (m) => {
        const A = m.add(m.transpose());
        const [lambda, V] = eig(A);
        isRotation(V);
        expect(largest(scaled(V, lambda).mul(V.transpose()).sub(A))).toBeLessThanOrEqual(4 * roundingOf(A));
        const values = [...lambda];
        for (let k = 1; k < n; k++) expect(values[k - 1]).toBeGreaterThanOrEqual(values[k] - roundingOf(A));
      }),
      { numRuns: 1000 },
    );
  });
});

it('eig: the sum of the entries may be beyond the largest number', () => {
  const A = matrixOf([
    [1e308, 1e307, 0],
    [1e307, 1e308, 0],
    [0, 0, 1e308],
  ]);
  const [lambda, V] = eig3(A);
  isRotation(V);
  [1.1e308, 1e308, 0.9e308].forEach((value, k) => expect([...lambda][k] / value).toBeCloseTo(1, 12));
});

it('gives the identity where every rotation is as near', () => {
  expect([...polar2(mat([1, 0], [0, -1]))[0][0]]).toEqual([1, 0]);
});

/** A rotation of n axes by an angle, about no axis in particular. */
function turn(n: number, angle: number): Square {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  if (n === 2)
    return matrixOf([
      [c, -s],
      [s, c],
    ]);
  return matrixOf([
    [c, -s, 0],
    [s, c, 0],
    [0, 0, 1],
  ]).mul(
    matrixOf([
      [1, 0, 0],
      [0, c, -s],
      [0, s, c],
    ]),
  );
}
