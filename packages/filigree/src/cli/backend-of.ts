import type { Backend } from '@filigree/backend';
import { DiagnosticError, describeValue, fail, orThrow, type Extension, type Watch } from '@filigree/ir';
import type { CommonOptions } from './common-options.js';
import { exportOf, isPath, loadExtensions } from './load-extensions.js';
import { loadModule } from './load-module.js';
import type { Session } from './session.js';

/** What a command compiles with. */
export interface Chosen {
  readonly backend: Backend;
  readonly extensions: readonly Extension[];
}

/**
 * The extensions that `--use` names, and the backend that `--backend` does, by name or as a module that exports one, or else the first that
 * works; where `--fallback` names another, that one if the first does not work, with a warning. Sources that are to be written may be for a backend that does not work here. Whoever looks on (`also`) sees everything made: nothing is
 * taken as it was lowered before. Errors: what `loadExtensions` says, `runtime/backend`.
 */
export const chosenBackend = async (options: CommonOptions, session: Session, also?: Watch): Promise<Chosen> => {
  const { backend, fallback, use, emit } = options;
  const { progress } = session;
  const extensions = await loadExtensions(use);
  const { workingBackend } = await import('../api/backends.js');
  const { watched } = await import('@filigree/backend');
  const { availability } = await import('@filigree/runtime');
  const known = await knownBackends(extensions);
  const given = await namedOrLoaded(backend, extensions);
  const named = typeof given === 'string' ? known.find((b) => b.name === given) : given;
  if (emit !== undefined && named && !(await availability([named]))[0]!.usable) {
    const { emitOnly } = await import('@filigree/backend/device');
    return { backend: watched(emitOnly(named), bothOf(session.watch(options), also)), extensions };
  }
  progress.listen();
  try {
    const { backend: working, because } = await workingBackend(known, given, await namedOrLoaded(fallback, extensions));
    session.warn(because.map((d) => ({ ...d, severity: 'warning', remedy: `${working.name} is taken instead` })));
    const { bank, ...anew } = working;
    const kept = bank && also === undefined ? { bank } : {};
    return { backend: watched({ ...anew, ...kept }, bothOf(session.watch(options), also)), extensions };
  } finally {
    progress.unlisten();
  }
};

/**
 * All backends that commands with these options know, among them what `--backend` and `--fallback` bring, and in which order a command tries them. Throws `DiagnosticError`, as
 * `chosenBackend` does of a name that nobody knows.
 */
export const allBackends = async ({
  backend,
  fallback,
  use,
}: CommonOptions): Promise<{ readonly all: readonly Backend[]; readonly order: readonly Backend[] }> => {
  const extensions = await loadExtensions(use);
  const [given, other] = [await namedOrLoaded(backend, extensions), await namedOrLoaded(fallback, extensions)];
  const known = await knownBackends(extensions);
  const { chooseBackend } = await import('@filigree/runtime');
  const named = (b: string | Backend | undefined): readonly Backend[] =>
    typeof b === 'object' ? [b] : known.filter(({ name }) => name === b);
  if (typeof given === 'string' && named(given).length === 0) orThrow(await chooseBackend(known, given)());
  const order = [...(given === undefined ? known : named(given)), ...named(other)];
  return { all: [...known, ...order.filter((b) => !known.includes(b))], order };
};

const knownBackends = async (extensions: readonly Extension[]): Promise<readonly Backend[]> =>
  (await import('../api/backends.js')).backends(extensions);

const namedOrLoaded = async (
  name: string | undefined,
  extensions: readonly Extension[],
): Promise<string | Backend | undefined> => (name !== undefined && isPath(name) ? loadBackend(name, extensions) : name);

const bothOf = (a: Watch | undefined, b: Watch | undefined): Watch | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : {
        before: (event) => {
          a.before?.(event);
          b.before?.(event);
        },
        after: (event) => {
          a.after?.(event);
          b.after?.(event);
        },
      };

/** The backend alone. */
export const backendOf = async (options: CommonOptions, session: Session): Promise<Backend> =>
  (await chosenBackend(options, session)).backend;

/* A backend, or a function that makes one of the extensions that it should know. */
const loadBackend = async (path: string, extensions: readonly Extension[]): Promise<Backend> => {
  const exported = exportOf(await loadModule(path), 'backend');
  const { isBackend } = await import('@filigree/backend/options');
  const made: unknown = typeof exported === 'function' ? await makeBackend(path, exported, extensions) : exported;
  return isBackend(made)
    ? made
    : fail('runtime/backend', `'${path}' exports no backend: what it exports is ${describeValue(made)}`, {
        remedy:
          'write export default ({ extensions }) => nativeBackend(…), or load an extension that brings one by --use',
      });
};

const makeBackend = async (path: string, make: unknown, extensions: readonly Extension[]): Promise<unknown> => {
  try {
    return await (make as (o: object) => unknown)({ extensions });
  } catch (e) {
    if (e instanceof DiagnosticError) throw e;
    return fail('runtime/backend', `'${path}' makes no backend: ${e instanceof Error ? e.message : String(e)}`, {
      remedy: 'see that its function runs by itself',
    });
  }
};
