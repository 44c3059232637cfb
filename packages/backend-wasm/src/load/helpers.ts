import { type MemoryLayout, controlBlock } from '../memory/layout.js';
import { makeRoom } from './memory.js';
import { type Thread, startThread } from '../node/threads.js';
import { threadScript } from './script.js';

/** The threads that help with parallel loops: started when first wanted, asleep between loops. */
export interface Helpers {
  /** Makes sure that so many threads, the caller included, will take part in loops from now on; late ones join in when ready. */
  readonly use: (threads: number) => void;
  readonly dispose: () => void;
}

/** Helpers of a module with shared memory. */
export const helpersOf = (module: WebAssembly.Module, memory: WebAssembly.Memory, layout: MemoryLayout): Helpers => {
  const words = new Int32Array(memory.buffer, layout.control, controlBlock.captures / 4);
  const threads: Thread[] = [];
  return {
    use: (wanted) => {
      const count = Math.min(wanted, layout.threads);
      makeRoom(memory, layout, count);
      words[controlBlock.threads / 4] = count;
      words[controlBlock.trapped / 4] = 0;
      while (threads.length < count - 1) {
        const thread = startThread(
          threadScript,
          () => undefined,
          () => undefined,
        );
        if (thread === undefined) return;
        threads.push(thread);
        thread.post({ module, memory, serve: threads.length });
      }
    },
    dispose: () => {
      Atomics.store(words, controlBlock.quit / 4, 1);
      Atomics.add(words, controlBlock.epoch / 4, 1);
      if (threads.length > 0) Atomics.notify(words, controlBlock.epoch / 4);
      for (const thread of threads.splice(0)) thread.terminate();
    },
  };
};
