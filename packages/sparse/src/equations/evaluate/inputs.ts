import { fail } from '@filigree/ir';
import { checkedPattern } from '../../formats/patterns/check.js';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import type { AffineProgram, ArrayInfo } from '../read/program.js';
import { boxOf, type Box } from '../sets/box.js';
import { ownMemory, type Allocate } from '../sets/memory.js';
import { fullSet, setOfRuns, type PointSet } from '../sets/point-set.js';

/** Patterns of arrays by name; a vector is a matrix of one column or one row. */
export type SparseInputs = Readonly<Record<string, CsrPattern>>;

/**
 * The non-zeros of initial contents, by array: those of the patterns given, those of constant data, and everything of other
 * arrays. Throws `DiagnosticError`: `equations/input` for a name that is no array with contents, or for another shape; the
 * codes of `checkCsr` for a pattern that is none.
 */
export const initialSets = (
  program: AffineProgram,
  inputs: SparseInputs,
  allocate = ownMemory,
): ReadonlyMap<string, PointSet> => {
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
        pattern !== undefined
          ? patternSet(a, box, pattern, allocate)
          : a.data !== undefined
            ? dataSet(a, box, allocate)
            : fullSet(box),
      ];
    }),
  );
};

const patternSet = (a: ArrayInfo, box: Box, pattern: CsrPattern, allocate: Allocate): PointSet => {
  const p = checkedPattern(pattern);
  /* A vector is as good as the buffer itself, whose rows are found in the program. */
  const vector = p.rows === 1 || p.cols === 1;
  const sameShape =
    box.extent.length === 2 && !vector
      ? p.rows === box.extent[0] && p.cols === box.extent[1]
      : p.rows * p.cols === box.size;
  if (!sameShape)
    fail('equations/input', `the pattern of '${a.name}' is ${p.rows} × ${p.cols}, the array ${a.shape.join(' × ')}`, {
      remedy: 'give a matrix of the shape of the array, or other sizes',
    });
  const starts = new Float64Array(allocate(8 * p.colIdx.length));
  const ends = new Float64Array(allocate(8 * p.colIdx.length));
  let n = 0;
  for (let i = 0; i < p.rows; i++) {
    const row = i * p.cols;
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) {
      const c = row + p.colIdx[e];
      if (n > 0 && c === ends[n - 1]) ends[n - 1] = c + 1;
      else {
        starts[n] = c;
        ends[n++] = c + 1;
      }
    }
  }
  const runs = { starts: starts.subarray(0, n), ends: ends.subarray(0, n) };
  return { box, count: p.colIdx.length, runs, bits: undefined };
};

const dataSet = (a: ArrayInfo, box: Box, allocate: Allocate): PointSet => {
  const at: number[] = [];
  a.data!.forEach((x: number | bigint, k: number) => {
    if (x !== 0 && x !== 0n) at.push(k);
  });
  const starts = Float64Array.from(at);
  return setOfRuns(
    box,
    starts,
    starts.map((c) => c + 1),
    allocate,
  );
};
