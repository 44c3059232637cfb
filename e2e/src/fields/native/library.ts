import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import koffi from 'koffi';
import {
  cachedFile,
  contentHash,
  findToolchain,
  firstLines,
  runProcess,
  type Toolchain,
} from '@filigree/backend/native';
import { fail } from '@filigree/ir';

export type DType = 'f32' | 'f64';

/** A baseline by hand, compiled and loaded. It stays loaded to the end of the process: OpenMP's threads outlive its calls. */
export interface NativeLibrary {
  readonly dtype: DType;
  /** An exported function by its C prototype, in which `Real` is the library's floating-point type. */
  readonly func: (prototype: string) => (...args: readonly NativeArgument[]) => NativeResult;
  /** An array of the library's floating-point type. */
  readonly reals: (values: ArrayLike<number> | number) => Float32Array | Float64Array;
}

/** What goes into a native function: numbers, arrays and handles it gave. */
export type NativeArgument = NativeResult | Float32Array | Float64Array | Int32Array | Uint32Array;
export type NativeResult = number | object | null | undefined;

/** The sources of the baselines by hand. */
export const NATIVE_FIELDS = fileURLToPath(new URL('../../../../tools/bench/native/fields/', import.meta.url));
export const NATIVE_TENSORS = fileURLToPath(new URL('../../../../tools/bench/native/tensors/', import.meta.url));

export interface NativeOptions {
  /** Where the source is; default those of fields. */
  readonly folder?: string;
  /** Numbers that the source is compiled for, by the names of its macros. */
  readonly defines?: Readonly<Record<string, number>>;
}

/** Flags of the baselines by hand: all that the instruction set has, floating point as fast as it goes. */
export const nativeFlags = ({ target }: Toolchain): readonly string[] => [
  '-std=c++17',
  '-O3',
  ...target,
  '-ffast-math',
  '-fopenmp',
  '-fPIC',
];

/**
 * Compiles (or finds in the cache) and loads the baseline `NAME.cpp`, with the C++ compiler that Filigree's own kernels are
 * compiled with. A sentence instead where there is no compiler with OpenMP; fails with `bench/compile` where the source does
 * not compile.
 */
export const nativeLibrary = async (
  name: string,
  dtype: DType,
  { folder = NATIVE_FIELDS, defines = {} }: NativeOptions = {},
): Promise<NativeLibrary | string> => {
  const found = await findToolchain()();
  if (E.isLeft(found)) return found.left[0].message;
  const toolchain = found.right;
  if (!toolchain.openmp) return `${toolchain.version} has no OpenMP`;
  const source = join(folder, `${name}.cpp`);
  const scalar = dtype === 'f32' ? 'float' : 'double';
  const macros = [`-DSCALAR=${scalar}`, ...Object.entries(defines).map(([macro, n]) => `-D${macro}=${n}`)];
  const { path } = await cachedFile({
    cache: undefined,
    key: contentHash(
      'fields',
      await readFile(source, 'utf8'),
      toolchain.version,
      toolchain.cpu,
      ...macros,
      ...nativeFlags(toolchain),
    ),
    file: `${name}.so`,
    build: async (file) => {
      const object = join(dirname(file), 'baseline.o');
      await compile(toolchain, [...nativeFlags(toolchain), ...macros, '-c', source, '-o', object]);
      // Linked without -ffast-math, for which gcc adds start-up code that turns off subnormals in the whole process.
      const keep = process.platform === 'linux' ? ['-Wl,-z,nodelete'] : [];
      await compile(toolchain, ['-shared', '-fopenmp', ...keep, object, '-o', file]);
    },
  });
  const library = koffi.load(path);
  return {
    dtype,
    func: (prototype) => library.func(prototype.replaceAll('Real', scalar)),
    reals: (values) => {
      const Reals = dtype === 'f32' ? Float32Array : Float64Array;
      return typeof values === 'number' ? new Reals(values) : Reals.from(values);
    },
  };
};

const compile = async ({ path, args }: Toolchain, rest: readonly string[]): Promise<void> => {
  const done = await runProcess(path, [...args, ...rest]);
  if (done.status !== 0)
    fail('bench/compile', `${path} failed:\n${firstLines(done.stderr) || (done.failure ?? '')}`, {
      remedy: 'set FILIGREE_CXX to a C++17 compiler with OpenMP',
    });
};
