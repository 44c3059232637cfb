import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Backend } from '@filigree/backend';
import { deviceBuffer, type Bindings, type DeviceBuffer } from '@filigree/backend/device';
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
  orThrow,
} from '@filigree/ir';
import type { Loss } from '@filigree/quant';
import { arenaName, sitesOf, type FieldDecl, type Storage } from '@filigree/sparse/fields';
import { bytesInUse, loadArena, saveArena } from '../fields/arena-file.js';
import { hostField, hostFields } from '../fields/host-field.js';
import { mirroredArena } from '../fields/mirrored.js';
import { instantiateBanked, instantiateSpec, type Instance, type InstantiateOptions } from '../instantiate.js';
import type { Banking } from '../bank/banked.js';
import type { Session } from '../session/contract.js';
import { hostOf, type FieldHost } from '../session/field-host.js';
import { touchesHeld } from '../session/joined.js';
import type { Waiting } from '../session/turns.js';
import { guardedBuffer } from '../session/waiting-instance.js';
import { launchByName } from './launch-by-name.js';
import type { Launchable } from './launcher.js';
import { lossLedger } from './loss-ledger.js';
import { notesReader } from './notes.js';
import type { FastMath } from './queue/freedom.js';
import { isPlaced, type Making } from './queue/fused-code.js';
import { Queue, type QueueSetting } from './queue/queue.js';
import type { QueueReport, SyncOptions } from './queue/report.js';
import type { AdjointKernels, TangentKernels } from '../tape/derivative-kernels.js';
import { accessDeck } from '../tape/access-deck.js';
import { keptFields } from '../tape/kept-fields.js';
import { keeperOf } from '../tape/keeper.js';
import { recorderOf } from '../tape/recorder.js';
import type { Saved } from '../tape/saved.js';
import { structuresOf } from '../tape/structure.js';
import { tangentDeck, type TangentDeck } from '../tape/tangent-deck.js';
import { tapeDeck, type TapeDeck } from '../tape/tape-deck.js';
import { running, type Running, type RunningOn, type RunningParts } from './running.js';
import { seeds, type Seeds } from './seeds.js';
import { checkStatus } from './status.js';

/**
 * Fields and kernels that run on them. What a launch reports, and what the host does wrong, is thrown as `DiagnosticError`.
 * After `dispose` everything is `program/disposed`; while launches of `launch` run, the host gets `program/busy`.
 */
export interface FieldProgram extends Running {
  /** Bytes of all cells that are in use, or were and will be again. */
  readonly bytes: () => number;
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
  /**
   * What kernels lost so far where they stored numbers in few bits, for each kernel, field and line that says so; counted where the program was
   * made with `debug` or `losses`, else nothing. What the host writes is not counted. Also after `dispose`.
   */
  readonly losses: () => readonly Loss[];
  /** What `valueAndGradient` records launches on; only of a program that was made to be differentiated. */
  readonly tape: TapeDeck | undefined;
  /** What `valueAndTangent` runs launches by; only of a program that was made with tangents. */
  readonly tangents: TangentDeck | undefined;
  readonly storage: Storage;
  readonly instance: Instance;
  /** The kernels of each launch, and how they are launched. */
  readonly launches: Readonly<Record<string, readonly Launchable[]>>;
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
    const made = orThrow(await instantiateBanked(module, backend, { ...rest, ...(shared && { bind }) }, banking)());
    const compiling = { ...rest };
    delete (compiling as { bind?: unknown }).bind;
    const said = made.artifact.warnings ?? [];
    const queue = queued && {
      ...queued,
      making: (fastMath: FastMath) => ({ ...queued.making(fastMath), options: { ...compiling, fastMath } }),
      backend,
      options: compiling,
      bufferOf: placedIn(made, rest.session),
      said,
    };
    return assembled(storage, module, launches, made, {
      session: rest.session,
      random,
      initialized: over !== undefined,
      adjoints,
      tangents,
      checked,
      ...(queue && { queue }),
    });
  });

/** The buffers of an instance by name, but for constants and scratch; and those of programs that wait with it. */
const placedIn = (instance: Instance, session: Session | undefined): QueueSetting['bufferOf'] => {
  const there = new Set(instance.module.buffers.flatMap(({ name, role }) => (isPlaced(role) ? [name] : [])));
  return (name) => (there.has(name) ? instance.buffer(name) : session?.places.bufferOf(name));
};

/** What a queue of launches is made from: the kernels before they were lowered, and how they are. */
export interface QueueSource extends Pick<QueueSetting, 'cut' | 'queue'> {
  readonly making: (fastMath: FastMath) => Omit<Making, 'options'>;
}

/** The tasks that wait, to which those of programs that join are added. */
const waitingIn = ({
  cut: { tasks, setting },
}: Pick<QueueSource, 'cut'>): Pick<FieldHost, 'tasks' | 'setting' | 'own' | 'freedom'> => ({
  tasks: new Map(tasks),
  setting: { ...setting, buffers: [...setting.buffers] },
  own: new Set(setting.buffers.map((b) => b.name)),
  freedom: new Map(),
});

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
  readonly session: Session | undefined;
  readonly random: Seeds;
  readonly initialized: boolean;
  readonly queue?: Pick<QueueSetting, 'cut' | 'queue' | 'making' | 'backend' | 'bufferOf' | 'said'> &
    Pick<FieldHost, 'options'>;
  readonly adjoints: AdjointKernels | undefined;
  readonly tangents: TangentKernels | undefined;
  readonly checked: boolean;
}

