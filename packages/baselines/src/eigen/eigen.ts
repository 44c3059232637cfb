import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { samePattern, type Csr, type Expr } from '@filigree/sparse/formats';
import type { Baseline, Running } from '../baseline.js';
import { folderWith } from '../headers.js';
import { near } from '../near.js';
import { eigenSource } from './eigen-source.js';

export interface EigenProblem {
  readonly root: Expr;
  readonly matrices: Readonly<Record<string, Csr<ArrayLike<number>>>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly dtype: 'f32' | 'f64';
  /** What the expression comes to, and how far a value may be from it relative to the largest. */
  readonly expected: Csr<Float64Array>;
  readonly tolerance: number;
}

export interface RunningEigen extends Running {
  readonly run: () => void;
  /** What the last run came to; nothing where memory ran out. */
  readonly result: () => Csr<ArrayLike<number>> | undefined;
}

/** An expression over sparse matrices compiled with Eigen, where its headers are. */
export const eigen: Baseline<EigenProblem, RunningEigen> = {
  name: 'eigen',
  called: 'the Eigen form',
  source: async (problem, { target }) => {
    const headers = await eigenFolder();
    if (headers === undefined)
      return 'the headers of Eigen were not found (Debian, Ubuntu: apt install libeigen3-dev; elsewhere set EIGEN_DIR)';
    const release = await readFile(join(headers, 'Eigen', 'src', 'Core', 'util', 'Macros.h'), 'utf8').catch(() => '');
    return {
      text: eigenSource(problem.root, Object.keys(problem.matrices), problem.numbers, scalarOf(problem)),
      flags: [...FLAGS, ...target, `-I${headers}`],
      key: [release],
    };
  },
  open: async (path, problem) => {
    const { default: koffi } = await import('koffi');
    const library = koffi.load(path);
    const scalar = scalarOf(problem);
    const create = library.func('void *baseline_new()');
    const destroy = library.func('void baseline_delete(void *c)');
    const set = library.func(
      `int baseline_set(void *c, int slot, int rows, int cols, const int *ptr, const int *idx, const ${scalar} *val)`,
    );
    const runOnce = library.func('int baseline_run(void *c)');
    const entries = library.func('int baseline_entries(void *c)');
    const get = library.func(`int baseline_get(void *c, _Out_ int *ptr, _Out_ int *idx, _Out_ ${scalar} *val)`);

    const handle: unknown = create();
    const close = (): void => {
      destroy(handle);
      library.unload();
    };
    const Values = scalar === 'float' ? Float32Array : Float64Array;
    const filled = Object.values(problem.matrices).every(
      ({ pattern: p, values }, slot) =>
        set(handle, slot, p.rows, p.cols, p.rowPtr, p.colIdx, Values.from(values)) === 1,
    );
    if (!filled || runOnce(handle) !== 1) {
      close();
      return NO_MEMORY;
    }
    const { rows, cols } = problem.expected.pattern;
    return {
      run: () => void runOnce(handle),
      result: () => {
        const n = entries(handle) as number;
        const [rowPtr, colIdx, values] = [new Int32Array(rows + 1), new Int32Array(n), new Values(n)];
        return get(handle, rowPtr, colIdx, values) === 1
          ? { pattern: { rows, cols, rowPtr, colIdx }, values }
          : undefined;
      },
      close,
    };
  },
  fault: ({ result }, { expected, tolerance }) => {
    const found = result();
    if (found === undefined) return NO_MEMORY;
    return samePattern(expected.pattern, found.pattern) && near(found.values, expected.values, tolerance)
      ? undefined
      : 'Eigen comes to another result';
  },
};

/* The flags of the paper's evaluation (§5). */
const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG', '-ffast-math'];

const NO_MEMORY = 'Eigen ran out of memory';

const scalarOf = ({ dtype }: EigenProblem): 'float' | 'double' => (dtype === 'f32' ? 'float' : 'double');

const eigenFolder = (): Promise<string | undefined> => {
  const named = process.env['EIGEN_DIR'];
  const usual = ['/usr/include/eigen3', '/usr/local/include/eigen3', '/opt/homebrew/include/eigen3'];
  return folderWith('Eigen/Sparse', named ? [named] : usual);
};
