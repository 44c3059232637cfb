import type { Worker } from 'node:worker_threads';
import { performWork, type AnyWork, type Platform } from '@filigree/sparse/equations';
import { startScript } from '../worker-script.js';

/** Workers that do pieces of work together with this thread. */
export interface Crew {
  readonly isStarted: () => boolean;
  /** The answers of all works, in their order. Starts the workers where they have not been. */
  readonly perform: (works: readonly AnyWork[], allocate: Platform['allocate']) => Promise<readonly unknown[]>;
}

/** What workers are told: all works of a step, and who has taken which: 0, or the number of a thread. */
export interface Batch {
  readonly id: number;
  readonly thread: number;
  readonly works: readonly AnyWork[];
  readonly taken: Int32Array;
}

/** What they say: the answer of a work. Where it failed there is none, and this thread tries itself. */
export interface Done {
  readonly id: number;
  readonly index: number;
  readonly answer: unknown;
  readonly failed: boolean;
}

/** Takes the next work that nobody has taken; undefined where there is none. */
export const takeWork = (taken: Int32Array, thread: number): number | undefined => {
  for (let n = 0; n < taken.length; n++) if (Atomics.compareExchange(taken, n, 0, thread) === 0) return n;
  return undefined;
};

/** A crew of so many workers beside this thread. */
export const workCrew = (size: number): Crew => {
  let workers: readonly (Worker | undefined)[] | undefined;
  let batches = 0;
  const waiting = new Map<number, Waiting>();

  const start = (): readonly (Worker | undefined)[] =>
    Array.from({ length: size }, (_, k) => {
      const worker = startWorker();
      if (worker === undefined) return undefined;
      worker.on('message', (done: Done) => waiting.get(done.id)?.hear(done));
      /* It took works with it, or never came. */
      const lost = (): void => {
        workers = workers?.map((w) => (w === worker ? undefined : w));
        for (const w of waiting.values()) w.lose(k + FIRST_WORKER);
      };
      worker.on('error', lost);
      worker.on('exit', lost);
      /* After the listeners: adding one would hold the process again. */
      worker.unref();
      return worker;
    });

  return {
    isStarted: () => workers !== undefined,
    perform: async (works, allocate) => {
      const crew = (workers ??= start());
      const id = batches++;
      const taken = new Int32Array(new SharedArrayBuffer(4 * works.length));
      const mine = new Waiting(works, taken, (n) => performWork(works[n], allocate));
      waiting.set(id, mine);
      try {
        crew.forEach((w, k) => w?.postMessage({ id, thread: k + FIRST_WORKER, works, taken } satisfies Batch));
        for (let n = takeWork(taken, THIS_THREAD); n !== undefined; n = takeWork(taken, THIS_THREAD)) mine.doHere(n);
        for (const w of crew) w?.ref();
        return await mine.answers();
      } finally {
        for (const w of crew) w?.unref();
        waiting.delete(id);
      }
    },
  };
};

const THIS_THREAD = 1;
const FIRST_WORKER = 2;

/** The answers of a batch as they come. */
class Waiting {
  private readonly found: unknown[];
  private readonly isThere: boolean[];
  private missing: number;
  private settle: { readonly resolve: () => void; readonly reject: (e: unknown) => void } | undefined;

  constructor(
    works: readonly AnyWork[],
    private readonly taken: Int32Array,
    private readonly perform: (index: number) => unknown,
  ) {
    this.found = new Array<unknown>(works.length);
    this.isThere = works.map(() => false);
    this.missing = works.length;
  }

  doHere(index: number): void {
    this.put(index, this.perform(index));
  }

  hear({ index, answer, failed }: Done): void {
    if (failed) this.again(index);
    else this.put(index, answer);
  }

  /** Works that a thread took and will not finish. Doing them twice does no harm. */
  lose(thread: number): void {
    this.taken.forEach((t, n) => {
      if (t === thread && !this.isThere[n]) this.again(n);
    });
  }

  async answers(): Promise<readonly unknown[]> {
    if (this.missing > 0) await new Promise<void>((resolve, reject) => (this.settle = { resolve, reject }));
    return this.found;
  }

  private again(index: number): void {
    try {
      this.doHere(index);
    } catch (e) {
      this.settle?.reject(e);
    }
  }

  private put(index: number, answer: unknown): void {
    if (this.isThere[index]) return;
    this.isThere[index] = true;
    this.found[index] = answer;
    if (--this.missing === 0) this.settle?.resolve();
  }
}

const startWorker = (): Worker | undefined => {
  try {
    return startScript('regions-worker');
  } catch {
    return undefined;
  }
};
