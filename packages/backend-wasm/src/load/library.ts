import type { CommandList, Library, Placement } from '@filigree/backend/device';
import { type Kernel, type Module, type Scalar, type ScalarType, argumentsInto, fail, isWide } from '@filigree/ir';
import { exportName } from '../memory/export-name.js';
import { type MemoryLayout, controlBlock } from '../memory/layout.js';
import { helpersOf } from './helpers.js';
import { isShared, webMemoryOf } from './memory.js';
import { type Runner, runnerOf } from './runner.js';
import { trapped } from './trap.js';

/** The kernels of an instance over memory that exists; a list of launches goes to a thread in the background in one message. */
export const libraryOf = (
  module: Module,
  code: WebAssembly.Module,
  { exports }: WebAssembly.Instance,
  placement: Placement,
  layout: MemoryLayout,
): Library => {
  const memory = webMemoryOf(placement.memory);
  const shared = isShared(memory);
  const kernels = new Map(module.kernels.map((k) => [k.name, k]));
  const helpers = helpersOf(code, memory, layout);
  const abandon = exports.abandon as (() => void) | undefined;
  const mayWait = new Int32Array(memory.buffer, layout.control + controlBlock.mayWait, 1);
  const background: { runner: Runner | undefined } = { runner: undefined };

  const prepare = (threads: number): void => helpers.use(shared ? threads : 1);
  const run = (calls: readonly KernelCall[]): void => {
    mayWait[0] = blocking() ? 1 : 0;
    try {
      for (const c of calls) c.function(...c.args);
    } catch (e) {
      abandon?.();
      if (e instanceof WebAssembly.RuntimeError) trapped(module, e.message);
      throw e;
    }
  };
  const runAsync = async (calls: readonly KernelCall[]): Promise<void> => {
    if (background.runner?.ended()) background.runner = undefined;
    const runner = (background.runner ??= runnerOf(code, memory));
    if (runner === undefined) {
      await Promise.resolve();
      return run(calls);
    }
    mayWait[0] = 1;
    const failure = await runner.run(calls.map((c) => [c.name, c.args]));
    if (failure?.trap === true) trapped(module, failure.message);
    if (!failure) return;
    abandon?.();
    fail('run/thread', `the thread that ran module @${module.name} failed: ${failure.message}`, {
      remedy: 'fill the inputs and run again, on another thread; where memory ran out, free some first',
    });
  };

  return {
    placement,
    commands: (list): CommandList => {
      const calls = list.map(({ kernel, args }) => {
        const call = callOf(kernels.get(kernel)!, exports);
        call.bind(args);
        return call;
      });
      return {
        set: (k, args) => calls[k]!.bind(args),
        run: (threads) => {
          prepare(threads);
          run(calls);
        },
        ...(shared && {
          runAsync: async (threads) => {
            prepare(threads);
            await runAsync(calls);
          },
        }),
      };
    },
    dispose: () => {
      helpers.dispose();
      background.runner?.dispose();
    },
  };
};

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
