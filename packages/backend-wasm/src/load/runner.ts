import { type Thread, startThread } from '../node/threads.js';
import { threadScript } from './script.js';

/** A thread that runs kernels while the caller does something else. */
export interface Runner {
  /** Runs kernels in order; resolves with what went wrong, if anything. */
  readonly run: (calls: readonly (readonly [string, readonly (number | bigint)[]])[]) => Promise<Failure | undefined>;
  /** Whether the thread has ended, so that nobody would answer. */
  readonly ended: () => boolean;
  readonly dispose: () => void;
}

export interface Failure {
  readonly trap: boolean;
  readonly message: string;
}

/** A runner of a module with shared memory, or `undefined` where there are no threads. */
export const runnerOf = (module: WebAssembly.Module, memory: WebAssembly.Memory): Runner | undefined => {
  const state = { ended: false };
  const waiting: { resolve: ((failure: Failure | undefined) => void) | undefined } = { resolve: undefined };
  const finish = (failure: Failure | undefined): void => {
    waiting.resolve?.(failure);
    waiting.resolve = undefined;
  };
  const thread: Thread | undefined = startThread(
    threadScript,
    (message) => {
      const { done, ...failure } = message as Failure & { done: boolean };
      finish(done ? undefined : failure);
    },
    (message) => {
      state.ended = true;
      finish({ trap: false, message });
    },
  );
  if (thread === undefined) return undefined;
  thread.post({ module, memory });
  return {
    run: async (calls) => {
      thread.hold(true);
      try {
        return await new Promise<Failure | undefined>((resolve) => {
          waiting.resolve = resolve;
          thread.post({ calls });
        });
      } finally {
        thread.hold(false);
      }
    },
    ended: () => state.ended,
    dispose: () => thread.terminate(),
  };
};
