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
import { arenaName, sitesOf, type Storage } from '@filigree/sparse/fields';
import { bytesInUse, loadArena, saveArena } from '../fields/arena-file.js';
import { instantiateBanked, instantiateSpec, type Instance, type InstantiateOptions } from '../instantiate.js';
import type { Banking } from '../bank/banked.js';
import type { Session } from '../session/contract.js';
import type { Waiting } from '../session/turns.js';
import { guardedBuffer } from '../session/waiting-instance.js';
import type { Launchable } from './launcher.js';
import type { LossLedger } from './loss-ledger.js';
import type { notesReader } from './notes.js';
import type { Queue } from './queue/queue.js';
import type { QueueSource } from './queue/queue-source.js';
import type { QueueReport, SyncOptions } from './queue/report.js';
import type { AdjointKernels, TangentKernels } from '../tape/derivative-kernels.js';
import type { Decks } from '../tape/decks.js';
import type { Recorder } from '../tape/recorder.js';
import type { TangentDeck } from '../tape/tangent-deck.js';
import type { TapeDeck } from '../tape/tape-deck.js';
import type { Apart } from './apart.js';
import { recordersOn, refuseOn, writtenAfter } from './recorders.js';
import { running, type Running, type RunningParts } from './running.js';
import { seeds, type Seeds } from './seeds.js';
import { loadRare, rare } from '#rare';
import { isStrided } from '../fields/is-strided.js';
import type { Reports } from './status.js';
import type { WaitingLaunches } from './queue/waiting.js';

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
  /** What `hessianProduct` records launches on, with their tangents; only of a program that was made for it. */
  readonly second: TapeDeck | undefined;
  readonly storage: Storage;
  readonly instance: Instance;
  /** What kernels may report; nothing where none may. */
  readonly reports: Reports | undefined;
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
  /** Their tangents, and the adjoints of these, likewise. */
  readonly tangents?: TangentKernels;
  readonly second?: AdjointKernels;
  /** Whether kernels may report something; default that they may. */
  readonly reporting?: boolean;
  /** Whether the rules that derivatives rest on are checked where that costs time: adjoints run one by one then. */
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
    const { backend, seed = 0, over, adjoints, tangents, second, reporting = true, checked = false, ...rest } = options;
    const random = seeds(seed);
    const bind = { ...rest.bind, ...(over && arenaOf(storage, over)) };
    const shared = Object.keys(bind).length > 0;
    const instance = orThrow(await instantiateBanked(module, backend, { ...rest, ...(shared && { bind }) }, banking)());
    const { bind: _, ...compiling } = rest;
    const { session } = rest;
    const warned = instance.artifact.warnings ?? [];
    const returns = new Map(
      Object.values(launches)
        .flat()
        .flatMap(({ kernel, signature: { result } }) => (result ? [[kernel.name, result.buffer] as const] : [])),
    );
    const shown = new Map(
      Object.values(launches)
        .flat()
        .map(({ kernel, shown }) => [kernel.name, shown]),
    );
    /* What not every program needs is loaded when one does: pages load the rest only. */
    const waiting = queued && (await import('./queue/waiting.js'));
    const derived = adjoints || tangents ? await import('../tape/derived.js') : undefined;
    const apart = instance.memory.mapped ? undefined : (await import('./apart.js')).apart(instance, storage);
    const sites = sitesOf(module);
    const reports = reporting && sites.length > 0;
    if (reports || !isStrided(storage.layout)) await loadRare();
    const noted = Object.values(launches).some((kernels) => kernels.some(({ signature }) => signature.notes));
    const notes = noted ? await import('./notes.js') : undefined;
    const losses = module.attrs.losses === undefined ? undefined : await import('./loss-ledger.js');
    return assembled(storage, launches, instance, {
      session,
      random,
      initialized: over !== undefined,
      apart,
      reports: reports ? { sites, said: rare().statusDiagnostic } : undefined,
      notesOf: notes?.notesReader,
      ledger: losses?.lossLedger(storage, module, instance, (kernel) => shown.get(kernel)),
      waitingOf: (parts) =>
        waiting?.waitingLaunches(
          { source: queued!, backend, instance, session, options: compiling, said: warned },
          parts,
        ),
      decksOf: (parts) =>
        derived?.decksOf({ storage, instance, adjoints, tangents, second, checked, returns, random }, parts),
    });
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
  second: option.object('the adjoints of kernels with tangents', 'of', 'fields'),
  reporting: option.truth,
  checked: option.truth,
};

