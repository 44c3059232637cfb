import koffi from 'koffi';
import { fail } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import { buildLibrary, type NativeSource } from './build.js';
import { findCompiler, findEigen, type Found } from './toolchain.js';

/** Precision of a baseline; inputs are rounded to it on their way in. */
export type DType = 'f32' | 'f64';

/** The inputs of a baseline by slot, as the head of its source says. */
export interface BaselineInputs {
  readonly matrices?: readonly Csr<ArrayLike<number>>[];
  readonly reals?: readonly ArrayLike<number>[];
  readonly integers?: readonly ArrayLike<number>[];
}

/** A compiled baseline with its inputs set. Its memory lives until `close`. */
export interface NativeBaseline {
  /** The whole computation once. */
  readonly run: () => void;
  /** Its values alone, before they are assembled to a matrix. */
  readonly runValues: () => void;
  readonly matrix: (slot: number) => Csr<Float64Array>;
  readonly reals: (slot: number) => Float64Array;
  readonly close: () => void;
}

/**
 * Builds (or finds in the cache), loads and prepares the baseline in `native/NAME.cpp`. `missing` says why it cannot be had on
 * this machine; a source that does not compile is an error.
 */
export const nativeBaseline = (
  name: string,
  dtype: DType,
  inputs: BaselineInputs,
  options: { readonly eigen: boolean; readonly defines?: Readonly<Record<string, string>> },
): Found<NativeBaseline> => {
  const compiler = findCompiler();
  if ('missing' in compiler) return compiler;
  const eigen = options.eigen ? findEigen() : undefined;
  if (eigen && 'missing' in eigen) return eigen;
  const source: NativeSource = {
    file: `${name}.cpp`,
    defines: { SCALAR: dtype === 'f32' ? 'float' : 'double', ...options.defines },
  };
  return { found: load(name, buildLibrary(source, compiler.found, eigen?.found), dtype, inputs) };
};

const load = (name: string, library: string, dtype: DType, inputs: BaselineInputs): NativeBaseline => {
  const lib = koffi.load(library);
  const scalar = dtype === 'f32' ? 'float' : 'double';
  const scalars = (n: number): Float32Array | Float64Array =>
    dtype === 'f32' ? new Float32Array(n) : new Float64Array(n);
  const rounded = (v: ArrayLike<number>): Float32Array | Float64Array =>
    dtype === 'f32' ? Float32Array.from(v) : Float64Array.from(v);
  const bind = (result: string, fn: string, args: string): NativeFunction =>
    lib.func(`${result} baseline_${fn}(${args})`);

  const setMatrix = bind(
    'int',
    'set_matrix',
    `void *h, int slot, int rows, int cols, const int *ptr, const int *idx, const ${scalar} *val`,
  );
  const setReals = bind('int', 'set_reals', `void *h, int slot, int n, const ${scalar} *v`);
  const setIntegers = bind('int', 'set_integers', 'void *h, int slot, int n, const int *v');
  const run = bind('int', 'run', 'void *h');
  const runValues = bind('int', 'run_values', 'void *h');
  const matrixSize = bind('int', 'matrix_size', 'void *h, int slot, int *size');
  const getMatrix = bind('int', 'get_matrix', `void *h, int slot, int *ptr, int *idx, ${scalar} *val`);
  const length = bind('int', 'length', 'void *h, int slot');
  const getReals = bind('int', 'get_reals', `void *h, int slot, ${scalar} *out`);

  const must = (ok: number): void => {
    if (ok !== 1)
      fail('bench/out-of-memory', `the baseline ${name} ran out of memory`, { remedy: 'measure a smaller case' });
  };
  const handle: unknown = bind('void *', 'create', '')();
  if (handle === null) must(0);
  inputs.matrices?.forEach(({ pattern: p, values }, slot) =>
    must(setMatrix(handle, slot, p.rows, p.cols, p.rowPtr, p.colIdx, rounded(values))),
  );
  inputs.reals?.forEach((v, slot) => must(setReals(handle, slot, v.length, rounded(v))));
  inputs.integers?.forEach((v, slot) => must(setIntegers(handle, slot, v.length, Int32Array.from(v))));
  must(bind('int', 'prepare', 'void *h')(handle));

  return {
    run: () => must(run(handle)),
    runValues: () => must(runValues(handle)),
    matrix: (slot) => {
      const size = new Int32Array(3);
      must(matrixSize(handle, slot, size));
      const [rows, cols, nnz] = size;
      const rowPtr = new Int32Array(rows + 1);
      const colIdx = new Int32Array(nnz);
      const values = scalars(nnz);
      must(getMatrix(handle, slot, rowPtr, colIdx, values));
      return { pattern: { rows, cols, rowPtr, colIdx }, values: Float64Array.from(values) };
    },
    reals: (slot) => {
      const out = scalars(length(handle, slot));
      must(getReals(handle, slot, out));
      return Float64Array.from(out);
    },
    close: () => {
      bind('void', 'destroy', 'void *h')(handle);
      lib.unload();
    },
  };
};

type NativeFunction = ReturnType<ReturnType<typeof koffi.load>['func']>;
