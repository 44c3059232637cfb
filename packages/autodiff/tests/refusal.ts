import { DiagnosticError } from '@filigree/ir';

/** The code of the diagnostic with which `f` fails. */
export const refusal = (f: () => unknown): string => {
  try {
    f();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  throw new Error('succeeded, where a failure was expected');
};
