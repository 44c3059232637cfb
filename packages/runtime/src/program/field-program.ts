import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Backend } from '@filigree/backend';
import { deviceBuffer, type Bindings } from '@filigree/backend/device';
import { backendOption } from '@filigree/backend/options';
import {
  attempt,
  fail,
  type Diagnostics,
  type Module,
  checkOptions,
  option,
  type OptionSpec,
  readOnly,
} from '@filigree/ir';
import {
  arenaName,
  holdsWords,
  initializeArena,
  settleAll,
  sitesOf,
  type AnyField,
  type FieldDecl,
  type Storage,
} from '@filigree/sparse/fields';
import { loadArena, saveArena } from '../fields/arena-file.js';
import { openArena, type Arena, type ArenaUse } from '../fields/arena.js';
import { mirroredArena } from '../fields/mirrored.js';
import { hostField, hostFields, type HostFieldOf, type ScalarHostField } from '../fields/host-field.js';
import { once } from '../fields/once.js';
import { instantiateBanked, instantiateSpec, type Instance, type InstantiateOptions } from '../instantiate.js';
import type { Banking } from '../bank/banked.js';
import { lifecycle } from '../lifecycle.js';
import { right } from '../right.js';
import { launchByName } from './launch-by-name.js';
import { launcherOf, type LaunchContext, type Launchable, type Returned } from './launcher.js';
import { Queue, type QueueReport, type QueueSetting } from './queue/queue.js';
import type { AdjointKernels, TangentKernels } from '../tape/derivative-kernels.js';
import { recorderOf } from '../tape/recorder.js';
import { structuresOf } from '../tape/structure.js';
import { tangentDeck, type TangentDeck } from '../tape/tangent-deck.js';
import { tapeDeck, type TapeDeck } from '../tape/tape-deck.js';
import { seeds, type Seeds } from './seeds.js';
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
  readonly run: Readonly<Record<string, (...args: readonly unknown[]) => Returned>>;
  /** As `run`, without blocking where the backend can. Launches run in the order in which they are made. */
  readonly launch: Readonly<Record<string, (...args: readonly unknown[]) => Promise<Returned>>>;
  /** Restarts the sequence of random numbers. Error: `program/seed`. */
  readonly seed: (seed: number) => void;
  /** The contents of all fields as bytes, and the state of the random numbers. */
  readonly save: () => Uint8Array;
  /** Restores everything to what `save` gave. Errors: `arena/…`; nothing has changed then. */
  readonly load: (saved: Uint8Array) => void;
  /** Runs the launches that wait in the queue, where there is one. Throws what one of them reports; those after it are dropped. */
  readonly flush: () => void;
  /**
   * As `flush`; resolves when everything has run, with `compiled` also when the code of all plans is there: windows like those that
   * were launched so far then run by it.
   */
  readonly sync: (options?: SyncOptions) => Promise<void>;
  /** What was launched so far, and what planning cost; nothing where launches do not wait. */
  readonly queued: () => QueueReport | undefined;
  /** What `valueAndGradient` records launches on; only of a program that was made to be differentiated. */
  readonly tape: TapeDeck | undefined;
  /** What `valueAndTangent` runs launches by; only of a program that was made with tangents. */
  readonly tangents: TangentDeck | undefined;
  readonly storage: Storage;
  readonly instance: Instance;
  readonly dispose: () => void;
}

/** What is waited for. */
export interface SyncOptions {
  /** Also the code of plans; default false. */
  readonly compiled?: boolean;
}

