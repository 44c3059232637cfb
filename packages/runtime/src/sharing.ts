import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Backend, MemoryOptions, Sharing } from '@filigree/backend';
import { backendOption, isBackend } from '@filigree/backend/options';
import { placeModule, type Bindings, type Memory, type Placement } from '@filigree/backend/device';
import {
  attempt,
  describeValue,
  DiagnosticError,
  error,
  fail,
  option,
  type Diagnostic,
  type Diagnostics,
  type Module,
  type OptionSpec,
  orThrow,
} from '@filigree/ir';
import type { Session } from './session/contract.js';

/** Where the buffers of a program lie. */
export interface SharingOptions {
  /** The memory, which other programs may share; default that of what it is bound to, else one of its own. */
  readonly memory?: Memory;
  /** Buffers of other programs, by the names of the buffers that are to be the same: `{ x: other.buffer('y') }`. */
  readonly bind?: Bindings;
  /** The session in which its launches wait with those of others, in whose memory it lies. */
  readonly session?: Session;
}

/** What `SharingOptions` take, for those that pass them on. */
export const sharingSpec: OptionSpec<SharingOptions> = {
  memory: option.object('a memory, as openMemory() gives', 'space', 'allocate'),
  bind: option.record(option.object("a buffer, as program.buffer('name') gives", 'block', 'offset')),
  session: option.object('a session, as session() gives', 'turns', 'memory'),
};

/**
 * A memory for several programs of a backend: those made with it, `{ memory }`, can be bound to buffers of each other. Errors:
 * `memory/backend` where programs of the backend share none, `load/memory`.
 */
export const openMemory = (backend: Backend, options?: MemoryOptions): TaskEither<Diagnostics, Memory> =>
  attempt(async () => {
    if (!isBackend(backend))
      fail('runtime/backend', `what the memory is for is ${describeValue(backend)}`, {
        remedy: `give ${backendOption.wanted}`,
      });
    if (!backend.sharing) return refuse(sharesNone(backend));
    return orThrow(await backend.sharing.open(options)());
  });

/**
 * The place of a module that is to share a memory, `undefined` for one that is not. Errors: `memory/backend`, and those of `placeModule`.
 *
 * @param given the module before it was legalised, which may drop buffers
 */
export const placementFor = (
  legal: Module,
  given: Module,
  backend: Backend,
  { memory: wanted, bind = {}, session }: SharingOptions,
  threads: number,
): Placement | undefined => {
  session?.alive();
  if (session && wanted && wanted !== session.memory)
    fail('session/memory', 'the program is to lie in another memory than its session', {
      remedy: 'leave out `memory`: programs of a session lie in its own',
    });
  const memory = session?.memory ?? wanted ?? Object.values(bind)[0]?.block.memory;
  if (memory === undefined) return undefined;
  const sharing: Sharing = backend.sharing ?? refuse(sharesNone(backend));
  if (memory.space !== sharing.space)
    fail(
      'memory/backend',
      `the memory is of '${memory.space}', and programs of the backend '${backend.name}' lie in memory of '${sharing.space}'`,
      { remedy: `use openMemory(${backend.name}()), and bind programs of one backend to each other` },
    );
  const dropped = new Set(given.buffers.map((b) => b.name));
  for (const b of legal.buffers) dropped.delete(b.name);
  const bindings = Object.fromEntries(Object.entries(bind).filter(([name]) => !dropped.has(name)));
  return placeModule(legal, memory, bindings, sharing.own(legal, new Set(Object.keys(bindings)), threads));
};

const refuse = (d: Diagnostic): never => {
  throw new DiagnosticError([d]);
};

const sharesNone = (backend: Backend): Diagnostic =>
  error('memory/backend', `programs of the backend '${backend.name}' share no memory`, {
    remedy: 'leave out `memory` and `bind`, and copy: write(read())',
  });
