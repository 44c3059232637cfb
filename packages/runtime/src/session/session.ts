import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Backend, MemoryOptions } from '@filigree/backend';
import type { Memory } from '@filigree/backend/device';
import { attempt, checkOptions, fail, option, orThrow, type Diagnostics, type OptionSpec } from '@filigree/ir';
import type { InstantiateOptions } from '../instantiate.js';
import { queueOption, type QueueOptions } from '../program/queue/queue-options.js';
import type { QueueReport, SyncOptions } from '../program/queue/report.js';
import { openMemory } from '../sharing.js';
import type { Entered, Host, Joining, Session } from './contract.js';
import { Places, type Stretch } from './places.js';
import type { SessionQueue, Surroundings } from './session-queue.js';
import { Turns } from './turns.js';
import { waitingInstance } from './waiting-instance.js';

/** How a session is made. */
export interface SessionOptions extends MemoryOptions {
  /** How launches wait; `false`: they run at once. Default true. */
  readonly queue?: boolean | QueueOptions;
}

/** Opens a session. Errors: `runtime/backend`, `memory/backend` where programs of the backend share no memory, `load/memory`. */
export const session = (backend: Backend, given?: SessionOptions): TaskEither<Diagnostics, Session> =>
  attempt(async () => {
    const { queue = true, ...options } = checkOptions('session', given, sessionSpec);
    return sessionIn(backend, orThrow(await openMemory(backend, options)()), queue);
  });

/** What `session` takes, for those that pass it on. */
export const sessionSpec: OptionSpec<SessionOptions> = { bytes: option.number(0), queue: queueOption };

const sessionIn = (backend: Backend, memory: Memory, queue: boolean | QueueOptions): Session => {
  const places = new Places();
  const turns = new Turns();
  const held = new Set<string>();
  const stretches: Stretch[] = [];
  const queues = new Map<string, SessionQueue>();
  const hosts = new Set<Host>();
  let disposed = false;

  const holdAll = (): void => {
    for (const stretch of stretches) for (const name of places.within(stretch)) held.add(name);
  };
  const hold = (stretch: Stretch): void => {
    turns.flush();
    stretches.push(stretch);
    holdAll();
    for (const host of hosts) host.held(stretch);
  };
  const alive = (): void => {
    if (disposed) fail('session/disposed', 'the session was disposed of', { remedy: 'open another' });
  };
  const around: Surroundings = { backend, places, turns, held, hold };
  const queueFor = async (options: InstantiateOptions): Promise<SessionQueue> => {
    const key = JSON.stringify(Object.entries(options).sort());
    const { SessionQueue } = await import('./session-queue.js');
    const made = queues.get(key) ?? (await SessionQueue.of(around, options, typeof queue === 'object' ? queue : {}));
    /* Another program may have been faster. */
    const known = queues.get(key) ?? made;
    queues.set(key, known);
    return known;
  };
  return {
    backend,
    memory,
    turns,
    places,
    held,
    hosts: (host) => {
      hosts.add(host);
      return () => void hosts.delete(host);
    },
    hold,
    alive,
    enter: async (instance, options) => {
      alive();
      if (queue === false) return instance;
      const joins = firstOf(hosts, (host) => host.join(instance, options));
      const own = joins ? undefined : await queueFor(options);
      alive();
      const entered = joins ?? own?.enter(instance);
      if (entered) holdAll();
      return waitingInstance(instance, entered ?? inTurn(instance, around));
    },
    flush: () => turns.flush(),
    sync: async (given) => {
      const { compiled = false } = checkOptions<SyncOptions>('sync', given, { compiled: option.truth });
      turns.flush();
      for (const q of [...queues.values(), ...hosts]) await q.sync(compiled);
    },
    queued: () => together([...queues.values(), ...hosts].map((q) => q.report())),
    dispose: () => {
      if (disposed) return;
      try {
        turns.flush();
      } finally {
        disposed = true;
        for (const q of [...queues.values(), ...hosts]) q.end();
        memory.dispose();
      }
    },
  };
};

const firstOf = <A, B>(all: Iterable<A>, f: (a: A) => B | undefined): B | undefined => {
  for (const a of all) {
    const found = f(a);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A program that does not wait itself: what waits runs before each of its launches. */
const inTurn = (instance: Joining, { turns, hold }: Surroundings): Entered => ({
  launch: (kernel, args) => {
    turns.flush();
    if (kernel === undefined) instance.run();
    else instance.launch(kernel, args);
  },
  flush: () => turns.flush(),
  hold,
  leave: () => turns.flush(),
});

/** Several reports as one. */
const together = (reports: readonly QueueReport[]): QueueReport => {
  const sum = (of: (r: QueueReport) => number): number => reports.reduce((s, r) => s + of(r), 0);
  return {
    launches: sum((r) => r.launches),
    tasksLaunched: sum((r) => r.tasksLaunched),
    kinds: { loops: sum((r) => r.kinds.loops), serial: sum((r) => r.kinds.serial), lists: sum((r) => r.kinds.lists) },
    tasksCompiled: sum((r) => r.tasksCompiled),
    tasksKept: sum((r) => r.tasksKept),
    plans: sum((r) => r.plans),
    remembered: sum((r) => r.remembered),
    planMs: sum((r) => r.planMs),
    compileMs: sum((r) => r.compileMs),
    warnings: reports.flatMap((r) => r.warnings),
    timeline: reports.flatMap((r) => r.timeline),
    last: reports.findLast((r) => r.last !== undefined)?.last,
  };
};
