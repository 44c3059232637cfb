import { program } from 'filigree';
import { solveConjugateGradients } from '@filigree/lang/kernels';
import { blocksOf, handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { fem, MARGIN } from './kernels.js';
import type { FemResult, FemSetup, FemSolver } from './setup.js';

/** A solver by kernels over sparse fields. */
export interface CompiledFem extends FemSolver {
  multiply(u: Float64Array): Float64Array;
  solve(): FemResult;
  /** The product with what was multiplied last, in the fields, for timing. */
  readonly runMultiply: () => void;
  readonly close: () => void;
}

/** Makes solvers by kernels over sparse fields. */
export const compiledFem =
  (options: CompileOptions) =>
  async (setup: FemSetup): Promise<CompiledFem> => {
    const { n, free, lambda, mu, load } = setup;
    const sim = await program({ ...fem(setup, options.dtype, blocksOf(options)), ...programOptions(options) });
    handOut(options, 'fem', sim);
    const { fields, run } = sim;
    const at = (node: number): readonly number[] =>
      [Math.floor(node / n ** 2), Math.floor(node / n) % n, node % n].map((index) => index + MARGIN);
    for (let node = 0; node < free.length; node++) {
      if (mu[node] !== 0) {
        fields.lambda.set(at(node), lambda[node]);
        fields.mu.set(at(node), mu[node]);
      }
      if (free[node] === 1) fields.free.set(at(node), 1);
    }
    const moving = [...free.keys()].filter((node) => free[node] === 1);
    const write = (field: typeof fields.u, values: Float64Array | undefined): void => {
      for (const node of moving) field.set(at(node), values?.subarray(3 * node, 3 * node + 3) ?? [0, 0, 0]);
    };
    const read = (field: typeof fields.u): Float64Array => {
      const all = new Float64Array(3 * n ** 3);
      for (const node of moving) all.set(field.get(at(node)), 3 * node);
      return all;
    };
    write(fields.p, load);
    return {
      multiply: (u) => {
        write(fields.p, u);
        run.multiply();
        return read(fields.q);
      },
      solve: () => {
        write(fields.u, undefined);
        write(fields.p, undefined);
        write(fields.r, load);
        const { tolerance, mostIterations } = setup;
        const norms = solveConjugateGradients(run, { tolerance, mostIterations });
        return { u: read(fields.u), norms };
      },
      runMultiply: () => void run.multiply(),
      close: () => sim.dispose(),
    };
  };
