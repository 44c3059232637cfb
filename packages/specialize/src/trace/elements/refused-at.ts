import { DiagnosticError } from '@filigree/ir';

/** Where a body is, for what is found wrong with it later: nothing but the stack of it counts. */
export const here = (): Error => new Error('in the body of elements');

/** What `find` gives; what it refuses is refused as if it had been where the body was at that time, of whose stack whoever knows its text makes a line. */
export const refusedAt = <T>(at: () => Error | undefined, find: () => T): T => {
  try {
    return find();
  } catch (e) {
    const stack = at()?.stack;
    if (e instanceof DiagnosticError && stack !== undefined) e.stack = stack;
    throw e;
  }
};
