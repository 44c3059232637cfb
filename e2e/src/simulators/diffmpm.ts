import { continuumSimulation } from './continuum/simulation.js';
import { sceneOf, type Part } from './continuum/scene.js';
import type { Simulator } from './simulator.js';

/** Elastic robots (thesis §4.1, App. E.1): when each muscle pulls, so that they walk. */
export const diffmpm: Simulator = {
  name: 'diffmpm',
  shows: 'elastic robots of particles: how their muscles are to pull so that they walk',
  takes: 'dim=2|3, size=NODES, steps=…, keep=all|root|SEGMENTS',
  keys: ['dim', 'size', 'steps', 'keep'],
  iterations: 20,
  make: (args, options) => {
    const flat = args.word('dim', '2', ['2', '3']) === '2';
    const n = args.integer('size', flat ? 64 : 32, 16, 1024);
    const steps = args.integer('steps', flat ? 512 : 64, 1, 100_000);
    const scene = sceneOf({ dim: flat ? 2 : 3, n, steps }, flat ? walker(n) : crawler(n));
    return continuumSimulation(scene, 'diffmpm', args, options);
  },
};

/** A body on two legs, each of two muscles. */
const walker = (n: number): readonly Part[] => [
  { corner: [0.1, 4 / n + 0.1], size: [0.3, 0.1] },
  ...[0, 0.05, 0.2, 0.25].map((x, muscle) => ({ corner: [0.1 + x, 4 / n], size: [0.05, 0.1], muscle })),
];

/** A body on four legs, each of four muscles. */
export const crawler = (n: number): readonly Part[] => {
  const [left, behind, low] = [0.15, 0.4, 4 / n];
  const legs = [0, 0.2].flatMap((z) => [0, 0.2].map((x) => [left + x, behind + z]));
  return [
    { corner: [left, low + 0.1, behind], size: [0.3, 0.1, 0.3] },
    ...legs.flatMap(([x, z], leg) =>
      [0, 1, 2, 3].map((k) => ({
        corner: [x + 0.05 * (k & 1), low, z + 0.05 * (k >> 1)],
        size: [0.05, 0.1, 0.05],
        muscle: 4 * leg + k,
      })),
    ),
  ];
};
