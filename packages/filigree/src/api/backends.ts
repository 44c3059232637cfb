import { backendsOf, type Backend, type MakeBackend } from '@filigree/backend';
import { isBackend } from '@filigree/backend/options';
import {
  describeValue,
  DiagnosticError,
  fail,
  option,
  optionKind,
  orThrow,
  type Diagnostics,
  type Extension,
  type OptionSpec,
} from '@filigree/ir';
import { chooseBackend } from '@filigree/runtime';
import * as E from 'fp-ts/lib/Either.js';
import { platform } from '#platform';

/** What this package brings by itself: the one list of its backends, the preferred first. */
const own = {
  name: 'filigree',
  backends: platform.backends,
} as const satisfies Extension & { readonly backends: Readonly<Record<string, MakeBackend>> };

/** The name of a backend of this version. */
export type BackendName = keyof typeof own.backends;

/** A backend as options name it: by the name that it has in this version or in an extension, or one of your own. */
export type NamedBackend = BackendName | (string & {}) | Backend;

/** On what something runs. */
export interface BackendOptions {
  /** Default `cpp` where there is a C++ compiler, else `wasm`. */
  readonly backend?: NamedBackend;
  /** What is taken where that does not work here: a driver, a device or a compiler is missing. By default that is an error, and no other is taken. */
  readonly fallback?: NamedBackend;
  /** Those whose backends may be named; a backend that is named knows their ops. */
  readonly extensions?: readonly Extension[];
}

export const backendSpec: OptionSpec<BackendOptions> = {
  backend: option.anything,
  fallback: optionKind(
    "a backend: a name such as 'wasm', or one such as cpp()",
    (x) => typeof x === 'string' || isBackend(x),
  ),
  extensions: option.array('a list of extensions'),
};

/**
 * The backends of this version, the preferred first, and those that extensions bring. Throws `DiagnosticError` `extension/…`.
 */
export const backends = (extensions: readonly Extension[] = []): readonly Backend[] => backendsOf([own, ...extensions]);

/**
 * A backend as options name it: a value is taken as it is, a name must work here, and without either the first that works
 * is taken: `cpp` where there is a C++ compiler, else `wasm`. With a fallback a value must work here, too, and where the backend does not, the
 * fallback is taken. Throws `DiagnosticError` `runtime/backend`, `extension/…`.
 *
 * @param extensions whose backends may be named, and whose ops the backend is to know
 */
export const resolveBackend = async (
  backend: string | Backend | undefined,
  extensions: readonly Extension[] = [],
  fallback?: string | Backend,
): Promise<Backend> => {
  if (isBackend(backend) && fallback === undefined) return backend;
  return (await workingBackend(backends(extensions), backend, fallback)).backend;
};

/** A backend that works here. */
export interface Working {
  readonly backend: Backend;
  /** Why it is the fallback; nothing where it is not. */
  readonly because: Diagnostics;
}

/** As `resolveBackend`, of backends that are known already, and with what is to be said where the fallback is taken. */
export const workingBackend = async (
  known: readonly Backend[],
  backend: string | Backend | undefined,
  fallback?: string | Backend,
): Promise<Working> => {
  const working = (named: string | Backend | undefined) => {
    if (isBackend(named)) return chooseBackend([named], named.name)();
    if (named !== undefined && typeof named !== 'string')
      fail('runtime/backend', `the backend is ${describeValue(named)}`, {
        remedy: `give a name, ${known.map((b) => `'${b.name}'`).join(' or ')}, or a backend such as cpp()`,
      });
    return chooseBackend(known, named)();
  };
  const first = await working(backend);
  /* A name that nobody knows is a mistake, whatever is to be done where a backend does not work. */
  const isKnown = typeof backend !== 'string' || known.some((b) => b.name === backend);
  if (E.isRight(first) || fallback === undefined || !isKnown) return { backend: orThrow(first), because: [] };
  const second = await working(fallback);
  if (E.isLeft(second)) throw new DiagnosticError([...first.left, ...second.left]);
  return { backend: second.right, because: first.left };
};
