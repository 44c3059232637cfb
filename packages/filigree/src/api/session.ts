import type { Backend } from '@filigree/backend';
import { checkOptions, fail, orThrow, type Extension, type OptionSpec } from '@filigree/ir';
import { session as openFor, sessionSpec, type Session, type SessionOptions as Options } from '@filigree/runtime';
import { backendSpec, resolveBackend, type BackendOptions } from './backends.js';

/** What a session is for, and how launches wait in it. */
export interface SessionOptions extends Options, BackendOptions {}

/**
 * Opens a session: programs that are made with it, `compile(f, { session })`, `einsum(formula, { session })`, `program({ …, session })`, share its memory and its
 * backend, can be bound to buffers of each other, and their launches wait and are planned together. Errors: `runtime/backend`,
 * `memory/backend`, `load/memory`.
 */
export const session = async (given?: SessionOptions): Promise<Session> => {
  const { backend, fallback, extensions, ...options } = checkOptions('session', given, spec);
  return orThrow(await openFor(await resolveBackend(backend, extensions, fallback), options)());
};

const spec: OptionSpec<SessionOptions> = {
  ...sessionSpec,
  ...backendSpec,
};

/** The backend of a program: that of its session, if it is made in one. Error: `session/backend` where another is named. */
export const backendFor = async ({ backend, fallback, extensions, session: within }: Chosen): Promise<Backend> => {
  if (!within) return resolveBackend(backend, extensions, fallback);
  const isIts = (named: unknown): boolean => named === within.backend || named === within.backend.name;
  const same = backend === undefined || isIts(backend) || (fallback !== undefined && isIts(fallback));
  return same
    ? within.backend
    : fail(
        'session/backend',
        `the session is for the backend '${within.backend.name}', and the program names another`,
        {
          remedy: 'leave out `backend`, or open a session for the other',
        },
      );
};

interface Chosen {
  readonly backend?: string | Backend | undefined;
  readonly fallback?: string | Backend | undefined;
  readonly extensions?: readonly Extension[] | undefined;
  readonly session?: Session | undefined;
}
