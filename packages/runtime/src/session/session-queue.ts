import type { Backend } from '@filigree/backend';
import { coreDialects, type Buffer, type Module } from '@filigree/ir';
import { noLayout } from '@filigree/sparse/fields';
import { type Task } from '@filigree/sparse/tasks';
import { codeElsewhere } from '#kept';
import type { InstantiateOptions } from '../instantiate.js';
import type { FusedModule, Making } from '../program/queue/fused-code.js';
import type { QueueOptions } from '../program/queue/queue-options.js';
import { Queue } from '../program/queue/queue.js';
import type { QueueReport } from '../program/queue/report.js';
import type { Entered, Joining } from './contract.js';
import { join, tablesInPlace, touchesHeld } from './joined.js';
import type { Places, Stretch } from './places.js';
import type { Turns, Waiting } from './turns.js';

/** What the queues of a session share. */
export interface Surroundings {
  readonly backend: Backend;
  readonly places: Places;
  readonly turns: Turns;
  /** Names of buffers that the host holds. */
  readonly held: ReadonlySet<string>;
  readonly hold: (stretch: Stretch) => void;
}

/**
 * Launches of programs that are compiled alike, which wait together. Tasks of a program follow from the effects of its ops, and name a buffer
 * by where it lies; so what one program writes and another reads is one state.
 */
export class SessionQueue implements Waiting {
  private readonly tasks = new Map<string, readonly Task[]>();
  private readonly setting = { layout: noLayout, buffers: [] as Buffer[], dialects: coreDialects };
  private readonly queue: Queue;

  static async of(around: Surroundings, options: InstantiateOptions, queue: QueueOptions): Promise<SessionQueue> {
    const described = { whole: inPlace, parts: [String(options.threads)], lowered: { fields: undefined } };
    const { threads: _, ...compiling } = options;
    return new SessionQueue(around, options, queue, await codeElsewhere(around.backend, compiling, described));
  }

  private constructor(
    private readonly around: Surroundings,
    options: InstantiateOptions,
    queue: QueueOptions,
    elsewhere: Making['elsewhere'],
  ) {
    const { backend, places, held } = around;
    const { tasks, setting } = this;
    this.queue = new Queue({
      cut: { tasks, setting },
      /* Those that wait here are compiled alike. */
      making: () => ({ lower: inPlace, elsewhere, options }),
      freedomOf: () => true,
      backend,
      bufferOf: (name) => places.bufferOf(name),
      queue,
      atOnce: touchesHeld(tasks, held),
      check: () => undefined,
      failed: (cause) => {
        throw cause;
      },
    });
  }

  /** A program joins: its launches wait here from now on. Nothing where they cannot. */
  enter(instance: Joining): Entered | undefined {
    const { places, turns, hold } = this.around;
    const { queue, tasks, setting } = this;
    const joint = { queue, tasks, setting, own, places, turns, self: this, hold };
    return join(instance, { ...joint, fieldAt: () => undefined })?.entered;
  }

  flush(): void {
    this.queue.flush();
  }

  sync(compiled: boolean): Promise<void> {
    return this.queue.sync(compiled);
  }

  report(): QueueReport {
    return this.queue.report();
  }

  /** Runs what waits; launches run at once from now on. */
  end(): void {
    this.queue.stop();
    this.queue.dispose();
  }
}

/* A queue of programs that joined alone. */
const own: ReadonlySet<string> = new Set();

const inPlace = ({ kernels, buffers }: FusedModule): Module => ({
  name: 'fused',
  attrs: {},
  kernels,
  buffers: tablesInPlace(buffers),
});
