import {
  buildKernel,
  declareBuffer,
  fail,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { groupByShape } from '../group.js';
import type { Piece } from '../piece.js';
import { indexTypeFor, linearValue, type IndexType, type Linear, type Visit } from './loops.js';
import { emitGroups, placeGroups } from './piece-loops.js';
import { Tables } from './tables.js';
import { kernelOptions, type KernelOptions } from './kernel.js';

/** What a kernel does at each point of its pieces: a dense program's statement, restricted to them. */
export interface PieceStatement {
  readonly buffers: readonly Buffer[];
  /** Ops before all points. */
  readonly prologue?: (b: Builder, type: IndexType) => void;
  /** Ops at one point, given the index that each stream has there, as `type`. */
  readonly point: (b: Builder, streams: readonly Value[], type: IndexType) => void;
  /** An innermost loop as a whole, see `Visit`. */
  readonly innermost?: (b: Builder, loop: Parameters<NonNullable<Visit['innermost']>>[0], type: IndexType) => boolean;
}

/**
 * A statement at the points of pieces, as affine loops: bounds are hoisted, short loops unrolled, and pieces of one
 * shape share a loop over a table of origins. Points are therefore visited shape by shape: only for statements whose
 * order does not matter.
 */
export const pieceKernel = (name: string, pieces: readonly Piece[], statement: PieceStatement): Module => {
  const groups = groupByShape(pieces);
  const type = indexTypeFor(
    groups.map((g) => g.shape),
    groups.flatMap((g) => [...g.origins]),
  );
  const tables = new Tables();
  const placed = placeGroups(groups, tables);
  const buffers = [...statement.buffers, ...tables.buffers()];
  const { point, innermost, prologue } = statement;
  const kernel = buildKernel(
    name,
    {},
    (b) => {
      prologue?.(b, type);
      const values = (streams: readonly Linear[]): Value[] => streams.map((s) => linearValue(b, s, type));
      emitGroups(b, placed, type, {
        point: (streams) => point(b, values(streams), type),
        ...(innermost === undefined ? {} : { innermost: (loop) => innermost(b, loop, type) }),
      });
    },
    buffers,
  );
  return makeModule(name, buffers, [kernel]);
};

/**
 * y = A·x from pieces alone, for a matrix of `rows` × `cols` with values in CSR order: the affine code of §4. The pieces are
 * over the streams position, row and column, in any order. Fails with `trace/streams` on others.
 */
export const spmvFromPieces = (
  pieces: readonly Piece[],
  rows: number,
  cols: number,
  options?: KernelOptions,
): Module => {
  const { dtype = 'f64' } = kernelOptions('spmvFromPieces', options);
  if (pieces.some((p) => p.access.length !== 3)) {
    fail('trace/streams', 'the pieces are not over position, row and column', {
      remedy: 'reconstruct tracePattern(…)',
    });
  }
  const count = pieces.reduce((n, p) => n + p.count, 0);
  return pieceKernel('spmv', pieces, {
    buffers: [
      declareBuffer('A', dtype, count, 'input'),
      declareBuffer('x', dtype, cols, 'input'),
      declareBuffer('y', dtype, rows, 'output'),
    ],
    prologue: (b) =>
      void b.for(b.i32(0), b.i32(rows), b.i32(1), { simd: true }, [], (i) => b.store('y', b.constant(0, dtype), i)),
    point: (b, [position, i, j]) =>
      b.store('y', b.add(b.load('y', i), b.mul(b.load('A', position), b.load('x', j))), i),
    innermost: (b, { lower, end, one, steps, streams, outer }, type) => {
      if (steps[1] !== 0) return false;
      /* Where the loop is empty, its row need not exist. */
      b.if(b.cmp('lt', lower, end), () => {
        const i = linearValue(b, outer[1], type);
        const [sum] = b.for(lower, end, one, {}, [b.load('y', i)], (iv, [s]) => {
          const [position, , j] = streams(iv).map((x) => linearValue(b, x, type));
          return b.add(s, b.mul(b.load('A', position), b.load('x', j)));
        });
        b.store('y', sum, i);
      });
      return true;
    },
  });
};
