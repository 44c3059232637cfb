import { checkOptions, fail, option } from '@filigree/ir';

/** The kernels of `conjugateGradients` as they are launched, and the product with the matrix. */
export interface KrylovLaunches {
  /** r · r. */
  readonly norm: () => number;
  /** z · r. */
  readonly rho: () => number;
  /** p ← z + β p. */
  readonly follow: (beta: number) => unknown;
  /** q ← A p; p · q. */
  readonly multiply: () => number;
  /** x ← x + α p, r ← r − α q; r · r. */
  readonly advance: (alpha: number) => number;
}

/** When to stop, and what helps on the way. */
export interface KrylovOptions {
  /** The norm of the residual falls by this factor. */
  readonly tolerance: number;
  readonly mostIterations: number;
  /** Makes z of r; without it z is r. */
  readonly precondition?: () => void;
}

/**
 * Solves A x = b by conjugate gradients, from fields that hold a first x, the residual r = b − A x, and in p only finite numbers:
 * `solveConjugateGradients(sim.run, { tolerance: 1e-6, mostIterations: 100 })`, where the program has the kernels of
 * `conjugateGradients` and one of yours named `multiply`. Gives the norm of the residual at the start and after each iteration.
 */
export const solveConjugateGradients = (run: KrylovLaunches, options: KrylovOptions): readonly number[] => {
  const { tolerance, mostIterations, precondition } = checkOptions<KrylovOptions>('solveConjugateGradients', options, {
    tolerance: option.number(0),
    mostIterations: option.number(0),
    precondition: option.callback,
  });
  if (tolerance === undefined || mostIterations === undefined)
    fail('option/value', 'solveConjugateGradients was not told when to stop', {
      remedy: 'give the options tolerance and mostIterations',
    });
  let [squares, rho] = [run.norm(), 0];
  const norms = [Math.sqrt(squares)];
  while (norms[norms.length - 1] > tolerance * norms[0] && norms.length <= mostIterations) {
    precondition?.();
    const before = rho;
    rho = precondition ? run.rho() : squares;
    run.follow(norms.length === 1 ? 0 : rho / before);
    squares = run.advance(rho / run.multiply());
    norms.push(Math.sqrt(squares));
  }
  return norms;
};
