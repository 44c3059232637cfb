import { DiagnosticError, fail, pass, type Diagnostics, checkOptions, option } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { checkedPattern } from '../formats/patterns/check.js';
import { cooFromCsr } from '../formats/patterns/coo.js';
import type { CsrPattern } from '../formats/patterns/csr.js';
import { rowShapes } from './row-shapes.js';
import { reconstruct, reconstructSpec, type ReconstructOptions, type Reconstruction } from './reconstruct.js';

/**
 * In which order the non-zeros of a matrix are visited: `row` after row, `column` after column, `diagonal` after diagonal
 * (by j − i), or `shape`: row after row, but rows with the same columns relative to the diagonal after one another.
 */
export type TraceOrder = 'row' | 'column' | 'diagonal' | 'shape';

/** The orders in which a pattern can be traced. */
export const traceOrders: readonly TraceOrder[] = ['row', 'shape', 'diagonal', 'column'];

/** The entries of a pattern in some order, as streams: position in the CSR values, row, column. */
export interface PatternTrace {
  readonly order: TraceOrder;
  readonly streams: readonly [position: Int32Array, row: Int32Array, column: Int32Array];
}

/**
 * The trace of a pattern (§3): what sparse matrix–vector multiplication visits, in this order. A pattern that is not
 * well-formed (unsorted, duplicate or out-of-range columns) throws `DiagnosticError` with the codes of `checkCsr`; make it
 * with `csrFromTriplets`, which sorts and merges.
 */
export const tracePattern = (pattern: CsrPattern, order: TraceOrder = 'row'): PatternTrace => {
  const { rowIdx, colIdx } = cooFromCsr(checkedPattern(pattern));
  const n = colIdx.length;
  const position = Int32Array.from({ length: n }, (_, e) => e);
  if (order === 'row') return { order, streams: [position, rowIdx, colIdx] };
  if (order === 'column') position.sort((a, b) => colIdx[a] - colIdx[b] || a - b);
  else if (order === 'diagonal') position.sort((a, b) => colIdx[a] - rowIdx[a] - (colIdx[b] - rowIdx[b]) || a - b);
  else if (order === 'shape') {
    const { shapeOf } = rowShapes(pattern);
    position.sort((a, b) => shapeOf[rowIdx[a]] - shapeOf[rowIdx[b]] || a - b);
  } else {
    fail('trace/order', `there is no order '${String(order)}'`, { remedy: `use one of ${traceOrders.join(', ')}` });
  }
  return { order, streams: [position, position.map((e) => rowIdx[e]), position.map((e) => colIdx[e])] };
};

/** A pattern as pieces, and the order in which they visit its entries. */
export interface PatternReconstruction extends Reconstruction {
  readonly order: TraceOrder;
}

/** Limits of the search, and the order of the trace. */
export interface PatternOptions extends Omit<ReconstructOptions, 'onProgress'> {
  /** A traversal order, or `best`: the one that needs the fewest pieces. Default `row`. */
  readonly order?: TraceOrder | 'best';
  /** Called after each piece with the elements covered so far in an order. */
  readonly onProgress?: (covered: number, total: number, order: TraceOrder) => void;
}

/**
 * A pattern as pieces (D, F_A, F_i, F_j) over the streams position, row and column. Fails with the codes of `checkCsr`
 * and `reconstruct`. `best` tries every order, and gives one up as soon as it has more pieces than the best so far or
 * is clearly going to.
 */
export const reconstructPattern = (
  pattern: CsrPattern,
  options?: PatternOptions,
): E.Either<Diagnostics, PatternReconstruction> =>
  pass('reconstruct', (p: CsrPattern): PatternReconstruction => {
    const spec = { ...reconstructSpec, order: option.choice(...traceOrders, 'best') };
    const { order = 'row', onProgress, ...rest } = checkOptions<PatternOptions>('reconstructPattern', options, spec);
    let best: PatternReconstruction | undefined;
    for (const o of order === 'best' ? traceOrders : [order]) {
      if (best?.complete && best.pieces.length <= 1) break;
      const limit = Math.min(rest.maxPieces ?? Infinity, best?.complete ? best.pieces.length - 1 : Infinity);
      const found = reconstruct(tracePattern(p, o).streams, {
        ...rest,
        maxPieces: limit,
        onProgress: (covered, total, pieces) => {
          onProgress?.(covered, total, o);
          return !(best?.complete === true && isHopeless(covered / total, pieces, limit));
        },
      });
      if (E.isLeft(found)) throw new DiagnosticError(found.left);
      if (best === undefined || (found.right.complete && !best.complete) || isBetter(found.right, best)) {
        best = { ...found.right, order: o };
      }
    }
    return best!;
  }).run(pattern);

/** Pieces from which on it can be told how many an order needs. */
const TELLING = 16;

/**
 * Gives up an order that has used at least an eighth of the pieces allowed but covered less than half as much of the
 * trace.
 */
const isHopeless = (covered: number, pieces: number, limit: number): boolean =>
  pieces >= Math.max(TELLING, limit / 8) && covered < pieces / limit / 2;

const isBetter = (a: Reconstruction, b: Reconstruction): boolean =>
  a.complete === b.complete && (a.complete ? a.pieces.length < b.pieces.length : a.covered > b.covered);
