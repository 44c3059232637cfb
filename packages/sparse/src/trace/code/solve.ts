import {
  buildKernel,
  declareBuffer,
  fail,
  makeModule,
  type Builder,
  type Value,
  checkOptions,
  option,
} from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { checkedPattern } from '../../formats/patterns/check.js';
import { kernelSpec, type KernelOptions, type SparseKernel } from './kernel.js';
import { emitStretches, placeStretches } from './stretch-loops.js';
import { Tables } from './tables.js';

/** How a triangular solve is made. */
export interface SolveOptions extends KernelOptions {
  /** Which triangle the matrix is; default `lower`. */
  readonly triangle?: 'lower' | 'upper';
}

/**
 * Solves L·x = b (or U·x = b, from the last row on) for triangular matrices of this pattern: kernel `solve`, buffers
 * `A` (values in the order `from`: the entries off the diagonal, then the diagonal), `b` and `x`. A row is multiplied
 * by the reciprocal of its pivot, so that the next row does not wait for a division; if the reciprocal overflows, for a
 * zero pivot or one below the least normal number, the result is infinite or NaN. Throws `DiagnosticError`: the codes
 * of `checkCsr`, `trace/square`, `trace/triangle` for an entry on the wrong side, `trace/diagonal` for a row without
 * one on the diagonal.
 */
export const solveKernel = (pattern: CsrPattern, options?: SolveOptions): SparseKernel => {
  const { dtype = 'f64', triangle = 'lower' } = checkOptions<SolveOptions>('solveKernel', options, {
    ...kernelSpec,
    triangle: option.choice('lower', 'upper'),
  });
  const { strict, offDiagonal, diagonal } = split(checkedPattern(pattern), triangle);
  const n = pattern.rows;
  const from = new Int32Array(pattern.colIdx.length);
  from.set(offDiagonal);
  from.set(diagonal, offDiagonal.length);
  const tables = new Tables();
  const stretches = placeStretches(strict, tables);
  const buffers = [
    declareBuffer('A', dtype, from.length, 'input'),
    declareBuffer('b', dtype, n, 'input'),
    declareBuffer('x', dtype, n, 'output'),
    ...tables.buffers(),
  ];
  /* The strict part of an upper triangle is numbered from its last row on, so both run forward. */
  const own = (b: Builder, i: Value): Value => (triangle === 'lower' ? i : b.sub(b.i32(n - 1), i));
  const body = (b: Builder): void =>
    emitStretches(b, stretches, dtype, {
      x: (i) => b.load('x', own(b, i)),
      solve: (i, minus) => {
        const row = own(b, i);
        const pivot = b.load('A', b.add(row, b.i32(offDiagonal.length)));
        const value = b.mul(minus(b.load('b', row)), b.div(b.constant(1, dtype), pivot));
        b.store('x', value, row);
        return value;
      },
    });
  const module = makeModule('solve', buffers, [buildKernel('solve', {}, body, buffers)]);
  return { module, from, indexBytes: tables.bytes };
};

interface Split {
  /** The entries off the diagonal; of an upper triangle, turned by half, so that it is lower. */
  readonly strict: CsrPattern;
  /** Where its entries stand in the whole. */
  readonly offDiagonal: Int32Array;
  /** Where the diagonal of each row stands. */
  readonly diagonal: Int32Array;
}

const split = (p: CsrPattern, triangle: 'lower' | 'upper'): Split => {
  const { rows: n, cols, rowPtr, colIdx } = p;
  if (n !== cols) {
    fail('trace/square', `a ${n} × ${cols} matrix is not square`, { remedy: 'only square matrices are triangular' });
  }
  const diagonal = new Int32Array(n).fill(-1);
  const ptr = new Int32Array(n + 1);
  const columns: number[] = [];
  const offDiagonal: number[] = [];
  for (let r = 0; r < n; r++) {
    const i = triangle === 'lower' ? r : n - 1 - r;
    const length = rowPtr[i + 1] - rowPtr[i];
    for (let k = 0; k < length; k++) {
      const e = triangle === 'lower' ? rowPtr[i] + k : rowPtr[i + 1] - 1 - k;
      const j = triangle === 'lower' ? colIdx[e] : n - 1 - colIdx[e];
      if (j > r) {
        fail('trace/triangle', `entry (${i}, ${colIdx[e]}) is not in the ${triangle} triangle`, {
          remedy: 'pass the triangle alone, or name the other one',
        });
      }
      if (j === r) diagonal[i] = e;
      else {
        columns.push(j);
        offDiagonal.push(e);
      }
    }
    if (diagonal[i] < 0) {
      fail('trace/diagonal', `row ${i} has no entry on the diagonal`, { remedy: 'a triangular solve divides by it' });
    }
    ptr[r + 1] = columns.length;
  }
  const strict = { rows: n, cols: n, rowPtr: ptr, colIdx: Int32Array.from(columns) };
  return { strict, offDiagonal: Int32Array.from(offDiagonal), diagonal };
};
