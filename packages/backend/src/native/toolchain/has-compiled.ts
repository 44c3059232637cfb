import { fail } from '@filigree/ir';
import { type Finished, firstLines } from './process.js';

/** How a compiler was run. */
export interface CompilerRun {
  /** What codes of its errors begin with. */
  readonly space: string;
  readonly path: string;
  readonly limitMs: number;
}

/** Passes where a compiler of kernels ended well. Errors: `SPACE/timeout`, `SPACE/compile` with what it said first. */
export const hasCompiled = (done: Finished, { space, path, limitMs }: CompilerRun): void => {
  if (done.timedOut)
    fail(`${space}/timeout`, `${path} did not finish within ${limitMs / 1000} s and was stopped`, {
      remedy: 'compile a smaller program',
    });
  if (done.status !== 0)
    fail(
      `${space}/compile`,
      `${path} failed with ${done.failure ?? done.signal ?? `status ${done.status}`}:\n${firstLines(done.stderr || done.stdout)}`,
      {
        remedy:
          'if the flags are yours, check them; otherwise this is a defect of the emitter: please report it with the sources',
      },
    );
};