/** How a lowered module is brought to memory. */
export interface FieldProgramOptions extends InstantiateOptions {
  /** The backend to compile with. */
  readonly backend: Backend;
  /** Seed of random numbers; default 0. */
  readonly seed?: number;
  /**
   * A program of the same layout whose fields this one shares: what one writes the other reads, with nothing copied. Errors:
   * `program/over`, `memory/…`.
   */
  readonly over?: Pick<FieldProgram, 'storage' | 'instance'>;
  /** The adjoints of its kernels, which are in the module too. */
  readonly adjoints?: AdjointKernels;
  /** Their tangents, likewise. */
  readonly tangents?: TangentKernels;
  /** Whether the rules that derivatives rest on are checked where that costs time: what was active when a launch ran must be so for its adjoint. */
  readonly checked?: boolean;
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
  queued?: QueueSource,
  banking?: Banking,
): TaskEither<Diagnostics, FieldProgram> =>
  attempt(async () => {
    const options = checkOptions('fieldProgram', given, fieldProgramSpec);
    const { backend, seed = 0, over, adjoints, tangents, checked = false, ...rest } = options;
    const random = seeds(seed);
    const bind = { ...rest.bind, ...(over && arenaOf(storage, over)) };
    const shared = Object.keys(bind).length > 0;
    const made = right(await instantiateBanked(module, backend, { ...rest, ...(shared && { bind }) }, banking)());
    const compiling = { ...rest };
    delete (compiling as { bind?: unknown }).bind;
    const queue = queued && { ...queued, backend, options: compiling, instance: made };
    return assembled(storage, module, launches, made, {
      random,
      initialized: over !== undefined,
      adjoints,
      tangents,
      checked,
      ...(queue && { queue }),
    });
  });

/** What a queue of launches is made from: the kernels before they were lowered, and how they are. */
export type QueueSource = Pick<QueueSetting, 'cut' | 'tasks' | 'lower' | 'entry' | 'queue'>;

/** The arrays of an arena, by name, in the memory of a program that has it. Error: `program/over`. */
const arenaOf = (storage: Storage, over: Pick<FieldProgram, 'storage' | 'instance'>): Bindings => {
  if (over.storage !== storage)
    fail('program/over', 'the program is to share the fields of one that stores them elsewhere', {
      remedy: 'make both over one storage',
    });
  const { block, offset } = over.instance.buffer(arenaName(storage.memory, 'i32'));
  return Object.fromEntries(storage.buffers.map((b) => [b.name, deviceBuffer({ ...b, block, offset })]));
};

/** What `fieldProgram` takes, for those that pass it on. */
export const fieldProgramSpec: OptionSpec<FieldProgramOptions> = {
  ...instantiateSpec,
  backend: backendOption,
  seed: option.anything,
  over: option.object('a program of fields', 'storage', 'instance'),
  adjoints: option.object('the adjoints of kernels', 'of', 'fields'),
  tangents: option.object('the tangents of kernels', 'of', 'fields'),
  checked: option.truth,
};

interface Assembly {
  readonly random: Seeds;
  readonly initialized: boolean;
  readonly queue?: Omit<QueueSetting, 'check' | 'failed'>;
  readonly adjoints: AdjointKernels | undefined;
  readonly tangents: TangentKernels | undefined;
  readonly checked: boolean;
}

