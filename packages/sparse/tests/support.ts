import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic, Diagnostics } from '@filigree/ir';
import { DiagnosticError } from '@filigree/ir';
import { assemble, csrFromTriplets, numberRing, type Csr } from '@filigree/sparse/formats';
import fc from 'fast-check';
import type * as E from 'fp-ts/lib/Either.js';

/** Folder of large test data, where there is one. */
export const DATA = process.env.FILIGREE_DATA ?? join(import.meta.dirname, '../../../../shared/data');
export const dataFile = (path: string): Uint8Array | undefined =>
  existsSync(join(DATA, path)) ? readFileSync(join(DATA, path)) : undefined;

export const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (e._tag === 'Left') throw new DiagnosticError(e.left);
  return e.right;
};

/** The one diagnostic of a failure. */
export const left = <A>(e: E.Either<Diagnostics, A>): Diagnostic => {
  if (e._tag === 'Right') throw new Error('a diagnostic was expected');
  return e.left[0]!;
};

/** The diagnostic that a function throws. */
export const thrown = (f: () => unknown): Diagnostic => {
  try {
    f();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0]!;
    throw e;
  }
  throw new Error('a diagnostic was expected');
};

export type Dense = number[][];

export const zeros = (rows: number, cols: number): Dense => Array.from({ length: rows }, () => Array(cols).fill(0));

export const dense = (m: Csr<Float64Array>): Dense => {
  const out = zeros(m.pattern.rows, m.pattern.cols);
  for (let i = 0; i < m.pattern.rows; i++) {
    for (let e = m.pattern.rowPtr[i]!; e < m.pattern.rowPtr[i + 1]!; e++)
      out[i]![m.pattern.colIdx[e]!]! += m.values[e]!;
  }
  return out;
};

export const denseMultiply = (a: Dense, b: Dense, inner: number, cols: number): Dense =>
  a.map((row) =>
    Array.from({ length: cols }, (_, j) => {
      let s = 0;
      for (let k = 0; k < inner; k++) s += row[k]! * b[k]![j]!;
      return s;
    }),
  );

export const denseTranspose = (a: Dense, cols: number): Dense =>
  Array.from({ length: cols }, (_, j) => a.map((row) => row[j]!));

export const sparse = (rows: number, cols: number, triplets: readonly (readonly [number, number, number])[]) =>
  assemble(
    numberRing,
    csrFromTriplets(
      rows,
      cols,
      triplets.map((t) => t[0]),
      triplets.map((t) => t[1]),
    ),
    Float64Array.from(triplets.map((t) => t[2])),
  );

/** Triplets with small integer values, so that all arithmetic on them is exact. */
export const tripletsOf = (rows: number, cols: number) =>
  rows === 0 || cols === 0
    ? fc.constant([] as [number, number, number][])
    : fc.array(fc.tuple(fc.nat({ max: rows - 1 }), fc.nat({ max: cols - 1 }), fc.integer({ min: -9, max: 9 })), {
        maxLength: 3 * (rows + cols),
      });

export const matrixOf = (rows: number, cols: number) => tripletsOf(rows, cols).map((t) => sparse(rows, cols, t));

export const side = fc.integer({ min: 0, max: 12 });

/** The Laplacian of an n × n grid of cells, with a random weight per edge. */
export const gridLaplacian = (n: number): Csr<Float64Array> => {
  const triplets: [number, number, number][] = [];
  let seed = 1;
  const connect = (a: number, b: number): void => {
    seed = (seed * 48271) % 2147483647;
    const w = 0.1 + seed / 2147483647;
    triplets.push([a, b, -w], [b, a, -w], [a, a, w], [b, b, w]);
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i + 1 < n) connect(i * n + j, (i + 1) * n + j);
      if (j + 1 < n) connect(i * n + j, i * n + j + 1);
    }
  }
  return sparse(n * n, n * n, triplets);
};
