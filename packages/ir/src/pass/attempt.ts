import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { DiagnosticError, type Diagnostics } from '../diagnostics/diagnostic.js';

/**
 * A task that fails with the diagnostics that `run` throws: what `pass` is for pure steps, for those that touch the machine.
 * Any other rejection is a bug and passes through.
 */
export const attempt =
  <A>(run: () => Promise<A>): TaskEither<Diagnostics, A> =>
  async () => {
    try {
      return E.right(await run());
    } catch (e) {
      if (e instanceof DiagnosticError) return E.left(e.diagnostics);
      throw e;
    }
  };
