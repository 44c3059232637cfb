import { adjoint, clearGradients, withGradients } from '@filigree/autodiff';
import { gradient, program, type ExampleOptions, type FieldProgram, type GraphPass } from 'filigree';
import { coreDialects, DiagnosticError, type Module, orThrow } from '@filigree/ir';
import { lowerKernels, type KernelDef } from '@filigree/lang/kernels';
import { fieldDialect, memoryFor, storageOf } from '@filigree/sparse/fields';
import { cutKernels, referenceTasks, taskKind, type Task, type TaskKind } from '@filigree/sparse/tasks';
import { drawGraph, drawTimeline, type Plan } from '@filigree/sched';
import type { BlockKind, QueuedCase, QueuedProgram, Runs, Stepping } from './case.js';

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

/** A case that is ready to be measured: its code is there. */
export interface PreparedCase {
  readonly backend: string;
  /** Takes so many steps, each with all its launches. */
  readonly measure: (steps: number) => Readonly<Record<string, number>>;
  /** How far the fields are from those of the plain program after all steps so far. */
  readonly maxRelError: () => number;
  readonly dispose: () => void;
}

/** Runs a case: some steps until all code is there, then those that are measured; and compares with the plain program. */
export const runCase = async (given: QueuedCase, options: CaseOptions): Promise<CaseOutcome> => {
  const prepared = await prepareCase(given, options);
  try {
    const metrics = prepared.measure(options.steps);
    return { metrics, maxRelError: prepared.maxRelError(), backend: prepared.backend };
  } finally {
    prepared.dispose();
  }
};

/** Compiles a case and takes its first steps. */
export const prepareCase = async (given: QueuedCase, options: Omit<CaseOptions, 'steps'>): Promise<PreparedCase> => {
  const n = Math.ceil(options.n / given.multiple) * given.multiple;
  const made = given.make(n, options.dtype, options.layout);
  const { threads, ablate, backend, without } = options;
  const running = await program({
    layout: made.layout,
    kernels: made.kernels,
    ...(made.differentiate && { differentiate: made.differentiate }),
    threads,
    ablate,
    queue: options.queue && { without },
    ...(backend === undefined ? {} : { backend }),
  });
  options.emit?.(given.name, running.instance.sources);
  options.warn?.(running.warnings);
  const counted = counting(running.run as Runs);
  const stepping: Stepping = {
    gradient: (forward, by) => counted.differentiate(() => gradient(running, forward, by)),
  };
  made.start(counted.run, running);
  for (let k = 0; k < WARM; k++) {
    made.step(counted.run, stepping);
    await running.sync({ compiled: true });
  }
  let taken = WARM;
  const tasks = tasksOf(made);
  return {
    backend: running.instance.backend,
    measure: (steps) => {
      const before = { ...counted.launches };
      const planned = running.queued();
      const begin = performance.now();
      for (let k = 0; k < steps; k++) {
        made.step(counted.run, stepping);
        running.flush();
      }
      const wallMs = performance.now() - begin;
      taken += steps;
      const after = running.queued();
      if (after) options.warn?.(after.warnings);
      if (after?.last) drawn(after.last, options);
      if (after) options.draw?.('Planning, compiling, running', drawTimeline(after.timeline));
      const sum = (of: (kernel: string) => number): number =>
        Object.entries(counted.launches).reduce((s, [name, count]) => s + (count - (before[name] ?? 0)) * of(name), 0);
      const launched = (kind: TaskKind): number =>
        after ? after.kinds[kind] - planned!.kinds[kind] : sum((name) => tasks[name].kinds[kind]);
      return {
        launches: sum(() => 1),
        tasksLaunched: after ? after.tasksLaunched - planned!.tasksLaunched : sum((name) => tasks[name].own),
        loopsLaunched: launched('loops'),
        serialLaunched: launched('serial'),
        listsLaunched: launched('lists'),
        tasksCompiled: Object.values(tasks).length + (after?.tasksCompiled ?? 0),
        referenceTasks: sum((name) => tasks[name].reference),
        plans: after?.plans ?? 0,
        planMs: after?.planMs ?? 0,
        compileMs: after?.compileMs ?? 0,
        wallMs,
      };
    },
    maxRelError: () => farthest(running, made, taken),
    dispose: running.dispose,
  };
};

