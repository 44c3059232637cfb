import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { findToolchain, type Toolchain } from '@filigree/backend';
import { samePattern, type Csr, type Expr } from '@filigree/sparse/formats';
import { eigenSource } from './eigen-source.js';
import { nativeLibrary } from '../native-library.js';

/** A baseline ready to run. */
export interface EigenBaseline {
  readonly run: () => void;
  readonly close: () => void;
}

export interface EigenProblem {
  readonly root: Expr;
  readonly matrices: Readonly<Record<string, Csr<ArrayLike<number>>>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly dtype: 'f32' | 'f64';
  /** What the expression comes to, and how far a value may be from it relative to the largest. */
  readonly expected: Csr<Float64Array>;
  readonly tolerance: number;
}

/**
 * The expression compiled with Eigen, where there are a compiler and Eigen's headers, and where its result is right; else why
 * there is none.
 */
export const eigenBaseline = async (
  problem: EigenProblem,
  cache: string | false | undefined,
): Promise<EigenBaseline | string> => {
  const toolchain = await findToolchain()();
  if (E.isLeft(toolchain)) return toolchain.left[0].message;
  const headers = await eigenFolder();
  if (headers === undefined)
    return 'the headers of Eigen were not found (Debian, Ubuntu: apt install libeigen3-dev; elsewhere set EIGEN_DIR)';
  const names = Object.keys(problem.matrices);
  const source = eigenSource(problem.root, names, problem.numbers, scalarOf(problem));
  const library = await build(source, toolchain.right, headers, cache);
  return 'path' in library ? load(library.path, problem) : `the Eigen form does not compile: ${library.failure}`;
};

const scalarOf = ({ dtype }: EigenProblem): 'float' | 'double' => (dtype === 'f32' ? 'float' : 'double');

const eigenFolder = async (): Promise<string | undefined> => {
  const named = process.env['EIGEN_DIR'];
  const usual = ['/usr/include/eigen3', '/usr/local/include/eigen3', '/opt/homebrew/include/eigen3'];
  for (const folder of named ? [named] : usual)
    if (
      await access(join(folder, 'Eigen', 'Sparse')).then(
        () => true,
        () => false,
      )
    )
      return folder;
  return undefined;
};

/* The flags of the paper's evaluation (§5). */
const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG', '-ffast-math'];

const build = async (
  source: string,
  toolchain: Toolchain,
  headers: string,
  cache: string | false | undefined,
): ReturnType<typeof nativeLibrary> => {
  const release = await readFile(join(headers, 'Eigen', 'src', 'Core', 'util', 'Macros.h'), 'utf8').catch(() => '');
  const flags = [...FLAGS, ...toolchain.target, `-I${headers}`];
  return nativeLibrary(toolchain, { text: source, flags, key: [release] }, cache);
};

const load = async (path: string, problem: EigenProblem): Promise<EigenBaseline | string> => {
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
  const { pattern, values: expected } = problem.expected;
  const Values = scalar === 'float' ? Float32Array : Float64Array;
  const result = (): Csr<ArrayLike<number>> | undefined => {
    for (const [slot, { pattern: p, values }] of Object.values(problem.matrices).entries())
      if (set(handle, slot, p.rows, p.cols, p.rowPtr, p.colIdx, Values.from(values)) !== 1) return undefined;
    if (runOnce(handle) !== 1) return undefined;
    const n = entries(handle) as number;
    const [rowPtr, colIdx, values] = [new Int32Array(pattern.rows + 1), new Int32Array(n), new Values(n)];
    if (get(handle, rowPtr, colIdx, values) !== 1) return undefined;
    return { pattern: { rows: pattern.rows, cols: pattern.cols, rowPtr, colIdx }, values };
  };
  const found = result();
  if (found && samePattern(pattern, found.pattern) && near(found.values, expected, problem.tolerance))
    return { run: () => void runOnce(handle), close };
  close();
  return found ? 'Eigen comes to another result' : 'Eigen ran out of memory';
};

const near = (found: ArrayLike<number>, expected: Float64Array, tolerance: number): boolean => {
  const largest = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.every((x, i) => Math.abs(found[i] - x) <= tolerance * largest);
};
