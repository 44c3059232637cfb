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
    const { dim, n, keep, tolerance, mostIterations } = setup;
    const { layout, kernels, fields, levels } = smoke(setup, options.dtype, SMOKE_SCHEMES[scheme]);
    const sim = await program({ layout, kernels, fields, ...programOptions(options) });
    handOut(options, `smoke-${scheme}`, sim);
    const run = sim.run as unknown as Launches & KrylovLaunches;
    activate(setup, levels, sim);
    const whole = { from: Array<number>(dim).fill(BLOCK), to: Array<number>(dim).fill(n + BLOCK) } as never;
    const Reals = options.dtype === 'f32' ? Float32Array : Float64Array;
    sim.fields.dye.fromArray(Reals.from(cellsOf(setup).flatMap((cell) => setup.dye(cell))), whole);

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
    const read = (f: 'now' | 'dye'): Float64Array => Float64Array.from(sim.fields[f].toArray(whole) as Float32Array);
    return {
      step: (count) => {
        for (let k = 0; k < count; k++) {
          advect(1);
          project(1);
          advect(keep);
          project(0);
        }
      },
      state: () => ({ velocity: read('now'), dye: read('dye') }),
      advect: () => advect(1),
      iterations: () => iterations,
      bytes: sim.save().byteLength,
      close: () => sim.dispose(),
    };
  };

/** Bytes of all cells of a simulation whose fields are stored by a scheme. */
export const smokeBytes = async (
  options: CompileOptions,
  setup: SmokeSetup,
  scheme: SmokeSchemeName,
): Promise<number> => {
  const { layout, kernels, levels } = smoke(setup, options.dtype, SMOKE_SCHEMES[scheme]);
  const sim = await program({ layout, kernels: { norm: kernels.norm }, ...programOptions(options) });
  activate(setup, levels, sim);
  const { byteLength } = sim.save();
  sim.dispose();
  return byteLength;
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

type Launches = Readonly<Record<string, (...args: readonly number[]) => void>>;

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
