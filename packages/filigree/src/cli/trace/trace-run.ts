import { orThrow } from '@filigree/ir';
import { type MatrixFile } from '@filigree/sparse/formats';
import {
  coversExactly,
  groupByShape,
  reconstructPattern,
  tracePattern,
  type PatternReconstruction,
  type TraceOrder,
} from '@filigree/sparse/trace';
import type { Backend } from '@filigree/backend';
import { readMatrixFile } from '../../files/read-matrix.js';
import { backendOf } from '../backend-of.js';
import type { CommonOptions } from '../common-options.js';
import { loadBaselines } from '../load-baselines.js';
import type { Session } from '../session.js';
import { benchSpmv, type SpmvSummary } from './spmv-bench.js';
import { spmvKernels, type SpmvKernels } from './spmv-kernels.js';
import { writeTrace } from './write-trace.js';

export interface TraceRunOptions extends CommonOptions {
  readonly maxDims: number;
  readonly maxPieces?: number;
  readonly order: 'row' | 'best';
  readonly bench?: boolean;
}

/** A matrix as pieces; `summary` is the JSON document. */
export interface TraceRun {
  readonly matrix: MatrixFile;
  readonly found: PatternReconstruction;
  readonly summary: TraceSummary;
  /** The kernels of `--bench` and `--emit`, for which there is a backend then. */
  readonly kernels?: SpmvKernels;
  readonly backend?: Backend;
}

export interface TraceSummary {
  readonly file: string;
  readonly rows: number;
  readonly cols: number;
  /** Entries of the full pattern: both triangles, each place once, zeros that are stored included. */
  readonly nnz: number;
  /** Entries as the file writes them. */
  readonly stored: number;
  readonly field: string;
  readonly symmetry: string;
  /** The order in which entries are visited. */
  readonly order: TraceOrder;
  readonly pieces: number;
  /** Pieces that differ in more than where they begin. */
  readonly shapes: number;
  /** Loops of the deepest piece, and their geometric mean over pieces; a piece of one point counts as one loop. */
  readonly maxDims: number;
  readonly meanDims: number;
  /** Whether the pieces give every entry once and in order. */
  readonly exact: boolean;
  /** Entries that pieces cover: fewer than all where `maxPieces` ended the search. */
  readonly covered: number;
  readonly limits: { readonly maxDims: number; readonly maxPieces: number | null };
  readonly ms: { readonly read: number; readonly reconstruct: number };
  readonly msPerPiece: number;
  readonly spmv?: SpmvSummary;
  readonly backend?: string;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
}

/** Rebuilds the pattern of a matrix file as pieces, checks them, and for `--bench` times products with a vector. */
export const runTrace = async (file: string, options: TraceRunOptions, session: Session): Promise<TraceRun> => {
  const { progress } = session;
  const { maxDims, maxPieces, dtype, threads } = options;
  const baselines = options.bench ? await loadBaselines() : undefined;
  const needed = options.bench === true || options.emit !== undefined;
  /* One that is named must work, whether or not something is compiled for it. */
  const named = needed || options.backend !== undefined ? await backendOf(options, session) : undefined;
  const backend = needed ? named : undefined;
  await progress.at(0, 'reading the matrix');
  const started = performance.now();
  const matrix = await readMatrixFile(file, { patternOnly: true });
  const { pattern } = matrix;
  const readAt = performance.now();
  await progress.at(0.02, 'rebuilding the non-zeros as pieces');
  const begun = performance.now();
  const found = orThrow(
    reconstructPattern(pattern, {
      maxDimensions: maxDims,
      ...(maxPieces === undefined ? {} : { maxPieces }),
      order: options.order,
      onProgress: reporter(session, options),
    }),
  );
  const reconstruct = performance.now() - begun;
  await progress.at(0.6, 'checking the pieces');
  const { exact } = coversExactly(found.pieces, tracePattern(pattern, found.order).streams);
  const kernels = backend && spmvKernels(pattern, found, dtype);
  /* Before anything runs, which it cannot where there is no such device. */
  if (options.emit !== undefined && backend && kernels) await writeTrace(options.emit, found.pieces, kernels, backend);
  const spmv =
    baselines && backend && kernels
      ? await benchSpmv(pattern, kernels, baselines, { ...options, backend }, session)
      : undefined;
  const dims = found.pieces.map((p) => p.levels.length);
  return {
    matrix,
    found,
    ...(kernels && backend ? { kernels, backend } : {}),
    summary: {
      file,
      rows: pattern.rows,
      cols: pattern.cols,
      nnz: pattern.colIdx.length,
      stored: matrix.stored,
      field: matrix.field,
      symmetry: matrix.symmetry,
      order: found.order,
      pieces: dims.length,
      shapes: groupByShape(found.pieces).length,
      maxDims: dims.reduce((a, b) => Math.max(a, b), 0),
      meanDims: Math.exp(dims.reduce((sum, d) => sum + Math.log(Math.max(1, d)), 0) / Math.max(1, dims.length)),
      exact,
      covered: found.covered,
      limits: { maxDims, maxPieces: maxPieces ?? null },
      ms: { read: readAt - started, reconstruct },
      msPerPiece: reconstruct / Math.max(1, dims.length),
      ...(spmv ? { spmv } : {}),
      ...(backend ? { backend: backend.name } : {}),
      dtype,
      threads,
    },
  };
};

/** Says now and then how far the search is; a bar is drawn more often than lines are written. */
const reporter = (
  { progress, terminal }: Session,
  { order }: TraceRunOptions,
): ((covered: number, total: number, order: TraceOrder) => void) => {
  const every = terminal.bar ? 150 : 4000;
  let last = performance.now();
  return (covered, total, now) => {
    if (performance.now() - last < every) return;
    last = performance.now();
    const part = covered / Math.max(1, total);
    const where = order === 'best' ? ` in ${now} order` : '';
    progress.show(0.02 + 0.58 * part, `rebuilding${where}: ${Math.floor(100 * part)} % of ${total} non-zeros`);
  };
};
