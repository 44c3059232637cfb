import type { CsrPattern } from '../../formats/patterns/csr.js';
import { rowShapes } from '../row-shapes.js';

/** Rows `first` … `end`, itself not one of them, that one loop computes in their order. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
  /** Columns relative to the row, where all rows have the same: such a loop needs no index. Else rows as CSR has them. */
  readonly offsets: Int32Array | undefined;
}

/**
 * Rows of one shape from which on they get a loop of their own, and entries that are unrolled: of a row, and in all
 * loops together.
 */
const CODE = { rows: 8, row: 40, all: 400 };

/**
 * All rows of a matrix in order, for an operation in which a row may depend on the one before: runs of rows of one
 * shape, the longest first until the code grows too long, and whatever lies between them. Linear time except for
 * sorting.
 */
export const stretchesOf = (p: CsrPattern): Stretch[] => {
  const runs = shapeRuns(p).sort((a, b) => b.end - b.first - (a.end - a.first));
  let code = 0;
  const chosen = runs.filter(({ offsets }) => {
    if (code + offsets!.length > CODE.all) return false;
    code += offsets!.length + 1;
    return true;
  });
  const out: Stretch[] = [];
  let at = 0;
  const rest = (end: number): void => void (end > at && out.push({ first: at, end, offsets: undefined }));
  for (const run of chosen.sort((a, b) => a.first - b.first)) {
    rest(run.first);
    out.push(run);
    at = run.end;
  }
  rest(p.rows);
  return out;
};

const shapeRuns = (p: CsrPattern): Stretch[] => {
  const { shapeOf } = rowShapes(p);
  const runs: Stretch[] = [];
  for (let first = 0, end = 1; first < p.rows; first = end++) {
    while (end < p.rows && shapeOf[end] === shapeOf[first]) end++;
    const offsets = p.colIdx.slice(p.rowPtr[first], p.rowPtr[first + 1]).map((j) => j - first);
    if (end - first >= CODE.rows && offsets.length <= CODE.row) runs.push({ first, end, offsets });
  }
  return runs;
};
