import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { type Diagnostics, type Kernel, type Module, fail } from '@filigree/ir';
import type { Artifact, Executable, LoadOptions, RunOptions } from '@filigree/backend';
import { attempt } from '../compile/attempt.js';
import { exportName } from '../emit/kernel.js';
import { checkSize } from '../emit/module.js';
import { type MemoryLayout, controlBlock, layoutMemory, mostThreads } from '../memory/layout.js';
import { helpersOf } from './helpers.js';
import { wasmArguments } from './arguments.js';
import { allocateMemory, bufferViews } from './memory.js';
import { type Runner, runnerOf } from './runner.js';
import { mathImports } from './script.js';
import { trapped } from './trap.js';

/**
 * Instantiates an artifact with a memory of its own. Runs and launches throw `DiagnosticError`: `run/…` on misuse, `run/trap`
 * when a kernel divided an integer by zero or the like; its results are then not to be used. Errors of loading: `load/…`, `wasm/…`.
 */
export const loadArtifact = (
  artifact: Artifact,
  module: Module,
  options: LoadOptions,
  shared: boolean,
): TaskEither<Diagnostics, Executable> =>
  attempt(async () => {
    const bytes =
      artifact.bytes ??
      fail('load/artifact', 'the artifact has no bytes', { remedy: "pass what this backend's compile made" });
    const defaults = threadsOf(options.threads ?? 1);
    const layout = layoutMemory(module);
    checkSize(module, layout);
    const code = await compiled(bytes);
    const memory = allocateMemory(module, layout, shared);
    const instance = await instantiated(code, memory);
    const pages = (instance.exports.pages as WebAssembly.Global | undefined)?.value as unknown;
    if (pages !== layout.pages || module.kernels.some((k) => !(exportName(k.name) in instance.exports)))
      fail('load/artifact', `the artifact was not made from module '${module.name}'`, {
        remedy: 'load it with the module that was emitted',
      });
    return executable(module, code, instance, memory, { ...layout, shared, defaults });
  });

interface Setting extends MemoryLayout {
  readonly shared: boolean;
  readonly defaults: number;
}

type KernelCall = readonly [name: string, args: readonly (number | bigint)[]];

const executable = (
  module: Module,
  code: WebAssembly.Module,
  instance: WebAssembly.Instance,
  memory: WebAssembly.Memory,
  setting: Setting,
): Executable => {
  const { control, shared, defaults } = setting;
  const kernels = new Map(module.kernels.map((k) => [k.name, k]));
  const helpers = helpersOf(code, memory, setting);
  const exports = instance.exports as Readonly<Record<string, (...args: readonly (number | bigint)[]) => unknown>>;
  const state: { disposed: boolean; running: boolean; runner: Runner | undefined } = {
    disposed: false,
    running: false,
    runner: undefined,
  };
  const mayWait = new Int32Array(memory.buffer, control + controlBlock.mayWait, 1);

  const ready = (options: RunOptions | undefined): void => {
    if (state.disposed)
      fail('run/disposed', `module @${module.name} was disposed of and cannot run`, { remedy: 'load it again' });
    if (state.running)
      fail('run/busy', `module @${module.name} is still running`, {
        remedy: 'await runAsync before the next run; load it twice to run twice at once',
      });
    const threads = options?.threads === undefined ? defaults : threadsOf(options.threads);
    helpers.use(shared ? threads : 1);
  };
  const all = (): readonly KernelCall[] => module.kernels.map((k) => [exportName(k.name), noArguments(k)]);
  const call = (calls: readonly KernelCall[]): void => {
    mayWait[0] = blocking() ? 1 : 0;
    try {
      for (const [name, args] of calls) exports[name](...args);
    } catch (e) {
      exports.abandon?.();
      if (e instanceof WebAssembly.RuntimeError) trapped(module, e.message);
      throw e;
    }
  };

  return {
    buffers: bufferViews(module, setting, memory),
    run: (options) => {
      const calls = all();
      ready(options);
      call(calls);
    },
    runAsync: async (options) => {
      const calls = all();
      ready(options);
      state.running = true;
      try {
        const runner = shared ? (state.runner ??= runnerOf(code, memory)) : undefined;
        if (runner === undefined) {
          await Promise.resolve();
          call(calls);
          return;
        }
        mayWait[0] = 1;
        const failure = await runner.run(calls);
        if (failure?.trap === true) trapped(module, failure.message);
        if (failure) throw new Error(failure.message);
      } finally {
        state.running = false;
        if (state.disposed) shutDown();
      }
    },
    launch: (name, args, options) => {
      const kernel =
        kernels.get(name) ??
        fail('run/kernel', `module @${module.name} has no kernel @${name}`, {
          remedy: `use one of ${[...kernels.keys()].map((k) => `@${k}`).join(', ')}`,
        });
      const checked = wasmArguments(kernel, args);
      ready(options);
      call([[exportName(name), checked]]);
    },
    dispose: () => {
      if (state.disposed) return;
      state.disposed = true;
      if (!state.running) shutDown();
    },
  };

  function shutDown(): void {
    helpers.dispose();
    state.runner?.dispose();
  }
};

const noArguments = (kernel: Kernel): readonly (number | bigint)[] =>
  kernel.params.length === 0
    ? []
    : fail('run/arguments', `kernel @${kernel.name} takes arguments, so the kernels cannot run all at once`, {
        remedy: 'launch them one by one',
      });

/** Bytes to code. Error: `wasm/compile`. */
const compiled = async (bytes: Uint8Array): Promise<WebAssembly.Module> => {
  try {
    return await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (e) {
    if (!(e instanceof WebAssembly.CompileError)) throw e;
    return fail('wasm/compile', `the WebAssembly engine refuses the module: ${e.message}`, {
      remedy:
        'if a function is too large, split the kernel or do not unroll it; else clear the cache folder and compile again',
    });
  }
};

const instantiated = async (code: WebAssembly.Module, memory: WebAssembly.Memory): Promise<WebAssembly.Instance> => {
  try {
    return await WebAssembly.instantiate(code, { filigree: { memory }, math: mathImports() });
  } catch (e) {
    if (!(e instanceof WebAssembly.LinkError)) throw e;
    return fail('load/artifact', `the artifact does not fit the module: ${e.message}`, {
      remedy: 'load it with the module that was emitted',
    });
  }
};

const threadsOf = (threads: number): number =>
  Number.isInteger(threads) && threads >= 1 && threads <= mostThreads
    ? threads
    : fail('run/threads', `the number of threads must be an integer from 1 to ${mostThreads}, it is ${threads}`, {
        remedy: 'pass such a number',
      });

/** Whether this thread may sleep: the main thread of a browser may not. */
const blocking = (): boolean => {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
};