const assembled = (
  storage: Storage,
  module: Module,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  instance: Instance,
  { random, initialized, adjoints, tangents, checked, queue: source }: Assembly,
): FieldProgram => {
  const activeIn = function* (name: string): Generator<readonly number[]> {
    for (const [at] of hostField<FieldDecl>(arena, storage.layout.fields.get(name)!.field).entries()) yield at;
  };
  const recorder =
    adjoints &&
    recorderOf(instance, structuresOf(checked ? adjoints.loops : new Map<string, readonly string[]>(), activeIn));
  const returns = new Map(
    Object.values(launches)
      .flat()
      .flatMap(({ kernel, signature: { result } }) => (result ? [[kernel.name, result.buffer] as const] : [])),
  );
  const forwards = tangents && tangentDeck(instance, tangents, (name) => check(name, undefined), returns);
  const life = lifecycle({ codes: 'program', what: 'the program was', again: 'make it again' }, () => {
    queue?.dispose();
    instance.dispose();
  });
  /* Another program may run in this memory, too. */
  const ready = (use?: ArenaUse): void => {
    life.ready();
    instance.ready();
    if (use && use !== 'settle')
      for (const deck of [recorder, forwards])
        deck?.refuse('the host writes to a field, or takes hold of its memory', 'do so before, or by a kernel');
    if (use === 'hold') queue?.stop();
    else queue?.flush();
    if (use === 'structure') queue?.forget();
  };
  const words = instance.buffer(arenaName(storage.memory, 'i32'));
  const { memory } = instance;
  const seen = memory.mapped ? instance.buffers : mirroredArena(storage, memory.mirror(words.block), words.offset);
  const arena = openArena(storage, seen, ready, words);
  if (!initialized) arena.mirrored?.look({ writes: true });
  if (!initialized) initializeArena(storage, arena.words);
  const sites = sitesOf(module);
  const check: LaunchContext['check'] = (name, shown) => checkStatus(arena, sites, name, shown);
  const context: LaunchContext = {
    recorder,
    tangents: forwards,
    executable: instance,
    nextSeed: random.next,
    check,
  };
  /* A kernel that trapped has not cleared up: neither what it reported, nor the cells that it gave back. */
  const guarded = (e: unknown): never => {
    arena.mirrored?.look({ writes: true });
    clearStatus(arena);
    settleAll(arena);
    throw e;
  };
  const queue =
    source &&
    new Queue({
      ...source,
      check: ({ launch, shown }, numbered) => checkStatus(arena, numbered, launch, shown),
      failed: guarded,
    });
  const launchers = mapValues(launches, (kernels, name) =>
    launcherOf(name, kernels, {
      ...context,
      ...(queue && { queue: (call) => queue.launcherOf(call) }),
    }),
  );

  const program: FieldProgram = {
    fields: fieldsOf(arena),
    field: hostFields(arena),
    run: mapValues(launchers, ({ run }) => (...args: readonly unknown[]) => {
      life.ready();
      try {
        return run(args);
      } catch (e) {
        return guarded(e);
      }
    }),
    launch: mapValues(launchers, ({ runAsync }, name) => (...args: readonly unknown[]) => {
      for (const deck of [recorder, forwards])
        deck?.refuse(`launch.${name} runs in the background`, `write run.${name} in what is differentiated`);
      queue?.flush();
      queue?.forget();
      return life.background(() => runAsync(args).catch(guarded));
    }),
    seed: random.set,
    save: () => saveArena(arena, random.state()),
    load: (saved) => random.restore(loadArena(arena, saved)),
    flush: () => {
      life.ready();
      queue?.flush();
    },
    sync: async (options) => {
      const { compiled = false } = checkOptions<SyncOptions>('sync', options, { compiled: option.truth });
      life.alive();
      await life.background(async () => queue?.sync(compiled));
    },
    queued: () => queue?.report(),
    tape: adjoints && recorder && tapeDeck(instance, adjoints, recorder, launchByName(instance, check, queue), random),
    tangents: forwards,
    storage,
    instance: queue ? held(instance, queue) : instance,
    dispose: life.dispose,
  };
  return readOnly(program, 'a program is what it was made to be', () => 'make another');
};

/** An instance whose memory is handed out as it is after all launches, and from then on after each. */
const held = (instance: Instance, queue: Queue): Instance =>
  /* Sources are made when they are asked for. */
  Object.defineProperties({} as Instance, {
    ...Object.getOwnPropertyDescriptors(instance),
    ...Object.getOwnPropertyDescriptors({
      buffer: (name: string) => {
        queue.stop();
        return instance.buffer(name);
      },
      get buffers() {
        queue.stop();
        return instance.buffers;
      },
    }),
  });

/* Made when they are first asked for: a layout may have many fields. */
const fieldsOf = (arena: Arena): Readonly<Record<string, ScalarHostField>> => {
  const fields: Record<string, ScalarHostField> = {};
  const { layout } = arena.storage;
  for (const { field, path } of layout.fields.values())
    if (!holdsWords(layout.nodes[path[path.length - 1]]))
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
