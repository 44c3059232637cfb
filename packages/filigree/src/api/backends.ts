import * as E from 'fp-ts/lib/Either.js';
import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { chooseBackend } from '@filigree/runtime';

/** The name of a backend of this version. */
export type BackendName = 'cpp' | 'wasm';

/** The backends of this version, the preferred first. */
export const backends = (): readonly Backend[] => [cpp(), wasm()];

/**
 * A backend as options name it: a value is taken as it is, a name must work here, and without either the first that works
 * is taken: `cpp` where there is a C++ compiler, else `wasm`. Throws `DiagnosticError` `runtime/backend`.
 */
export const resolveBackend = async (backend: string | Backend | undefined): Promise<Backend> => {
  if (typeof backend === 'object') return backend;
  const chosen = await chooseBackend(backends(), backend)();
  if (E.isLeft(chosen)) throw new DiagnosticError(chosen.left);
  return chosen.right;
};
