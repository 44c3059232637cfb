import { program, type ExampleOptions, type FieldProgram, type GraphPass } from 'filigree';
import { coreDialects } from '@filigree/ir';
import { lowerKernels, type KernelDef } from '@filigree/lang/kernels';
import { cutKernels, fieldDialect, memoryFor, referenceTasks, storageOf } from '@filigree/sparse/fields';
import { drawGraph, type Plan } from '@filigree/sched';
import { right } from '../right.js';
import type { BlockKind, QueuedCase, QueuedProgram, Runs } from './case.js';

/** How a case is run. */
export interface CaseOptions extends Pick<ExampleOptions, 'backend' | 'dtype' | 'threads' | 'emit' | 'warn' | 'draw'> {
  readonly n: number;
  readonly steps: number;
  readonly queue: boolean;
  readonly layout: BlockKind;
  /** Parts of the lowering, and passes on the graph, to leave out. */
  readonly ablate: readonly string[];
  readonly without: readonly GraphPass[];
}

/** What the measured steps took, and how far the fields are from those of the reference, relative to its largest value. */
export interface CaseOutcome {
  readonly metrics: Readonly<Record<string, number>>;
  readonly maxRelError: number;
  readonly backend: string;
}

/**
 * Runs a case: some steps until all code is there, then those that are measured, each with all its launches; and compares with the
 * plain program.
 */
export const runCase = async (given: QueuedCase, options: CaseOptions): Promise<CaseOutcome> => {
  const n = Math.ceil(options.n / given.multiple) * given.multiple;
  const made = given.make(n, options.dtype, options.layout);
  const { threads, ablate, backend, without } = options;
  const running = await program({
    layout: made.layout,
    kernels: made.kernels,
    threads,
    ablate,
    queue: options.queue && { without },
    ...(backend === undefined ? {} : { backend }),
  });
  try {
    options.emit?.(given.name, running.instance.sources);
    options.warn?.(running.warnings);
    const counted = counting(running.run as Runs);
    made.start(counted.run, running);
    for (let k = 0; k < WARM; k++) {
      made.step(counted.run);
      await running.sync({ compiled: true });
    }
    const before = { ...counted.launches };
    const planned = running.queued();
    const begin = performance.now();
    for (let k = 0; k < options.steps; k++) {
      made.step(counted.run);
      running.flush();
    }
    const wallMs = performance.now() - begin;
    const after = running.queued();
    if (after) options.warn?.(after.warnings);
    if (after?.last) drawn(after.last, options);
    const tasks = tasksOf(made);
    const sum = (of: (kernel: string) => number): number =>
      Object.entries(counted.launches).reduce((s, [name, count]) => s + (count - (before[name] ?? 0)) * of(name), 0);
    const launches = sum(() => 1);
    return {
      metrics: {
        launches,
        tasksLaunched: after ? after.tasksLaunched - planned!.tasksLaunched : sum((name) => tasks[name].own),
        tasksCompiled: Object.values(tasks).length + (after?.tasksCompiled ?? 0),
        referenceTasks: sum((name) => tasks[name].reference),
        plans: after?.plans ?? 0,
        planMs: after?.planMs ?? 0,
        wallMs,
      },
      maxRelError: farthest(running, made, WARM + options.steps),
      backend: running.instance.backend,
    };
  } finally {
    running.dispose();
  }
};

/** The graph of the last window, as it was launched and after each pass; and where the time went. */
const drawn = ({ before, stages }: Plan, { draw }: CaseOptions): void => {
  draw?.('Launches', drawGraph(before, 'as they were made'));
  for (const { pass, graph } of stages) draw?.(`After ${pass}`, drawGraph(graph, pass));
};

/** Steps before those that are measured: what owners know settles, and code is made for it. */
const WARM = 3;

const counting = (run: Runs): { readonly run: Runs; readonly launches: Record<string, number> } => {
  const launches: Record<string, number> = {};
  const counted = Object.entries(run).map(([name, launch]) => [
    name,
    (...args: never[]) => {
      launches[name] = (launches[name] ?? 0) + 1;
      return launch(...args);
    },
  ]);
  return { run: Object.fromEntries(counted), launches };
};

/** How many tasks a launch of each kernel is: ours, and those of the thesis' system. */
const tasksOf = ({ layout, kernels }: QueuedProgram): Readonly<Record<string, { own: number; reference: number }>> => {
  const { module } = right(lowerKernels(kernels as Readonly<Record<string, KernelDef>>, layout));
  const dialects = [...coreDialects, fieldDialect(layout)];
  const ours = cutKernels(module, layout, dialects, storageOf(layout, { memory: memoryFor(module) }));
  return Object.fromEntries(
    [...cutKernels(module, layout, dialects).tasks].map(([name, list]) => [
      name,
      {
        own: ours.tasks.get(name)!.length,
        reference: list.reduce((sum, task) => sum + referenceTasks(layout, task), 0),
      },
    ]),
  );
};

const farthest = (running: FieldProgram, made: QueuedProgram, steps: number): number =>
  Math.max(
    ...Object.entries(made.reference(steps)).map(([name, wanted]) => {
      const found = running.fields[name].toArray();
      let [most, off] = [1, 0];
      for (let k = 0; k < wanted.length; k++) {
        const apart = Math.abs(Number(found[k]) - wanted[k]);
        most = Math.max(most, Math.abs(wanted[k]));
        /* A comparison would pass over what is not a number. */
        off = apart <= off ? off : apart;
      }
      return off / most;
    }),
  );
