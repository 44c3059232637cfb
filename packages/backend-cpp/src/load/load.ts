import type koffi from 'koffi';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import {
  type Artifact,
  type Executable,
  type LoadOptions,
  type RunOptions,
  kernelNames,
  statusCodes,
} from '@filigree/backend';
import { loadSpec, runSpec } from '@filigree/backend/options';
import {
  type Diagnostics,
  type Kernel,
  type Module,
  type Scalar,
  type ScalarType,
  argumentsInto,
  attempt,
  fail,
  checkOptions,
} from '@filigree/ir';
import { type Slab, allocateSlab } from './slab.js';

/**
 * Opens a compiled module in this process. Runs and launches throw `DiagnosticError`: `run/…` on misuse, `run/trap` when a
 * kernel divided an integer by zero or the like; its results are then not to be used. Errors of loading: `load/…`.
 */
export const loadArtifact = (
  artifact: Artifact,
  module: Module,
  options?: LoadOptions,
): TaskEither<Diagnostics, Executable> =>
  attempt(async () => {
    const path =
      artifact.path ??
      fail('load/artifact', 'the artifact has no file', { remedy: "pass what this backend's compile made" });
    const ffi = await foreignFunctions();
    const defaults = checkOptions('load', options, loadSpec).threads ?? 1;
    const library = open(ffi, path);
    try {
      return executable(library, module, allocateSlab(module, ffi), defaults);
    } catch (e) {
      library.release();
      throw e;
    }
  });

/** A shared library, and how to let go of it. */
interface Library {
  readonly func: (name: string, result: string, parameters: readonly string[]) => Entry;
  readonly release: () => void;
}

type Entry = ReturnType<ReturnType<typeof koffi.load>['func']>;

const foreignFunctions = async (): Promise<typeof koffi> => {
  try {
    return (await import('koffi')).default;
  } catch (e) {
    return fail('load/ffi', `the foreign function library koffi does not load: ${message(e)}`, {
      remedy: 'reinstall it for this platform (npm rebuild koffi), or use the wasm backend',
    });
  }
};

const open = (ffi: typeof koffi, path: string): Library => {
  try {
    const library = ffi.load(path);
    return {
      func: (name, result, parameters) => library.func(name, result, [...parameters]),
      /* The code itself stays where it was linked to stay, see compile/flags.ts; elsewhere it is left alone. */
      release: () => {
        if (process.platform === 'linux') library.unload();
      },
    };
  } catch (e) {
    return fail('load/library', `${path} cannot be opened: ${message(e)}`, {
      remedy: 'clear the cache folder and compile again',
    });
  }
};

const message = (e: unknown): string => (e instanceof Error ? e.message : String(e));

const executable = (library: Library, module: Module, slab: Slab, defaultThreads: number): Executable => {
  const names = kernelNames(module);
  const launches = new Map(
    module.kernels.map((k, n) => [k.name, launchOf(entry(library, `filigree_kernel_${names[n]}`, k), slab, k)]),
  );
  const needy = module.kernels.find((k) => k.params.length > 0);
  const runAll = needy ? undefined : launchOf(entry(library, 'filigree_run'), slab);
  const state = { disposed: false, running: 0 };

  const ready = (): void => {
    if (state.disposed)
      fail('run/disposed', `module @${module.name} was disposed of and cannot run`, { remedy: 'load it again' });
    if (state.running > 0)
      fail('run/busy', `module @${module.name} is still running`, {
        remedy: 'await runAsync before the next run; load it twice to run twice at once',
      });
  };
  const all = (): Launch =>
    runAll ??
    fail('run/arguments', `kernel @${needy!.name} takes arguments, so the kernels cannot run all at once`, {
      remedy: 'launch them one by one',
    });
  const threads = (options: RunOptions | undefined): number =>
    options === undefined ? defaultThreads : (checkOptions('run', options, runSpec).threads ?? defaultThreads);
  const unload = (): void => {
    if (state.disposed && state.running === 0) library.release();
  };

  const launchNamed = (name: string): Launch =>
    launches.get(name) ??
    fail('run/kernel', `module @${module.name} has no kernel @${name}`, {
      remedy: `use one of ${[...launches.keys()].map((k) => `@${k}`).join(', ')}`,
    });
  const inBackground = async (launch: Launch, args: readonly Scalar[], count: number): Promise<void> => {
    launch.bind(args, count);
    state.running++;
    try {
      check(module, await launch.callAsync());
    } finally {
      state.running--;
      unload();
    }
  };

  return {
    buffers: slab.buffers,
    run: (options) => {
      ready();
      const launch = all();
      launch.bind([], threads(options));
      check(module, launch.call());
    },
    runAsync: async (options) => {
      ready();
      await inBackground(all(), [], threads(options));
    },
    launch: (name, args, options) => {
      ready();
      const launch = launchNamed(name);
      launch.bind(args, threads(options));
      check(module, launch.call());
    },
    launchAsync: async (name, args, options) => {
      ready();
      await inBackground(launchNamed(name), args, threads(options));
    },
    dispose: () => {
      if (state.disposed) return;
      state.disposed = true;
      unload();
    },
  };
};

/** An entry point with its arguments in place; all that can be is made once, since small kernels are launched often. */
interface Launch {
  readonly bind: (args: readonly Scalar[], threads: number) => void;
  /** The status that the kernel ends with. */
  readonly call: () => number;
  readonly callAsync: () => Promise<number>;
}

type Call = (...args: readonly unknown[]) => number;

const launchOf = (entry: Entry, slab: Slab, kernel?: Kernel): Launch => {
  const own = kernel?.params.length ?? 0;
  const frame: unknown[] = [slab.start, slab.offsets, 1, ...new Array<Scalar>(own).fill(0)];
  const bind = kernel && argumentsInto(kernel, frame, 3);
  const call = entry as Call;
  return {
    bind: (args, threads) => {
      bind?.(args);
      frame[2] = threads;
    },
    call: () => call(...frame),
    callAsync: () =>
      new Promise((resolve, reject) => {
        entry.async(...frame, (error: unknown, status: number) => (error ? reject(error as Error) : resolve(status)));
      }),
  };
};

const entry = (library: Library, name: string, kernel?: Kernel): Entry => {
  try {
    const scalars = (kernel?.params ?? []).map((p) => foreignType[p.type as ScalarType]);
    return library.func(name, 'int', ['void *', 'void *', 'int', ...scalars]);
  } catch (e) {
    return fail('load/entry', `the library has no entry point ${name}: ${message(e)}`, {
      remedy: 'compile the sources of this very module',
    });
  }
};

const foreignType: Readonly<Record<ScalarType, string>> = {
  i1: 'bool',
  i8: 'int8_t',
  i16: 'int16_t',
  i32: 'int32_t',
  i64: 'int64_t',
  u8: 'uint8_t',
  u16: 'uint16_t',
  u32: 'uint32_t',
  u64: 'uint64_t',
  f32: 'float',
  f64: 'double',
};

const check = (module: Module, status: number): void => {
  if (status === 0) return;
  const what = traps[status] ?? `status ${status}`;
  fail('run/trap', `module @${module.name} stopped: ${what}; its results are not to be used`, {
    remedy: 'check the inputs; the interpreter names the op',
  });
};

const traps: Readonly<Record<number, string>> = {
  [statusCodes.divisionByZero]: 'an integer was divided by zero',
  [statusCodes.step]: 'the step of a loop was not positive',
  [statusCodes.bounds]: 'an index was outside its buffer',
};
