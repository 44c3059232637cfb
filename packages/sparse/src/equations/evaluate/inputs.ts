import { fail } from '@filigree/ir';
import type { CsrPattern } from '../../formats/csr.js';
import type { AffineProgram, ArrayInfo } from '../read/program.js';
import { boxOf, type Box } from '../sets/box.js';
import { fullSet, setOfRuns, type PointSet } from '../sets/point-set.js';

/** Patterns of arrays by name; a vector is a matrix of one column or one row. */
export type SparseInputs = Readonly<Record<string, CsrPattern>>;

/**
 * The non-zeros of initial contents, by array: those of the patterns given, those of constant data, and everything of other
 * arrays. Throws `DiagnosticError`: `equations/input` for a name that is no array with contents, or for another shape.
 */
export const initialSets = (program: AffineProgram, inputs: SparseInputs): ReadonlyMap<string, PointSet> => {
  const named = program.arrays.filter((a) => a.role === 'input' || a.role === 'inout');
  for (const name of Object.keys(inputs))
    if (!named.some((a) => a.name === name))
      fail('equations/input', `the program '${program.name}' reads no array '${name}'`, {
        remedy: `bind one of ${named.map((a) => a.name).join(', ') || 'none: it has no inputs'}`,
      });
  return new Map(
    program.arrays.map((a) => {
      const box = boxOf(a.lower, a.shape);
      const pattern = inputs[a.name];
      return [
        a.name,
        pattern !== undefined ? patternSet(a, box, pattern) : a.data !== undefined ? dataSet(a, box) : fullSet(box),
      ];
    }),
  );
};

const patternSet = (a: ArrayInfo, box: Box, p: CsrPattern): PointSet => {
  const sameShape =
    box.extent.length === 2 ? p.rows === box.extent[0] && p.cols === box.extent[1] : p.rows * p.cols === box.size;
  if (!sameShape)
    fail('equations/input', `the pattern of '${a.name}' is ${p.rows} × ${p.cols}, the array ${a.shape.join(' × ')}`, {
      remedy: 'give a matrix of the shape of the array, or other sizes',
    });
  const starts = new Float64Array(p.colIdx.length);
  const ends = new Float64Array(p.colIdx.length);
  for (let i = 0; i < p.rows; i++) {
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) {
      starts[e] = i * p.cols + p.colIdx[e];
      ends[e] = starts[e] + 1;
    }
  }
  return setOfRuns(box, starts, ends);
};

const dataSet = (a: ArrayInfo, box: Box): PointSet => {
  const at: number[] = [];
  a.data!.forEach((x: number | bigint, k: number) => {
    if (x !== 0 && x !== 0n) at.push(k);
  });
  const starts = Float64Array.from(at);
  return setOfRuns(
    box,
    starts,
    starts.map((c) => c + 1),
  );
};
