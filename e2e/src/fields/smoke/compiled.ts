import { program, type FieldProgram } from 'filigree';
import { solveConjugateGradients, type KrylovLaunches } from '@filigree/lang/kernels';
import { handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { BLOCK, levelsOf, smoke } from './kernels.js';
import { SMOKE_SCHEMES, type SmokeSchemeName } from './schemes.js';
import { cellsOf, type Smoke, type SmokeSetup } from './setup.js';

/** A simulation by kernels over sparse fields. */
export interface CompiledSmoke extends Smoke {
  /** All that a step does to velocities and dye but for the pressure, for timing. */
  readonly advect: () => void;
  /** Launches of conjugate gradients so far. */
  readonly iterations: () => number;
  /** Bytes of all cells that are in use. */
  readonly bytes: number;
  readonly close: () => void;
}

/** Makes simulations by kernels over sparse fields, which are stored by a scheme. */
export const compiledSmoke =
  (options: CompileOptions) =>
  async (setup: SmokeSetup, scheme: SmokeSchemeName): Promise<CompiledSmoke> => {
    const made = smoke(setup, options.dtype, SMOKE_SCHEMES[scheme]);
    const { layout, kernels, fields } = made;
    const sim = await program({ layout, kernels, fields, ...programOptions(options) });
    handOut(options, `smoke-${scheme}`, sim);
    beginSmoke(setup, made, sim, options.dtype);
    const whole = boxOf(setup) as never;
    const read = (f: 'now' | 'dye'): Float64Array => Float64Array.from(sim.fields[f].toArray(whole) as Float32Array);
    return {
      ...smokeSteps(setup, sim.run as unknown as Launches),
      state: () => ({ velocity: read('now'), dye: read('dye') }),
      bytes: sim.bytes(),
      close: () => sim.dispose(),
    };
  };

/** The steps of a simulation, from its launches. */
export const smokeSteps = (
  setup: SmokeSetup,
  launches: Launches,
): Pick<CompiledSmoke, 'step' | 'advect' | 'iterations'> => {
  const { n, keep, tolerance, mostIterations } = setup;
  const run = launches as Launches & KrylovLaunches;
  let iterations = 0;
  const precondition = (): void => cycle(run, levelsOf(n));
  const project = (reflect: number): void => {
    run.diverge();
    const norms = solveConjugateGradients(run, { tolerance, mostIterations, precondition });
    iterations += norms.length - 1;
    run.project(reflect);
  };
  const advect = (left: number): void => {
    run.carry(0.5);
    run.correct(0.5);
    run.carryDye(0.5);
    run.correctDye(0.5);
    run.keepDye(left);
  };
  return {
    step: (count) => {
      for (let k = 0; k < count; k++) {
        advect(1);
        project(1);
        advect(keep);
        project(0);
      }
    },
    advect: () => advect(1),
    iterations: () => iterations,
  };
};

/** Gives every cell of the box memory, and those of the dye their first values. */
export const beginSmoke = (
  setup: SmokeSetup,
  { levels, fields: { dye } }: Pick<ReturnType<typeof smoke>, 'levels' | 'fields'>,
  { field }: Pick<FieldProgram, 'field'>,
  dtype: 'f32' | 'f64',
): void => {
  activate(setup, levels, { field });
  const Reals = dtype === 'f32' ? Float32Array : Float64Array;
  field(dye).fromArray(Reals.from(cellsOf(setup).flatMap((cell) => setup.dye(cell))), boxOf(setup));
};

/** The cells of a simulation in its fields. */
export const boxOf = ({ dim, n }: SmokeSetup) => ({
  from: Array<number>(dim).fill(BLOCK),
  to: Array<number>(dim).fill(n + BLOCK),
});

/** Bytes of all cells of a simulation whose fields are stored by a scheme. */
export const smokeBytes = async (
  options: CompileOptions,
  setup: SmokeSetup,
  scheme: SmokeSchemeName,
): Promise<number> => {
  const { layout, kernels, levels } = smoke(setup, options.dtype, SMOKE_SCHEMES[scheme]);
  const sim = await program({ layout, kernels: { norm: kernels.norm }, ...programOptions(options) });
  activate(setup, levels, sim);
  const bytes = sim.bytes();
  sim.dispose();
  return bytes;
};

/** Gives every cell of the box memory. */
const activate = (
  { dim, n }: SmokeSetup,
  levels: ReturnType<typeof smoke>['levels'],
  { field }: Pick<FieldProgram, 'field'>,
): void => {
  for (const [l, { z }] of levels.entries())
    for (const block of cellsOf({ dim, n: n / 2 ** l / BLOCK }))
      field(z).activate(block.map((b) => BLOCK * (b + 1)) as never);
};

/** Launches by name. */
export type Launches = Readonly<Record<string, (...args: readonly number[]) => void>>;

/** One V-cycle on the right-hand side of a level. */
const cycle = (run: Launches, levels: number, l = 0): void => {
  const coarsest = l + 1 === levels;
  const halves = 2 * (coarsest ? 20 : 2);
  run[`start${l}`]();
  for (let half = 1; half < halves; half++) run[`relax${l}`](half % 2);
  if (!coarsest) {
    run[`restrict${l}`]();
    cycle(run, levels, l + 1);
    run[`prolong${l}`]();
  }
  for (let half = halves - 1; half >= 0; half--) run[`relax${l}`](half % 2);
};
