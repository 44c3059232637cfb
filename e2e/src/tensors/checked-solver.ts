import { DiagnosticError, walk, type Diagnostic } from '@filigree/ir';
import type { GemmLibrary, TensorProgram } from 'filigree';
import { relativeDifference } from './relative-difference.js';
import type { Solver, SolverProgram } from './solver.js';
import type { Steps } from './steps.js';

/** A mesh with initial values, and the ways to take it through time. */
export interface SolverProblem<
  Setup extends { readonly start: Float64Array; readonly dt: number },
  Part extends string,
> {
  readonly setup: Setup;
  readonly elements: number;
  readonly compile: (gemm: GemmLibrary) => Promise<SolverProgram<Setup, Part>>;
  /** Plain loops; the elements are those that are right after a step. */
  readonly plain: (setup: Setup, elements: readonly number[]) => Steps;
  /** Where a step is compared with plain loops. */
  readonly compared: readonly number[];
}

/** A solver whose first step was compared. */
export interface CheckedSolver<Part extends string> {
  readonly program: TensorProgram;
  readonly planMs: number;
  readonly solver: Solver<Part>;
  /** Coefficients after one step. */
  readonly after: ArrayLike<number>;
  /** How far they are off, relative to the largest. */
  readonly wrong: number;
  readonly close: () => void;
}

/** Compiles a solver, takes one step, and compares it with plain loops. Rejects with a `DiagnosticError`. */
export const checkedSolver = async <S extends { readonly start: Float64Array; readonly dt: number }, P extends string>(
  problem: SolverProblem<S, P>,
): Promise<CheckedSolver<P>> => {
  const { setup, elements, compared } = problem;
  return stepped(problem, 'own', (after) => {
    const plain = problem.plain(setup, compared);
    plain.step(setup.dt);
    return relativeDifference(after, plain.coefficients(), compared, setup.start.length / elements);
  });
};

/**
 * The same kernels with LIBXSMM for the products that it takes, as YATeTo has them; compared with ours after one step at all
 * elements. Where that library or a C++ compiler is missing, the diagnostic that says so. Rejects with other `DiagnosticError`s.
 */
export const librarySolver = async <S extends { readonly start: Float64Array; readonly dt: number }, P extends string>(
  problem: SolverProblem<S, P>,
  ours: ArrayLike<number>,
): Promise<LibrarySolver<P> | Diagnostic> => {
  const { elements, setup } = problem;
  const all = Array.from({ length: elements }, (_, e) => e);
  try {
    const made = await stepped(problem, 'libxsmm', (after) =>
      relativeDifference(after, ours, all, setup.start.length / elements),
    );
    return { ...made, products: productsOf(made.program) };
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const missing = e.diagnostics.find(({ code }) => code === 'cpp/plugin-missing' || code === 'runtime/backend');
    if (!missing) throw e;
    return missing;
  }
};

export interface LibrarySolver<Part extends string> extends CheckedSolver<Part> {
  /** Products of matrices in all kernels, and those of them that the library does. */
  readonly products: { readonly all: number; readonly library: number };
}

const stepped = async <S extends { readonly start: Float64Array; readonly dt: number }, P extends string>(
  { setup, compile }: SolverProblem<S, P>,
  gemm: GemmLibrary,
  compare: (after: ArrayLike<number>) => number,
): Promise<CheckedSolver<P>> => {
  const { program, planMs, start, close } = await compile(gemm);
  try {
    const solver = start(setup);
    solver.step(setup.dt);
    const after = solver.coefficients();
    return { program, planMs, solver, after, wrong: compare(after), close };
  } catch (e) {
    close();
    throw e;
  }
};

const productsOf = ({ module, kernels }: TensorProgram): LibrarySolver<string>['products'] => {
  let library = 0;
  for (const { body } of module.kernels)
    walk(body, (op) => {
      if (op.name === 'linalg.gemm') library++;
    });
  const actions = Object.values(kernels).flatMap((k) => k.plan.actions);
  return { all: actions.filter((a) => a.operation.kind === 'log').length, library };
};
