import type { Launches } from '@filigree/backend/device';
import { once, readOnly } from '@filigree/ir';
import {
  arenaName,
  initializeArena,
  isPooled,
  namedFields,
  type AnyField,
  type Storage,
} from '@filigree/sparse/fields';
import { rare } from '#rare';
import { openArena, type Arena, type ArenaUse } from '../fields/arena.js';
import { hostField, hostFields, type HostFieldOf, type ScalarHostField } from '../fields/host-field.js';
import { lifecycle, type Lifecycle } from '../lifecycle.js';
import { launcherOf, type LaunchContext, type Launchable, type Returned } from './launcher.js';
import type { Seeds } from './seeds.js';
import { checkStatus, clearStatus, type Reports } from './status.js';

/** Fields in memory and the launches of kernels on them: what every program of fields is, whatever else it can do. */
export interface Running {
  /** The fields of the layout by name: of a vector field `x` also its components `x_0`, `x_1` …. What is a vector, its type does not say: see `field`. */
  readonly fields: Readonly<Record<string, ScalarHostField>>;
  /** The host's view of a field of any kind. Errors: `field/unknown`, `field/foreign`. */
  readonly field: <F extends AnyField>(field: F) => HostFieldOf<F>;
  /** Launches kernels and waits for them. */
  readonly run: Readonly<Record<string, (...args: readonly unknown[]) => Returned>>;
  /** As `run`, without blocking where the backend can. Launches run in the order in which they are made. */
  readonly launch: Readonly<Record<string, (...args: readonly unknown[]) => Promise<Returned>>>;
  /** Restarts the sequence of random numbers. Error: `program/seed`. */
  readonly seed: (seed: number) => void;
  readonly dispose: () => void;
}

/** What it runs on. */
export interface RunningOn {
  readonly executable: Launches;
  readonly storage: Storage;
  /** What kernels may report; nothing where none may. */
  readonly reports: Reports | undefined;
  readonly random: Seeds;
  /** Whether somebody else has given the fields their ambient values. */
  readonly initialized: boolean;
  /** How the host sees the arena. */
  readonly seen: Parameters<typeof openArena>[1];
  /** Whether a kernel, by its name, may report something; default that all may, which costs little where the host sees the arena. */
  readonly mayReport?: (kernel: string | undefined) => boolean;
}

/** What others need to take part. */
export interface RunningParts {
  readonly arena: Arena;
  readonly life: Lifecycle;
  readonly check: LaunchContext['check'];
  /** Called before each of the host's accesses. */
  readonly ready: (use?: ArenaUse) => void;
  /** To be called with what a kernel threw: cleans up after it, and throws it. */
  readonly guarded: (e: unknown) => never;
}

/** Others that take part: whoever records launches, or lets them wait. */
export interface Attached {
  readonly context?: Pick<LaunchContext, 'recorder' | 'accesses' | 'tangents' | 'queue' | 'notesOf'>;
  /** Called before the host's accesses. */
  readonly onUse?: (use: ArenaUse | undefined) => void;
  /** Called before a launch, with its name. */
  readonly onLaunch?: (name: string) => void;
  /** A buffer as those get it whose accesses are seen. */
  readonly guard?: Arena['guard'];
  /** Called before a launch in the background, by its name. */
  readonly onBackground?: (name: string) => void;
  /** Called when kernels have run, before what they reported is looked at. */
  readonly onRan?: () => void;
  /** Called at the end, while the memory is there. */
  readonly onDispose?: () => void;
}

/** @param launches for each launch, by name, the kernels that it runs, one after the other */
export const running = (
  { executable, storage, reports, random, initialized, seen, mayReport }: RunningOn,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  attach: (parts: RunningParts) => Attached = () => ({}),
): Running => {
  const others: { attached: Attached } = { attached: {} };
  const life = lifecycle({ codes: 'program', what: 'the program was', again: 'make it again' }, () => {
    try {
      others.attached.onDispose?.();
    } finally {
      executable.dispose();
    }
  });
  /* Another program may run in this memory, too. */
  const ready = (use?: ArenaUse): void => {
    life.ready();
    executable.ready();
    others.attached.onUse?.(use);
  };
  const words = executable.buffer(arenaName(storage.memory, 'i32'));
  const arena = openArena(storage, seen, ready, words, (buffer) => others.attached.guard?.(buffer) ?? buffer);
  if (!initialized) {
    arena.mirrored?.look({ writes: true });
    initializeArena(storage, arena.words);
  }
  const check: LaunchContext['check'] = (name, shown, kernel) => {
    others.attached.onRan?.();
    if (reports && mayReport?.(kernel) !== false) checkStatus(arena, reports, name, shown);
  };
  /* A kernel that trapped has not cleared up: neither what it reported, nor the cells that it gave back. */
  const guarded = (e: unknown): never => {
    arena.mirrored?.look({ writes: true });
    clearStatus(arena);
    if (storage.nodes.some(isPooled)) rare().settleAll(arena);
    throw e;
  };
  others.attached = attach({ arena, life, check, ready, guarded });
  const { context, onLaunch, onBackground } = others.attached;
  const launchers = mapValues(launches, (kernels, name) =>
    launcherOf(name, kernels, { executable, nextSeed: random.next, check, ...context }),
  );
  return {
    fields: fieldsOf(arena),
    field: hostFields(arena),
    run: mapValues(launchers, ({ run }, name) => (...args: readonly unknown[]) => {
      life.ready();
      onLaunch?.(name);
      try {
        return run(args);
      } catch (e) {
        return guarded(e);
      }
    }),
    launch: mapValues(launchers, ({ runAsync }, name) => (...args: readonly unknown[]) => {
      onBackground?.(name);
      return life.background(() => runAsync(args).catch(guarded));
    }),
    seed: random.set,
    dispose: life.dispose,
  };
};

/* Made when they are first asked for: a layout may have many fields. */
const fieldsOf = (arena: Arena): Readonly<Record<string, ScalarHostField>> => {
  const fields: Record<string, ScalarHostField> = {};
  for (const [name, field] of namedFields(arena.storage.layout))
    Object.defineProperty(fields, name, { enumerable: true, get: once(() => hostField(arena, field)) });
  return readOnlyFields(fields);
};

/** Fields by name, which refuse to be assigned to. */
export const readOnlyFields = <T extends object>(fields: T): T =>
  readOnly(
    fields,
    'a field stays what it is',
    (name) => `write its elements: fields.${name}.fromArray(values), or set(at, value)`,
  );

const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  f: (value: A, key: string) => B,
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]));
