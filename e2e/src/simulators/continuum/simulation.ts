import { steps as inSteps, type StepsOptions } from 'filigree';
import { spheresImage, type Colour } from '../../draw/index.js';
import { randomNumbers } from '../../meshes/random.js';
import type { Arguments } from '../../gallery/arguments.js';
import { differentiated } from '../differentiated.js';
import { adam } from '../optimisers.js';
import type { Optimisation, SimulatorOptions } from '../simulator.js';
import { plainDistance } from './plain.js';
import { continuumProgram } from './program.js';
import { CONTINUUM, type ContinuumScene } from './scene.js';

/** A robot whose muscles are driven by waves, so that it goes far to the right. What is kept of steps for the derivative is an argument. */
export const continuumSimulation = async (
  scene: ContinuumScene,
  name: string,
  args: Arguments,
  options: SimulatorOptions,
): Promise<Optimisation> => {
  const { steps, dim, muscles, muscle } = scene;
  const keep = keepOf(args, steps);
  const { sim, fields: f } = await continuumProgram(scene, name, options);
  const count = muscle.length;
  const whole = Float64Array.from({ length: dim * dim }, (_, k) => (k % (dim + 1) === 0 ? 1 : 0));
  const rest = Float64Array.from({ length: count * dim * dim }, (_, k) => whole[k % whole.length]);
  const begin = (): void => {
    const box = { from: [0], to: [count] };
    sim.field(f.x).fromArray(scene.x, box);
    sim.field(f.F).fromArray(rest, box);
    sim.field(f.v).fill([0, 0, 0].slice(0, dim));
    sim.field(f.C).fill(zeroMatrix(dim));
  };
  const step = (t: number): void => {
    sim.run.empty();
    sim.run.toGrid(t);
    sim.run.onGrid();
    sim.run.toParticles();
    sim.run.take();
  };
  const state = [f.x, f.v, f.C, f.F, f.nextX, f.nextV, f.nextC, f.nextF, f.momentum, f.mass, f.u];
  const random = randomNumbers(options.seed);
  const { waves } = CONTINUUM;
  return {
    ...differentiated(sim, {
      loss: f.loss,
      by: [
        { field: f.weight, to: [muscles, waves] },
        { field: f.bias, to: [muscles] },
      ],
      begin,
      forward: () => {
        sim.run.drive();
        inSteps(sim, steps, step, { state, keep });
        sim.run.far();
      },
    }),
    start: Float64Array.from({ length: muscles * (waves + 1) }, (_, k) =>
      k < muscles * waves ? 0.02 * (random() - 0.5) : 0,
    ),
    optimiser: adam(0.05),
    plain: (drive) => -plainDistance(scene, drive),
    /* The more steps there are, the more often friction sets in. */
    difference: 1e-6 * (128 / steps) ** 2.5,
    picture: () => {
      const centres = new Float64Array(3 * count).fill(0.5);
      for (let p = 0; p < count; p++) centres.set(sim.field(f.x).get(p), 3 * p);
      const colour = (p: number): Colour =>
        scene.solid[p] === 0 ? COLOURS[0] : muscle[p] < 0 ? COLOURS[1] : COLOURS[2 + (muscle[p] % 4)];
      return spheresImage(
        { centres, radius: 0.4 / scene.n, colour },
        { size: 512, ...(dim === 3 ? { turn: 0.6, tilt: 0.25 } : {}) },
      );
    },
    metrics: { dim, size: scene.n, particles: count, muscles, steps, keep: String(keep) },
    close: () => sim.dispose(),
  };
};

/** `keep=all|root|N`, of so many steps. */
export const keepOf = (args: Arguments, steps: number): NonNullable<StepsOptions['keep']> => {
  const word = args.text('keep', 'root');
  return word === 'all' || word === 'root' ? word : args.integer('keep', 1, 1, steps);
};

const zeroMatrix = (dim: number): number[][] => Array.from({ length: dim }, () => new Array<number>(dim).fill(0));

const COLOURS: readonly Colour[] = [
  [86, 180, 233],
  [150, 150, 150],
  [213, 94, 0],
  [0, 114, 178],
  [0, 158, 115],
  [204, 121, 167],
];
