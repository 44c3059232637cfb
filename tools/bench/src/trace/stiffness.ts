import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orThrow } from '@filigree/ir';
import { csrFromTriplets, writeMatrixMarket, type CsrPattern } from '@filigree/sparse/formats';
import { seeded } from '../seeded.js';

/** The name of the matrix that is made here. */
export const STIFFNESS = 'stiffness';

/** It as a file of its own. */
export const stiffnessFile = (): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'filigree-')), `${STIFFNESS}.mtx`);
  const pattern = stiffness(122);
  const values = new Float64Array(pattern.colIdx.length).fill(1);
  writeFileSync(file, orThrow(writeMatrixMarket({ pattern, values }, { field: 'pattern' })));
  return file;
};

/**
 * The pattern of a stiffness matrix of linear triangles on a grid of so many points a side, every square of which is cut along one of its
 * diagonals, whichever: neighbouring rows have most columns in common, and others by themselves.
 */
const stiffness = (side: number): CsrPattern => {
  const points = side * side;
  const entries = new Set<number>();
  const edge = (a: number, b: number): void => {
    for (const [i, j] of [
      [a, a],
      [a, b],
      [b, a],
      [b, b],
    ])
      entries.add(i * points + j);
  };
  const random = seeded(12345);
  for (let i = 0; i + 1 < side; i++)
    for (let j = 0; j + 1 < side; j++) {
      const [a, b, c, d] = [i * side + j, i * side + j + 1, (i + 1) * side + j, (i + 1) * side + j + 1];
      for (const [p, q] of [[a, b], [a, c], [b, d], [c, d], random() < 0.5 ? [a, d] : [b, c]]) edge(p, q);
    }
  const all = [...entries];
  return csrFromTriplets(
    points,
    points,
    all.map((e) => Math.floor(e / points)),
    all.map((e) => e % points),
  ).pattern;
};
