import type { Backend } from '@filigree/backend';
import { coreDialects, type Buffer, type Module } from '@filigree/ir';
import { cutCoreKernels, noLayout, type Task, type TaskSetting } from '@filigree/sparse/fields';
import { codeElsewhere } from '../away/elsewhere.js';
import type { InstantiateOptions } from '../instantiate.js';
import { launchByName } from '../program/launch-by-name.js';
import type { CodeSetting, FusedModule } from '../program/queue/fused-code.js';
import { Queue, type QueueOptions } from '../program/queue/queue.js';
import type { QueueReport } from '../program/queue/report.js';
import type { Joining } from './contract.js';
import type { Places, Stretch } from './places.js';
import { renamed } from './renamed.js';
import type { Turns, Waiting } from './turns.js';
import type { Entered } from './waiting-instance.js';

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
  private readonly buffers: Buffer[] = [];
  private readonly queue: Queue;
  private entered = 0;

  static async of(around: Surroundings, options: InstantiateOptions, queue: QueueOptions): Promise<SessionQueue> {
    const described = { whole: inPlace, parts: [String(options.threads)], lowered: { fields: undefined } };
    const { threads: _, ...compiling } = options;
    return new SessionQueue(around, options, queue, await codeElsewhere(around.backend, compiling, described));
  }

  private constructor(
    private readonly around: Surroundings,
    options: InstantiateOptions,
    queue: QueueOptions,
    elsewhere: CodeSetting['elsewhere'],
  ) {
    const { backend, places, held } = around;
    const setting: TaskSetting = { layout: noLayout, buffers: this.buffers, dialects: coreDialects };
    const touches = (kernel: string): boolean =>
      this.tasks.get(kernel)!.some((task) => [...task.touches.keys()].some((place) => held.has(place)));
    this.queue = new Queue({
      cut: { tasks: this.tasks, setting },
      tasks: setting,
      lower: inPlace,
      elsewhere,
      backend,
      options,
      bufferOf: (name) => places.bufferOf(name),
      queue,
      atOnce: ({ kernel }) => held.size > 0 && touches(kernel),
      check: () => undefined,
      failed: (cause) => {
        throw cause;
      },
    });
  }

  /** A program joins: its launches wait here from now on. Nothing where its buffers lie partly in others, which effects do not tell. */
  enter(instance: Joining): Entered | undefined {
    const { places, turns, hold } = this.around;
    const placed = instance.module.buffers.flatMap(({ name, role }) =>
      role === 'scratch' ? [] : [instance.buffer(name)],
    );
    if (placed.some((b) => places.crosses(b)) || instance.given.buffers.some((b) => b.memory !== undefined))
      return undefined;
    const prefix = `p${this.entered++}`;
    const names = new Map(instance.given.buffers.map(({ name }) => [name, `${prefix}_${name}`]));
    for (const b of placed) if (names.has(b.name)) names.set(b.name, places.nameOf(b, b.name));
    const { tasks, setting } = cutCoreKernels(renamed(instance.given, names, (kernel) => `${prefix}_${kernel}`));
    const known = new Set(this.buffers.map((b) => b.name));
    this.buffers.push(...setting.buffers.filter((b) => !known.has(b.name)));
    for (const [kernel, list] of tasks) this.tasks.set(kernel, list);
    this.tasks.set(prefix, [...tasks.values()].flat());
    const launch = launchByName(
      {
        launch: (kernel, args) =>
          kernel === prefix ? instance.run() : instance.launch(kernel.slice(prefix.length + 1), args),
        buffer: instance.buffer,
      },
      () => undefined,
      this.queue,
    );
    return {
      launch: (kernel, args) => {
        turns.take(this);
        launch(kernel === undefined ? prefix : `${prefix}_${kernel}`, { args });
      },
      flush: () => turns.flush(),
      hold,
      leave: () => {
        turns.flush();
        this.queue.drop([prefix, ...tasks.keys()]);
      },
    };
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

/** Code over what programs have: tables of theirs are read where they lie. */
const inPlace = ({ kernels, buffers }: FusedModule): Module => ({
  name: 'fused',
  attrs: {},
  kernels,
  buffers: buffers.map(({ data, ...b }) => (data === undefined ? b : { ...b, role: 'input' })),
});
