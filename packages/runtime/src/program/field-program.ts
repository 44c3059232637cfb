import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Backend } from '@filigree/backend';
import { backendOption } from '@filigree/backend/options';
import {
  attempt,
  DiagnosticError,
  type Diagnostics,
  type Module,
  checkOptions,
  option,
  type OptionSpec,
  readOnly,
} from '@filigree/ir';
import { initializeArena, sitesOf, type AnyField, type FieldDecl, type Storage } from '@filigree/sparse/fields';
import { loadArena, saveArena } from '../fields/arena-file.js';
import { openArena, type Arena } from '../fields/arena.js';
import { hostField, type HostFieldOf, type ScalarHostField } from '../fields/host-field.js';
import { settleAll } from '../fields/structure.js';
import { once } from '../fields/once.js';
import { instantiate, instantiateSpec, type Instance, type InstantiateOptions } from '../instantiate.js';
import { lifecycle } from '../lifecycle.js';
import { launcherOf, type LaunchContext, type Launchable } from './launcher.js';
import { seeds } from './seeds.js';
import { checkStatus, clearStatus } from './status.js';

/**
 * Fields and kernels that run on them. What a launch reports, and what the host does wrong, is thrown as `DiagnosticError`.
 * After `dispose` everything is `program/disposed`; while launches of `launch` run, the host gets `program/busy`.
 */
export interface FieldProgram {
  /** The scalar fields of the layout by name; those of a vector field `x` are `x_0`, `x_1` …. */
  readonly fields: Readonly<Record<string, ScalarHostField>>;
  /** The host's view of a field of any kind. Errors: `field/unknown`, `field/foreign`. */
  readonly field: <F extends AnyField>(field: F) => HostFieldOf<F>;
  /** Launches kernels and waits for them. */
  readonly run: Readonly<Record<string, (...args: readonly unknown[]) => number>>;
  /** As `run`, without blocking where the backend can. Launches run in the order in which they are made. */
  readonly launch: Readonly<Record<string, (...args: readonly unknown[]) => Promise<number>>>;
  /** Restarts the sequence of random numbers. Error: `program/seed`. */
  readonly seed: (seed: number) => void;
  /** The contents of all fields as bytes, and the state of the random numbers. */
  readonly save: () => Uint8Array;
  /** Restores everything to what `save` gave. Errors: `arena/…`; nothing has changed then. */
  readonly load: (saved: Uint8Array) => void;
  readonly storage: Storage;
  readonly instance: Instance;
  readonly dispose: () => void;
}

/** How a lowered module is brought to memory. */
export interface FieldProgramOptions extends InstantiateOptions {
  /** The backend to compile with. */
  readonly backend: Backend;
  /** Seed of random numbers; default 0. */
  readonly seed?: number;
}

/**
 * Brings a lowered module over a storage to memory, and makes functions of its kernels.
 *
 * @param launches for each launch, by name, the kernels that it runs, one after the other
 */
export const fieldProgram = (
  storage: Storage,
  module: Module,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  given: FieldProgramOptions,
): TaskEither<Diagnostics, FieldProgram> =>
  attempt(async () => {
    const options = checkOptions('fieldProgram', given, fieldProgramSpec);
    const { backend, seed = 0, ...rest } = options;
    const made = await instantiate(module, backend, rest)();
    if (E.isLeft(made)) throw new DiagnosticError(made.left);
    return assembled(storage, module, launches, made.right, seed);
  });

/** What `fieldProgram` takes, for those that pass it on. */
export const fieldProgramSpec: OptionSpec<FieldProgramOptions> = {
  ...instantiateSpec,
  backend: backendOption,
  seed: option.anything,
};

const assembled = (
  storage: Storage,
  module: Module,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  instance: Instance,
  seed: number,
): FieldProgram => {
  const life = lifecycle({ codes: 'program', what: 'the program was', again: 'make it again' }, instance.dispose);
  const arena = openArena(storage, instance.buffers, life.ready);
  initializeArena(storage, arena.words);
  const random = seeds(seed);
  const sites = sitesOf(module);
  const context: LaunchContext = {
    executable: instance,
    nextSeed: random.next,
    check: (name, frames) => checkStatus(arena, sites, name, frames),
  };
  const launchers = mapValues(launches, (kernels, name) => launcherOf(name, kernels, context));
  /* A kernel that trapped has not cleared up: neither what it reported, nor the cells that it gave back. */
  const guarded = (e: unknown): never => {
    clearStatus(arena);
    settleAll(arena);
    throw e;
  };

  const program: FieldProgram = {
    fields: fieldsOf(arena),
    field: (field) => hostField(arena, field),
    run: mapValues(launchers, ({ run }) => (...args: readonly unknown[]) => {
      life.ready();
      try {
        return run(args);
      } catch (e) {
        return guarded(e);
      }
    }),
    launch: mapValues(
      launchers,
      ({ runAsync }) =>
        (...args: readonly unknown[]) =>
          life.background(() => runAsync(args).catch(guarded)),
    ),
    seed: random.set,
    save: () => saveArena(arena, random.state()),
    load: (saved) => random.restore(loadArena(arena, saved)),
    storage,
    instance,
    dispose: life.dispose,
  };
  return readOnly(program, 'a program is what it was made to be', () => 'make another');
};

/* Made when they are first asked for: a layout may have many fields. */
const fieldsOf = (arena: Arena): Readonly<Record<string, ScalarHostField>> => {
  const fields: Record<string, ScalarHostField> = {};
  for (const { field } of arena.storage.layout.fields.values())
    Object.defineProperty(fields, field.name, {
      enumerable: true,
      get: once(() => hostField<FieldDecl>(arena, field)),
    });
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
