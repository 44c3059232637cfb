import { BLOCK, poissonSetup, type PoissonSetup } from '../../fields/mgpcg/setup.js';
import { cycle, mgpcg, type Launches } from '../../fields/mgpcg/kernels.js';
import { blocksOf } from '../../fields/compile-options.js';
import { referencePoisson } from '../../fields/mgpcg/reference.js';
import type { QueuedCase } from '../case.js';

/** Multigrid on a cube of sparse blocks (thesis §4.8.4): a step is one V-cycle, and what it makes of the residual. */
export const mgpcg3d: QueuedCase = {
  name: 'mgpcg3d',
  shows: "Poisson's equation on a sparse cube by V-cycles, each sweep over a level a launch",
  n: 32,
  multiple: 2 * BLOCK,
  most: 256,
  steps: 5,
  rounding: 1e5,
  make: (n, float, layout) => {
    const setup = poissonSetup({ n });
    const made = mgpcg(setup, float, blocksOf({ layout, dtype: float, threads: 1, ablate: [] }));
    return {
      layout: made.layout,
      kernels: made.kernels,
      start: (_, { field }) => {
        made.onLevel.forEach((all, level) => {
          for (const f of all) for (const corner of cornersOf(setup, level)) field(f).activate(corner);
        });
        const padded = withMargin(setup.b, n);
        field(made.fields.r).fromArray(float === 'f32' ? Float32Array.from(padded) : padded);
      },
      step: (run) => {
        const launches = run as unknown as Launches & {
          readonly follow: (beta: number) => void;
          readonly multiply: () => number;
          readonly advance: (alpha: number) => void;
        };
        cycle(launches, setup);
        launches.follow(0);
        launches.multiply();
        launches.advance(1);
      },
      reference: (steps) => ({ x: withMargin(referencePoisson(setup).iterate(steps) as Float64Array, n) }),
    };
  },
};

/** First cells of the blocks of a level, which begins one block from the edges of its field. */
const cornersOf = ({ n }: PoissonSetup, level: number): readonly (readonly number[])[] => {
  const side = Array.from({ length: n / 2 ** level / BLOCK }, (_, k) => BLOCK * (k + 1));
  return side.flatMap((i) => side.flatMap((j) => side.map((k) => [i, j, k])));
};

/** The cells of a cube with a block of zeros around them. */
const withMargin = (values: Float64Array, n: number): Float64Array => {
  const side = n + 2 * BLOCK;
  const all = new Float64Array(side ** 3);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      all.set(values.subarray((i * n + j) * n, (i * n + j + 1) * n), ((i + BLOCK) * side + j + BLOCK) * side + BLOCK);
  return all;
};