interface Assembly {
  readonly session: Session | undefined;
  readonly random: Seeds;
  readonly initialized: boolean;
  /** How its memory is seen where the host does not see it. */
  readonly apart: Apart | undefined;
  /** What kernels may report, and what reads the notes that they take, where they do. */
  readonly reports: Reports | undefined;
  readonly notesOf: typeof notesReader | undefined;
  readonly ledger: LossLedger | undefined;
  /** What launches wait in, where they do. */
  readonly waitingOf: (parts: RunningParts) => WaitingLaunches | undefined;
  /** What runs derivatives, where there are some. */
  readonly decksOf: (parts: RunningParts) => Decks | undefined;
}

const assembled = (
  storage: Storage,
  launches: Readonly<Record<string, readonly Launchable[]>>,
  instance: Instance,
  { session, random, initialized, apart, reports, notesOf, ledger, waitingOf, decksOf }: Assembly,
): FieldProgram => {
  const take = (given: RunningParts) => ({ ...given, decks: decksOf(given), waiting: waitingOf(given) });
  const words = instance.buffer(arenaName(storage.memory, 'i32'));
  const parts: { taken?: ReturnType<typeof take> } = {};
  const recorders = recordersOn(words.block);
  /* Derivatives follow what launches of one program do to fields. */
  const refuseForOthers = (what: string): void => {
    refuseOn(words.block, what, followersOf(parts.taken?.decks));
  };
  const writing = new Set(
    Object.entries(launches).flatMap(([name, kernels]) =>
      kernels.some(({ writes }) => storage.buffers.some((b) => writes.has(b.name))) ? [name] : [],
    ),
  );
  const core = running(
    {
      executable: instance,
      storage,
      reports,
      random,
      initialized,
      ...(apart ?? { seen: instance.buffers }),
    },
    launches,
    (given) => {
      const { decks, waiting } = (parts.taken = take(given));
      const { recorder, accesses, tangents } = decks ?? {};
      const own = followersOf(decks);
      own.forEach((deck) => recorders.add(deck));
      const queue = waiting?.queue;
      const self: Waiting = { flush: () => queue?.flush() };
      const handedOut: DeviceBuffer[] = [];
      const leave = waiting?.host(self, words, handedOut);
      return {
        context: {
          recorder,
          accesses,
          tangents,
          ...(notesOf && { notesOf }),
          ...(queue && { queue: (call) => queue.launcherOf(call) }),
        },
        onUse: (use) => {
          session?.turns.take(self);
          if (use && use !== 'settle') {
            refuseForOthers('writes to a field, or takes hold of its memory');
            for (const deck of own)
              deck.refuse('the host writes to a field, or takes hold of its memory', 'do so before, or by a kernel');
          }
          if (use === 'hold' || (use === 'bind' && !session)) queue?.stop();
          else queue?.flush();
          if (use === 'hold') session?.hold({ block: words.block, begin: 0, end: words.block.bytes });
          if (use === 'structure') queue?.forget();
        },
        onLaunch: (name) => {
          session?.turns.take(self);
          if (writing.has(name)) refuseForOthers(`launches '${name}', which writes fields`);
        },
        guard: (buffer) => {
          if (session) handedOut.push(buffer);
          const seen = session
            ? guardedBuffer(buffer, { flush: given.ready, hold: () => given.ready('hold') })
            : buffer;
          return writtenAfter(seen, () => given.ready('values'));
        },
        onBackground: (name) => {
          session?.turns.take(self);
          if (writing.has(name)) refuseForOthers(`launches '${name}', which writes fields`);
          for (const deck of own)
            deck.refuse(`launch.${name} runs in the background`, `write run.${name} in what is differentiated`);
          queue?.flush();
          queue?.forget();
        },
        ...(ledger && { onRan: ledger.note }),
        onDispose: () => {
          own.forEach((deck) => recorders.delete(deck));
          leave?.();
          queue?.dispose();
        },
      };
    },
  );
  const { arena, life, decks, waiting } = parts.taken!;
  const queue = waiting?.queue;
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
    losses: ledger?.losses ?? (() => []),
    tape: decks?.tape(queue),
    tangents: decks?.tangents,
    second: decks?.second,
    storage,
    instance: queue ? held(instance, queue) : instance,
    reports,
    launches,
  };
  return readOnly(program, 'a program is what it was made to be', () => 'make another');
};

/** Those of a program that follow what launches do to its fields. */
const followersOf = (decks: Decks | undefined): readonly Pick<Recorder, 'refuse'>[] =>
  [decks?.recorder, decks?.tangents, decks?.second?.recorder].filter((deck) => deck !== undefined);

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
