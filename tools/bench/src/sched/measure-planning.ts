import { active, dense, field, i, kernel, layout, program, type Grid1 } from 'filigree';
import { coreDialects, orThrow } from '@filigree/ir';
import { lowerKernels } from '@filigree/lang/kernels';
import { noOwners, plan } from '@filigree/sched';
import { fieldDialect, memoryFor, storageOf } from '@filigree/sparse/fields';
import { cutKernels } from '@filigree/sparse/tasks';

/** What it costs to let launches wait. */
export interface PlanningCosts {
  /** Nanoseconds of a launch that is entered, of one that is entered, found and run with its window, and of one that runs at once. */
  readonly entered: number;
  readonly replayed: number;
  readonly atOnce: number;
  /** Tasks of a window that is planned for the first time, and microseconds for each. */
  readonly tasks: number;
  readonly taskUs: number;
}

const [x, y] = (['x', 'y'] as const).map((name) => field(name, 'f64'));
const sparse = dense(i, 16).pointer().dense(i, 16);
const places = layout(sparse.place(x, y));

const kernels = {
  inc: kernel([x], (x: Grid1) => {
    for (const p of active(x)) x[p]! = x[p]! * 0.9 + 1;
  }),
  copy: kernel([x, y, 'f64'], (x: Grid1, y: Grid1, by: number) => {
    for (const p of active(x)) y[p]! = x[p]! * by + 0.3;
  }),
};

/** Measures it on a program that has next to nothing to compute. @param backend its name; default the best there is */
export const measurePlanning = async (backend: string | undefined): Promise<PlanningCosts> => {
  const given = { layout: places, kernels, ...(backend === undefined ? {} : { backend }) };
  const [waiting, eager] = [await program({ ...given, queue: true }), await program(given)];
  const launches = 4 * ROUNDS;
  const steps = (p: typeof waiting, rounds: number): void => {
    for (let k = 0; k < rounds; k++) {
      p.run.inc();
      p.run.inc();
      p.run.copy(0.5);
      p.run.inc();
    }
  };
  try {
    /* Whole windows, so that all that follow are known. */
    for (let k = 0; k < 3; k++) {
      steps(waiting, ROUNDS);
      await waiting.sync({ compiled: true });
    }
    const entered = best(
      () => steps(waiting, BELOW),
      () => waiting.flush(),
    );
    return {
      entered: entered / (4 * BELOW),
      replayed: best(() => (steps(waiting, ROUNDS), waiting.flush())) / launches,
      atOnce: best(() => steps(eager, ROUNDS)) / launches,
      ...newTasks(),
    };
  } finally {
    waiting.dispose();
    eager.dispose();
  }
};

/** A window of thousands of tasks, as it is planned when it comes for the first time. */
const newTasks = (): Pick<PlanningCosts, 'tasks' | 'taskUs'> => {
  const { module } = orThrow(lowerKernels(kernels, places));
  const storage = storageOf(places, { memory: memoryFor(module) });
  const { tasks, setting } = cutKernels(module, places, [...coreDialects, fieldDialect(places)], storage);
  const names = ['inc', 'copy', 'inc', 'inc', 'copy'];
  const window = Array.from({ length: TASKS }, (_, k) => ({ tasks: tasks.get(names[k % names.length]!)! }));
  const count = window.reduce((sum, launch) => sum + launch.tasks.length, 0);
  return { tasks: count, taskUs: best(() => orThrow(plan(noOwners, window, setting))) / 1e3 / count };
};

/** Nanoseconds of the fastest of many runs. @param after what is done after each, which is not counted */
const best = (run: () => unknown, after: () => void = () => undefined): number => {
  let least = Infinity;
  for (let k = 0; k < RUNS; k++) {
    const begin = performance.now();
    run();
    least = Math.min(least, performance.now() - begin);
    after();
  }
  return least * 1e6;
};

const ROUNDS = 1600;

/* Fewer launches than a window has. */
const BELOW = 30;

const TASKS = 10_000;

const RUNS = 40;
