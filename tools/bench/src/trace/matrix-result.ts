import { basename } from 'node:path';
import { runCommandLine } from 'filigree/command-line';
import type { Instructions } from './instructions.js';

/** What `filigree trace --json` answers, as far as the tables need it. */
export interface TraceAnswer {
  readonly rows: number;
  readonly nnz: number;
  readonly order: string;
  readonly pieces: number;
  readonly maxDims: number;
  readonly meanDims: number;
  readonly exact: boolean;
  readonly ms: { readonly reconstruct: number };
  readonly spmv?: SpmvAnswer;
}

export interface SpmvAnswer {
  readonly chosen: string;
  readonly affineMs: number | null;
  readonly csrMs: number;
  readonly csrTunedMs: number | null;
  readonly chosenMs: number;
  readonly speedup: number;
  readonly speedupTuned: number | null;
  readonly speedupAffine: number | null;
  /** By MKL, where it was found. */
  readonly mklMs?: number | null;
  /** Of calls with nothing in caches. */
  readonly coldMs?: Readonly<Record<string, number | undefined>>;
  readonly check: { readonly passed: boolean };
}

/** One matrix: its pieces row after row, with the product by a vector, and in the best order. */
export interface MatrixResult {
  readonly name: string;
  readonly row: TraceAnswer;
  readonly best?: TraceAnswer;
  /** Where they could be counted. */
  readonly instructions?: Instructions;
}

export interface MeasureMatrix {
  readonly spmv: boolean;
  readonly best: boolean;
  readonly backend?: string;
  readonly threads: number;
}

/** Measures a matrix by the command itself, in this process. */
export const measureMatrix = async (file: string, options: MeasureMatrix): Promise<MatrixResult | string> => {
  const target = [
    ...(options.backend === undefined ? [] : ['--backend', options.backend]),
    '--threads',
    String(options.threads),
  ];
  const row = await trace(file, [...(options.spmv ? ['--bench'] : []), ...target]);
  if (typeof row === 'string') return row;
  const best = options.best && row.pieces > 1 ? await trace(file, ['--order', 'best']) : row;
  return typeof best === 'string' ? best : { name: nameOf(file), row, ...(options.best ? { best } : {}) };
};

/** One run of `filigree trace`, or what it refuses. */
export const trace = async (file: string, options: readonly string[]): Promise<TraceAnswer | string> => {
  let out = '';
  const terminal = { out: (t: string) => void (out += t), err: () => undefined };
  await runCommandLine(['trace', file, '--json', ...options], terminal);
  const answer = JSON.parse(out) as TraceAnswer & {
    readonly error?: { readonly code: string; readonly message: string };
  };
  return answer.error ? `${answer.error.code}: ${answer.error.message}` : answer;
};

export const nameOf = (file: string): string => basename(file).replace(/\.(mtx|rua|rsa)(\.gz)?$/i, '');
