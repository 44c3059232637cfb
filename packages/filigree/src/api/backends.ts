import * as E from 'fp-ts/lib/Either.js';
import type { Backend } from '@filigree/backend';
import { isBackend } from '@filigree/backend/options';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError, describeValue, fail } from '@filigree/ir';
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
  if (isBackend(backend)) return backend;
  if (backend !== undefined && typeof backend !== 'string')
    fail('runtime/backend', `the backend is ${describeValue(backend)}`, {
      remedy: `give a name, ${backends()
        .map((b) => `'${b.name}'`)
        .join(' or ')}, or a backend such as cpp()`,
    });
  const chosen = await chooseBackend(backends(), backend)();
  if (E.isLeft(chosen)) throw new DiagnosticError(chosen.left);
  return chosen.right;
};
