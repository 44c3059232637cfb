import { continuumSimulation } from './continuum/simulation.js';
import { sceneOf } from './continuum/scene.js';
import { crawler } from './diffmpm.js';
import type { Simulator } from './simulator.js';

/** A liquid and an elastic robot that move each other (thesis App. E.2). */
export const liquid: Simulator = {
  name: 'liquid',
  shows: 'water falls on an elastic robot: how its muscles are to pull so that it gets away',
  takes: 'size=NODES, steps=…, keep=all|root|SEGMENTS',
  keys: ['size', 'steps', 'keep'],
  iterations: 10,
  make: (args, options) => {
    const n = args.integer('size', 32, 16, 1024);
    const steps = args.integer('steps', 64, 1, 100_000);
    const water = { corner: [0.25, 0.35, 0.45], size: [0.2, 0.2, 0.2], liquid: true };
    const scene = sceneOf({ dim: 3, n, steps }, [...crawler(n), water]);
    return continuumSimulation(scene, 'liquid', args, options);
  },
};
