import { adjointField } from '@filigree/autodiff/fields';
import { checkOptions, option, type OptionSpec, type TypedArray } from '@filigree/ir';
import type { FieldDecl } from '@filigree/sparse/fields';
import type { FieldProgram } from '../program/field-program.js';
import { hostStep } from './steps.js';

/** A linear system with a symmetric matrix. */
export interface SolveStepOptions {
  /** What is solved for, and the right-hand side: fields of the same elements. */
  readonly x: FieldDecl;
  readonly b: FieldDecl;
  /** Computes x from b by launches, whatever x held before: `solveConjugateGradients` from x = 0, for instance. */
  readonly solve: () => void;
  /** The fields that launches of `solve` write beside x. */
  readonly working?: readonly FieldDecl[];
  /** The fields that the entries of the matrix follow from. */
  readonly matrix?: readonly FieldDecl[];
  /**
   * Adds to the adjoints of `matrix` what follows from −λ[n] x[m], the adjoint of the entry A[n][m]; without it the matrix is a constant. Both are by
   * element, as `toArray` gives them.
   */
  readonly backward?: (lambda: TypedArray, x: TypedArray) => void;
}

/**
 * A solve of A x = b within `forward` of `valueAndGradient`, whose derivative is another solve: with λ of A λ = x̄ the adjoint of b grows by λ, and that of an entry A[n][m] by −λ[n] x[m]. So
 * nothing is kept of its iterations, and the derivative is as exact as the solve. The matrix is symmetric. Errors: as `hostStep`.
 */
export const solveStep = (
  sim: Pick<FieldProgram, 'tape' | 'tangents' | 'field' | 'storage'>,
  given: SolveStepOptions,
): void => {
  const { x, b, solve, working = [], matrix = [], backward } = checkOptions('solveStep', given, spec);
  const add = (f: FieldDecl, values: TypedArray): void => {
    const adjoint = sim.field(adjointField(f));
    const sum = adjoint.toArray();
    for (let n = 0; n < sum.length; n++) sum[n] = Number(sum[n]) + Number(values[n]);
    adjoint.fromArray(sum);
  };
  hostStep(sim, {
    reads: [b, ...matrix],
    writes: [x, ...working],
    forward: solve,
    backward: () => {
      const [right, at] = [sim.field(b).toArray(), sim.field(x).toArray()];
      sim.field(b).fromArray(sim.field(adjointField(x)).toArray());
      solve();
      const lambda = sim.field(x).toArray();
      sim.field(b).fromArray(right);
      sim.field(x).fromArray(at);
      add(b, lambda);
      backward?.(lambda, at);
    },
  });
};

const spec: OptionSpec<SolveStepOptions> = {
  x: option.object('a field', 'is', 'name'),
  b: option.object('a field', 'is', 'name'),
  solve: option.callback,
  working: option.array('a list of fields'),
  matrix: option.array('a list of fields'),
  backward: option.callback,
};
