import { fail } from '@filigree/ir';

/** The life of a program, from when its memory was made until it is disposed of. */
export interface Lifecycle {
  /** Refuses what comes after `dispose`: `…/disposed`. */
  readonly alive: () => void;
  /** Refuses also what comes while launches in the background run or wait: `…/busy`. */
  readonly ready: () => void;
  /**
   * Does something in the background, after all that was given before; what fails does not stop the next. Rejects with
   * `…/disposed`, also where the program is disposed of while it waits.
   */
  readonly background: <A>(task: () => Promise<A>) => Promise<A>;
  /** The end; the memory goes when what runs in the background is done. A second time does nothing. */
  readonly dispose: () => void;
}

/** How messages speak of a program. */
export interface Spoken {
  /** The first part of the codes: `program`, `tensor`. */
  readonly codes: string;
  /** What was disposed of: `the program was`, `the kernels were`. */
  readonly what: string;
  /** What to do instead: `make it again`. */
  readonly again: string;
}

/** The life of something that has memory. @param release gives the memory back */
export const lifecycle = ({ codes, what, again }: Spoken, release: () => void): Lifecycle => {
  let disposed = false;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const alive = (): void => {
    if (disposed) fail(`${codes}/disposed`, `${what} disposed of`, { remedy: `${again}, or dispose of it later` });
  };
  return {
    alive,
    ready: () => {
      /* Every launch asks. */
      if (!disposed && waiting === 0) return;
      alive();
      if (waiting > 0)
        fail(`${codes}/busy`, 'launches are still running', {
          remedy: 'await them before its memory is touched or anything is run',
        });
    },
    background: async (task) => {
      alive();
      waiting++;
      const done = last
        .then(() => {
          alive();
          return task();
        })
        .finally(() => waiting--);
      last = done.catch(() => {});
      return done;
    },
    dispose: () => {
      if (disposed) return;
      disposed = true;
      if (waiting > 0) void last.then(release);
      else release();
    },
  };
};
