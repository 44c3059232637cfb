import { measurePeak, type ExampleOptions } from 'filigree';
import type { Diagnostic } from '@filigree/ir';
import { atMost } from '../../fields/finding.js';
import { relativeDifference } from '../../tensors/relative-difference.js';
import { checkedSolver, librarySolver, type LibrarySolver, type SolverProblem } from '../../tensors/checked-solver.js';
import { flopsOfStep, type Solver } from '../../tensors/solver.js';
import { speedChart } from './speed-chart.js';
import { speedsOf, type Counted, type TensorOutcome } from './tensor-example.js';

/** A solver that an application runs, and what to call it. */
export interface SolverReport<
  Setup extends { readonly start: Float64Array; readonly dt: number },
  Part extends string,
> {
  readonly problem: SolverProblem<Setup, Part>;
  readonly title: string;
  /** Largest difference from plain loops. */
  readonly tolerance: number;
  /** Other ways to the same, timed in turns with it when baselines are. */
  readonly beside?: () => Promise<readonly (Beside | Diagnostic)[]>;
}

export interface Beside {
  readonly name: string;
  readonly run: () => void;
  /** How often it has to run for the same result. */
  readonly times: number;
  /** Its coefficients after one step, where they are to be compared with ours. */
  readonly after?: ArrayLike<number>;
  readonly close: () => void;
}

/**
 * Compiles a solver, checks it against plain loops, and times its steps and their parts beside the machine's peak; with `bench` also
 * beside the same kernels with LIBXSMM for their products, all in turns. Rejects with a `DiagnosticError`.
 */
export const reportSolver = async <
  Setup extends { readonly start: Float64Array; readonly dt: number },
  Part extends string,
>(
  { problem, title, tolerance, beside }: SolverReport<Setup, Part>,
  { dtype, backend, bench, progress, warn }: ExampleOptions,
): Promise<TensorOutcome> => {
  const { elements, setup } = problem;
  progress(0.1, 'plan and compile');
  const checked = await checkedSolver(problem);
  const open: { readonly close: () => void }[] = [checked];
  try {
    const { solver, program } = checked;
    const others: Beside[] = [];
    let library: LibrarySolver<Part> | undefined;
    if (bench) {
      progress(0.4, 'compile the baselines');
      const found = await librarySolver(problem, checked.after);
      if ('code' in found) warn?.([{ ...found, severity: 'warning' }]);
      else {
        library = found;
        others.push({ name: 'libxsmm', run: () => found.solver.step(setup.dt), times: 1, close: found.close });
      }
      open.push(...others);
      for (const other of (await beside?.()) ?? []) {
        if ('code' in other) {
          warn?.([{ ...other, severity: 'warning' }]);
          continue;
        }
        open.push(other);
        others.push(other);
      }
    }
    progress(0.7, 'time');
    const peak = await measurePeak(dtype, { backend });
    const counted = countedOf(solver, setup.dt);
    const { flops } = counted[0];
    const speeds = speedsOf([...counted, ...others.map(({ name, run }) => ({ name, run, flops }))], bench ? 15 : 5);
    const [step, ...parts] = speeds.slice(0, counted.length);
    const baselines = Object.fromEntries(
      others.map(({ name, times }, k) => [name, times * speeds[counted.length + k].ms]),
    );
    return {
      metrics: {
        backend: program.backend,
        elements,
        kernels: Object.keys(program.kernels).length,
        nonzeroFlops: flops.nonzero / elements,
        hardwareFlops: flops.hardware / elements,
        nonzeroGflops: step.nonzero,
        hardwareGflops: step.hardware,
        peakGflops: peak,
        percentOfPeak: (100 * step.hardware) / peak,
        hardwarePercentOfPeak: (100 * step.hardware) / peak,
        nonzeroPercentOfPeak: (100 * step.nonzero) / peak,
        mdofs: setup.start.length / step.ms / 1e3,
        ...Object.fromEntries(parts.map((s) => [`hardwareGflops.${s.name}`, s.hardware])),
        ...Object.fromEntries(Object.entries(baselines).map(([name, ms]) => [`speedup.${name}`, ms / step.ms])),
        ...(library && { productsByLibxsmm: `${library.products.library} of ${library.products.all}` }),
      },
      ms: {
        plan: checked.planMs,
        generate: program.ms.generate,
        compile: program.ms.compile,
        run: step.ms,
        ...Object.fromEntries(parts.map((s) => [s.name, s.ms])),
      },
      ...(others.length > 0 && { baselines }),
      findings: [
        atMost('difference from plain loops', checked.wrong, tolerance),
        ...(library ? [atMost('difference with LIBXSMM', library.wrong, tolerance)] : []),
        ...others.flatMap(({ name, after }) =>
          after === undefined ? [] : [atMost(`difference from ${name}`, apart(checked.after, after), tolerance)],
        ),
      ],
      picture: { extension: 'svg', contents: speedChart(title, [step, ...parts], peak) },
    };
  } finally {
    for (const o of open) o.close();
  }
};

/** How far apart two are, all numbers as one element. */
const apart = (ours: ArrayLike<number>, theirs: ArrayLike<number>): number =>
  relativeDifference(ours, theirs, [0], theirs.length);

/** A whole step, then its parts. Times do not depend on values, which go on from step to step. */
const countedOf = <Part extends string>(solver: Solver<Part>, dt: number): readonly Counted[] => {
  const flops = solver.flops();
  return [
    { name: 'step', run: () => solver.step(dt), flops: flopsOfStep(solver) },
    ...solver.parts.map((part) => ({ name: part, run: () => solver.part(part, dt), flops: flops[part] })),
  ];
};
