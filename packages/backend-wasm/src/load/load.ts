import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import {
  type Diagnostics,
  type Kernel,
  type Module,
  type Scalar,
  type ScalarType,
  argumentsInto,
  attempt,
  fail,
  isWide,
  checkOptions,
} from '@filigree/ir';
import type { Artifact, Executable, LoadOptions, RunOptions } from '@filigree/backend';
import { loadSpec, runSpec } from '@filigree/backend/options';
import { exportName } from '../emit/kernel.js';
import { checkSize } from '../emit/module.js';
import { type MemoryLayout, controlBlock, layoutMemory } from '../memory/layout.js';
import { helpersOf } from './helpers.js';
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
  options: LoadOptions | undefined,
  shared: boolean,
): TaskEither<Diagnostics, Executable> =>
  attempt(async () => {
    const bytes =
      artifact.bytes ??
      fail('load/artifact', 'the artifact has no bytes', { remedy: "pass what this backend's compile made" });
    const defaults = checkOptions('load', options, loadSpec).threads ?? 1;
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

/** A kernel with its arguments in place; all that can be is made once, since small kernels are launched often. */
interface KernelCall {
  readonly name: string;
  readonly function: (...args: readonly (number | bigint)[]) => unknown;
  readonly args: readonly (number | bigint)[];
  readonly bind: (args: readonly Scalar[]) => void;
}

const callOf = (kernel: Kernel, exports: WebAssembly.Exports): KernelCall => {
  const name = exportName(kernel.name);
  const args = new Array<number | bigint>(kernel.params.length).fill(0);
  const bind = argumentsInto(kernel, args, 0, wasmArgument);
  return { name, function: exports[name] as KernelCall['function'], args, bind };
};

const wasmArgument = (type: ScalarType, value: Scalar): number | bigint =>
  isWide(type) ? BigInt(value) : Number(value);

const executable = (
  module: Module,
  code: WebAssembly.Module,
  instance: WebAssembly.Instance,
  memory: WebAssembly.Memory,
  setting: Setting,
): Executable => {
  const { control, shared, defaults } = setting;
  const calls = new Map(module.kernels.map((k) => [k.name, callOf(k, instance.exports)]));
  const needy = module.kernels.find((k) => k.params.length > 0);
  const inOrder = module.kernels.map((k) => calls.get(k.name)!);
  const helpers = helpersOf(code, memory, setting);
  const abandon = instance.exports.abandon as (() => void) | undefined;
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
    const threads = options === undefined ? defaults : (checkOptions('run', options, runSpec).threads ?? defaults);
    helpers.use(shared ? threads : 1);
  };
  const all = (): readonly KernelCall[] =>
    needy === undefined
      ? inOrder
      : fail('run/arguments', `kernel @${needy.name} takes arguments, so the kernels cannot run all at once`, {
          remedy: 'launch them one by one',
        });
  const bound = (name: string, args: readonly Scalar[]): KernelCall => {
    const call =
      calls.get(name) ??
      fail('run/kernel', `module @${module.name} has no kernel @${name}`, {
        remedy: `use one of ${[...calls.keys()].map((k) => `@${k}`).join(', ')}`,
      });
    call.bind(args);
    return call;
  };
  const run = (list: readonly KernelCall[]): void => {
    mayWait[0] = blocking() ? 1 : 0;
    try {
      for (const c of list) c.function(...c.args);
    } catch (e) {
      abandon?.();
      if (e instanceof WebAssembly.RuntimeError) trapped(module, e.message);
      throw e;
    }
  };
  const inBackground = async (list: readonly KernelCall[]): Promise<void> => {
    state.running = true;
    try {
      if (state.runner?.ended()) state.runner = undefined;
      const runner = shared ? (state.runner ??= runnerOf(code, memory)) : undefined;
      if (runner === undefined) {
        await Promise.resolve();
        run(list);
        return;
      }
      mayWait[0] = 1;
      const failure = await runner.run(list.map((c) => [c.name, c.args]));
      if (failure?.trap === true) trapped(module, failure.message);
      if (!failure) return;
      abandon?.();
      fail('run/thread', `the thread that ran module @${module.name} failed: ${failure.message}`, {
        remedy: 'fill the inputs and run again, on another thread; where memory ran out, free some first',
      });
    } finally {
      state.running = false;
      if (state.disposed) shutDown();
    }
  };

  return {
    buffers: bufferViews(module, setting, memory),
    run: (options) => {
      const list = all();
      ready(options);
      run(list);
    },
    runAsync: async (options) => {
      const list = all();
      ready(options);
      await inBackground(list);
    },
    launch: (name, args, options) => {
      ready(options);
      const call = bound(name, args);
      run([call]);
    },
    launchAsync: async (name, args, options) => {
      ready(options);
      const call = bound(name, args);
      await inBackground([call]);
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

/** Whether this thread may sleep: the main thread of a browser may not. */
const blocking = (): boolean => (sleeps.here ??= triesToSleep());

const sleeps: { here?: boolean } = {};

const triesToSleep = (): boolean => {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
};
