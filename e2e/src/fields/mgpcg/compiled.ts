import { program } from 'filigree';
import { solveConjugateGradients, type KrylovLaunches } from '@filigree/lang/kernels';
import { blocksOf, handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { cycle, mgpcg, type Launches } from './kernels.js';
import { BLOCK, type PoissonResult, type PoissonSetup, type PoissonSolver } from './setup.js';

/** A solver by kernels over sparse fields. */
export interface CompiledPoisson extends PoissonSolver {
  solve(): PoissonResult;
  iterate(count: number): Float64Array;
  /** `solve` without the way out, for timing. */
  readonly run: () => void;
  readonly close: () => void;
}

/** Makes solvers by kernels over sparse fields. */
export const compiledPoisson =
  (options: CompileOptions) =>
  async (setup: PoissonSetup): Promise<CompiledPoisson> => {
    const { layout, kernels, fields, onLevel } = mgpcg(setup, options.dtype, blocksOf(options));
    const sim = await program({ layout, kernels, fields, ...programOptions(options) });
    handOut(options, 'mgpcg', sim);
    const run = sim.run as unknown as Launches & KrylovLaunches;
    const { n } = setup;
    const whole = { from: [BLOCK, BLOCK, BLOCK], to: [n + BLOCK, n + BLOCK, n + BLOCK] };
    onLevel.forEach((all, l) => {
      const corners = cornersOf(setup, l);
      for (const f of all) for (const corner of corners) sim.field(f).activate(corner);
    });

    /* The right-hand side as it goes into the blocks, once for all runs. */
    const Reals = options.dtype === 'f32' ? Float32Array : Float64Array;
    const b = cornersOf(setup, 0).map((from) => ({
      box: { from, to: from.map((c) => c + BLOCK) },
      values: Reals.from(blockOf(setup, from)),
    }));

    const precondition = (): void => cycle(run, setup);
    const begin = (): void => {
      sim.fields.x.fill(0);
      for (const { box, values } of b) sim.fields.r.fromArray(values, box);
    };
    const { tolerance, mostIterations } = setup;
    const solve = () => solveConjugateGradients(run, { tolerance, mostIterations, precondition });
    const solution = (): Float64Array => Float64Array.from(sim.fields.x.toArray(whole) as Float32Array);
    return {
      solve: () => {
        begin();
        const norms = solve();
        return { x: solution(), norms };
      },
      iterate: (count) => {
        begin();
        for (let s = 0; s < count; s++) {
          precondition();
          run.follow(0);
          run.multiply();
          run.advance(1);
        }
        return solution();
      },
      run: () => {
        begin();
        solve();
      },
      close: () => sim.dispose(),
    };
  };

/** First cells of the blocks of a level, which begins one block from the edges of its field. */
const cornersOf = ({ blocks }: PoissonSetup, level: number): readonly (readonly number[])[] => {
  const corners = new Map<string, readonly number[]>();
  for (let at = 0; at < blocks.length; at += 3) {
    const corner = [...blocks.subarray(at, at + 3)].map((c) => BLOCK * (1 + Math.floor(c / 2 ** level)));
    corners.set(corner.join(), corner);
  }
  return [...corners.values()];
};

/** The right-hand side in the block with this first cell. */
const blockOf = ({ n, b }: PoissonSetup, corner: readonly number[]): Float64Array => {
  const [i, j, k] = corner.map((c) => c - BLOCK);
  return Float64Array.from({ length: BLOCK ** 3 }, (_, cell) => {
    const [a, c, d] = [Math.floor(cell / BLOCK ** 2), Math.floor(cell / BLOCK) % BLOCK, cell % BLOCK];
    return b[((i + a) * n + j + c) * n + k + d];
  });
};