/** The graph of the last window, as it was launched and after each pass; and where the time went. */
const drawn = ({ before, stages }: Plan, { draw }: Pick<CaseOptions, 'draw'>): void => {
  draw?.('Launches', drawGraph(before, 'as they were made'));
  for (const { pass, graph } of stages) draw?.(`After ${pass}`, drawGraph(graph, pass));
};

/** Steps before those that are measured: what owners know settles, and code is made for it. */
const WARM = 3;

/** Launches by the name of the kernel; those of a tape too. */
interface Counting {
  readonly run: Runs;
  readonly launches: Record<string, number>;
  readonly differentiate: (run: () => void) => void;
}

const counting = (run: Runs): Counting => {
  const launches: Record<string, number> = {};
  const count = (name: string, times = 1): void => void (launches[name] = (launches[name] ?? 0) + times);
  const counted = Object.entries(run).map(([name, launch]) => [
    name,
    (...args: never[]) => {
      count(name);
      return launch(...args);
    },
  ]);
  return {
    run: Object.fromEntries(counted),
    launches,
    differentiate: (differentiated) => {
      const before = { ...launches };
      differentiated();
      for (const [name, times] of Object.entries(launches))
        if (times > (before[name] ?? 0)) count(adjointOf(name), times - (before[name] ?? 0));
      count(CLEAR);
    },
  };
};

const adjointOf = (name: string): string => `${name}_adjoint`;

const CLEAR = 'clear_gradients';

/** How many tasks a launch of a kernel is: ours, by their kinds, and those of the thesis' system. */
interface TasksOfKernel {
  readonly own: number;
  readonly kinds: Readonly<Record<TaskKind, number>>;
  readonly reference: number;
}

const tasksOf = (made: QueuedProgram): Readonly<Record<string, TasksOfKernel>> => {
  const { layout, module } = withAdjoints(made);
  const dialects = [...coreDialects, fieldDialect(layout)];
  const ours = cutKernels(module, layout, dialects, storageOf(layout, { memory: memoryFor(module) }));
  return Object.fromEntries(
    [...cutKernels(module, layout, dialects).tasks].map(([name, list]) => [
      name,
      {
        own: ours.tasks.get(name)!.length,
        kinds: kindsOf(ours.tasks.get(name)!),
        reference: list.reduce((sum, task) => sum + referenceTasks(layout, task), 0),
      },
    ]),
  );
};

const kindsOf = (tasks: readonly Task[]): Readonly<Record<TaskKind, number>> => {
  const count = (kind: TaskKind): number => tasks.filter((t) => taskKind(t) === kind).length;
  return { loops: count('loops'), serial: count('serial'), lists: count('lists') };
};

/**
 * The kernels of a program, those that clear gradients and the adjoints of those that have one. What sets the adjoint of a loss to one
 * is a launch of its own only here: the thesis' system does it where it clears the loss.
 */
const withAdjoints = ({ layout: plain, kernels, differentiate = [] }: QueuedProgram) => {
  const { layout, adjoints } = withGradients(plain, differentiate);
  const { module } = orThrow(lowerKernels(kernels as Readonly<Record<string, KernelDef>>, layout));
  if (differentiate.length === 0) return { layout, module };
  const made = module.kernels.flatMap(({ name }) => {
    try {
      return [adjoint(module, name, { adjoints })];
    } catch (e) {
      if (e instanceof DiagnosticError) return [];
      throw e;
    }
  });
  const whole: Module = {
    ...module,
    buffers: [...module.buffers, ...made.flatMap((a) => a.buffers)],
    kernels: [...module.kernels, ...made.map((a) => a.kernel), clearGradients(CLEAR, layout, Object.values(adjoints))],
  };
  return { layout, module: whole };
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
