import { countNonzeros } from '@filigree/sparse/eqspp';
import type { GemmSpec, MatrixView } from '../../linalg/gemm-spec.js';
import { positionIn } from '../layout/tensor-layout.js';
import { strideOf } from '../permute/mapping.js';
import type { Action, Operand, Operation } from './plan.js';

type LogParts = Omit<Extract<Operation, { kind: 'log' }>, 'gemm' | 'kind'>;

/** A loop over products of matrices before its product is specified. */
export interface LogAction extends Omit<Action, 'operation'> {
  readonly operation: LogParts;
}

/**
 * The product of matrices that a loop-over-GEMM does for each value of its loops, with views that begin at the first
 * entry of each index's range. C is added to where the action adds, and where a summed index is looped over: such an
 * action zeroes its target first if it does not add.
 *
 * B is given by its non-zeros where it is stored so, and where it is the same matrix for all values of the loops and at most half
 * full (§6.2); then it may still be taken as dense, whatever is faster. A is given so in the same case.
 */
export const gemmOf = (action: LogAction, type: GemmSpec['type']): GemmSpec => {
  const { operation, ranges, target, scale } = action;
  const { left, right, m, n, k, loops } = operation;
  const extent = (indices: string): number => [...indices].reduce((v, i) => v * (ranges[i][1] - ranges[i][0]), 1);
  const sumsInLoops = [...loops].some((i) => !target.indices.includes(i));
  const spec: GemmSpec = {
    type,
    m: extent(m),
    n: extent(n),
    k: extent(k),
    a: hasZeroVectors(left, m, k, extent)
      ? sparseView(left, m, k, ranges, extent)
      : { kind: 'dense', ...strides(left, m, k, extent) },
    b: isSparse(right, k + n, extent(k + n))
      ? sparseView(right, k, n, ranges, extent)
      : { kind: 'dense', ...strides(right, k, n, extent) },
    c: strides(target, m, n, extent),
    alpha: scale.scalars.length > 0 ? 'value' : scale.factor,
    beta: action.add || sumsInLoops ? 1 : 0,
  };
  const padded = paddedRows(action);
  return padded > spec.m ? { ...spec, mPadded: padded } : spec;
};

const isSparse = ({ indices, layout, pattern }: Operand, matrix: string, entries: number): boolean =>
  layout.kind !== 'dense' || ([...indices].every((i) => matrix.includes(i)) && 2 * countNonzeros(pattern) <= entries);

/** The same for A, where its columns lie so that vectors of zeros can be left out. */
const hasZeroVectors = (left: Operand, rows: string, columns: string, extent: (indices: string) => number): boolean =>
  rows !== '' && strideOf(left, rows[0]) === 1 && isSparse(left, rows + columns, extent(rows + columns));

/** Strides of a matrix of fused indices; those of an empty side are never used. */
const strides = (
  operand: Operand,
  rows: string,
  columns: string,
  extent: (indices: string) => number,
): { readonly rowStride: number; readonly columnStride: number } => ({
  rowStride: rows === '' ? 1 : strideOf(operand, rows[0]),
  columnStride: columns === '' ? Math.max(1, extent(rows)) : strideOf(operand, columns[0]),
});

/** The entries within the ranges that may be non-zero and are needed, by column and then by row. */
const sparseView = (
  operand: Operand,
  rows: string,
  columns: string,
  ranges: Action['ranges'],
  extent: (indices: string) => number,
): MatrixView => {
  const { indices, pattern, layout } = operand;
  const entries: { row: number; column: number; position: number }[] = [];
  const at = pattern.shape.map(() => 0);
  const fused = (group: string): number => {
    let value = 0;
    for (let g = group.length - 1; g >= 0; g--) {
      const [start, stop] = ranges[group[g]];
      value = value * (stop - start) + at[indices.indexOf(group[g])] - start;
    }
    return value;
  };
  const first =
    layout.kind === 'dense'
      ? positionIn(
          layout,
          [...indices].map((i) => ranges[i][0]),
        )
      : 0;
  for (let e = 0; e < pattern.bits.length; e++) {
    if (pattern.bits[e] === 1 && at.every((x, d) => x >= ranges[indices[d]][0] && x < ranges[indices[d]][1]))
      entries.push({ row: fused(rows), column: fused(columns), position: positionIn(layout, at) - first });
    for (let d = 0; d < at.length && ++at[d] === pattern.shape[d]; d++) at[d] = 0;
  }
  entries.sort((x, y) => x.column - y.column || x.row - y.row);
  return {
    kind: 'sparse',
    rows: Int32Array.from(entries, (x) => x.row),
    columns: Int32Array.from(entries, (x) => x.column),
    positions: Int32Array.from(entries, (x) => x.position),
    ...(layout.kind === 'dense' ? { stored: strides(operand, rows, columns, extent) } : {}),
  };
};

/** Rows up to the end of the padding of C, as far as A has any: where both begin with the same single index of stride 1. */
const paddedRows = ({ operation, target, ranges }: LogAction): number => {
  const { left, m, transposeLeft } = operation;
  const [c, a] = [target.layout, left.layout];
  if (m.length !== 1 || transposeLeft || c.kind !== 'dense' || a.kind !== 'dense') return 0;
  if (target.indices[0] !== m || left.indices[0] !== m) return 0;
  const [start, stop] = ranges[m];
  if (c.end !== stop) return 0;
  return Math.min(c.box[0][1], a.box[0][1]) - start;
};
