import { backendsOf, type Backend, type MakeBackend } from '@filigree/backend';
import { isBackend } from '@filigree/backend/options';
import { describeValue, fail, type Extension, orThrow } from '@filigree/ir';
import { chooseBackend } from '@filigree/runtime';
import { platform } from '#platform';

/** What this package brings by itself: the one list of its backends, the preferred first. */
const own = {
  name: 'filigree',
  backends: platform.backends,
} as const satisfies Extension & { readonly backends: Readonly<Record<string, MakeBackend>> };

/** The name of a backend of this version. */
export type BackendName = keyof typeof own.backends;

/**
 * The backends of this version, the preferred first, and those that extensions bring. Throws `DiagnosticError` `extension/…`.
 */
export const backends = (extensions: readonly Extension[] = []): readonly Backend[] => backendsOf([own, ...extensions]);

/**
 * A backend as options name it: a value is taken as it is, a name must work here, and without either the first that works
 * is taken: `cpp` where there is a C++ compiler, else `wasm`. Throws `DiagnosticError` `runtime/backend`, `extension/…`.
 *
 * @param extensions whose backends may be named, and whose ops the backend is to know
 */
export const resolveBackend = async (
  backend: string | Backend | undefined,
  extensions: readonly Extension[] = [],
): Promise<Backend> => {
  if (isBackend(backend)) return backend;
  const known = backends(extensions);
  if (backend !== undefined && typeof backend !== 'string')
    fail('runtime/backend', `the backend is ${describeValue(backend)}`, {
      remedy: `give a name, ${known.map((b) => `'${b.name}'`).join(' or ')}, or a backend such as cpp()`,
    });
  return orThrow(await chooseBackend(known, backend)());
};