const assembled = (
  storage: Storage,
  module: Module,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  instance: Instance,
  { session, random, initialized, adjoints, tangents, checked, queue: source }: Assembly,
): FieldProgram => {
  const returns = new Map(
    Object.values(launches)
      .flat()
      .flatMap(({ kernel, signature: { result } }) => (result ? [[kernel.name, result.buffer] as const] : [])),
  );
  const take = ({ arena, life, check, guarded }: RunningParts) => {
    const activeIn = function* (name: string): Generator<readonly number[]> {
      for (const [at] of hostField<FieldDecl>(arena, storage.layout.fields.get(name)!.field).entries()) yield at;
    };
    const fieldOf = hostFields(arena);
    const keep = (fields: readonly string[]): Saved => keptFields(storage.layout, fieldOf, fields);
    const recorder =
      adjoints &&
      recorderOf(
        instance,
        structuresOf(checked ? adjoints.loops : new Map<string, readonly string[]>(), activeIn),
        keeperOf((kernel) => {
          const derived = adjoints.of.get(kernel);
          return derived && 'needs' in derived ? derived.needs : undefined;
        }, keep),
      );
    const accesses =
      adjoints?.watched &&
      accessDeck(instance, storage.layout, adjoints.watched, (kernel, args, of, shown) => {
        instance.launch(kernel, args);
        check(of, shown);
      });
    const forwards = tangents && tangentDeck(instance, tangents, (name) => check(name, undefined), returns);
    const waiting = source && waitingIn(source);
    const queue =
      source &&
      waiting &&
      new Queue({
        ...source,
        cut: waiting,
        freedomOf: (kernel) => waiting.freedom.get(kernel) ?? source.options.fastMath ?? true,
        ...(session && { atOnce: touchesHeld(waiting.tasks, session.held) }),
        check: ({ launch, shown }, numbered) => checkStatus(arena, numbered, launch, shown),
        failed: guarded,
      });
    return { arena, life, check, recorder, keep, accesses, forwards, queue, waiting };
  };
  const ledger = lossLedger(storage, module, instance);
  const words = instance.buffer(arenaName(storage.memory, 'i32'));
  const parts: { taken?: ReturnType<typeof take> } = {};
  const core = running(
    { executable: instance, storage, sites: sitesOf(module), random, initialized, seen: seenBy(instance, storage) },
    launches,
    (given) => {
      const { recorder, accesses, forwards, queue, waiting } = (parts.taken = take(given));
      const self: Waiting = { flush: () => queue?.flush() };
      const handedOut: DeviceBuffer[] = [];
      const leave =
        session &&
        queue &&
        waiting &&
        session.hosts(hostOf({ ...waiting, session, queue, self, words, options: source!.options }, handedOut));
      return {
        context: {
          recorder,
          accesses,
          tangents: forwards,
          notesOf: notesReader,
          ...(queue && { queue: (call) => queue.launcherOf(call) }),
        },
        onUse: (use) => {
          session?.turns.take(self);
          if (use && use !== 'settle')
            for (const deck of [recorder, forwards])
              deck?.refuse('the host writes to a field, or takes hold of its memory', 'do so before, or by a kernel');
          if (use === 'hold' || (use === 'bind' && !session)) queue?.stop();
          else queue?.flush();
          if (use === 'hold') session?.hold({ block: words.block, begin: 0, end: words.block.bytes });
          if (use === 'structure') queue?.forget();
        },
        ...(session && {
          onLaunch: () => session.turns.take(self),
          guard: (buffer) => {
            handedOut.push(buffer);
            return guardedBuffer(buffer, { flush: given.ready, hold: () => given.ready('hold') });
          },
        }),
        onBackground: (name) => {
          session?.turns.take(self);
          for (const deck of [recorder, forwards])
            deck?.refuse(`launch.${name} runs in the background`, `write run.${name} in what is differentiated`);
          queue?.flush();
          queue?.forget();
        },
        onRan: ledger.note,
        onDispose: () => {
          leave?.();
          queue?.dispose();
        },
      };
    },
  );
  const { arena, life, check, recorder, keep, accesses, forwards, queue } = parts.taken!;
  const program: FieldProgram = {
    ...core,
    bytes: () => bytesInUse(arena),
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
    losses: ledger.losses,
    tape:
      adjoints &&
      recorder &&
      tapeDeck(instance, adjoints, recorder, launchByName(instance, check, queue), random, keep, accesses?.begin),
    tangents: forwards,
    storage,
    instance: queue ? held(instance, queue) : instance,
    launches,
  };
  return readOnly(program, 'a program is what it was made to be', () => 'make another');
};

/** The arena as the host sees it: where it lies, or in a mirror. */
const seenBy = ({ memory, buffer, buffers }: Instance, storage: Storage): RunningOn['seen'] => {
  if (memory.mapped) return buffers;
  const words = buffer(arenaName(storage.memory, 'i32'));
  return mirroredArena(storage, memory.mirror(words.block), words.offset);
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
