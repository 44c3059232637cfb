import { wasm } from '@filigree/backend-wasm';
import { describe, expect, it } from 'vitest';
import { SIMULATORS } from '../src/index.js';
import { argumentsOf } from '../src/gallery/arguments.js';

/** As small as they are for their gradients. */
const SMALL: readonly (readonly [string, Record<string, string>])[] = [
  ['spring-triangle', {}],
  ['mass-spring', { robot: '3', steps: '50', hidden: '8' }],
  ['wave', { size: '16', steps: '20' }],
  ['billiards', { steps: '512' }],
  ['time-of-impact', { steps: '100' }],
  ['smoke', { size: '16', steps: '6', sweeps: '4' }],
  ['volume-renderer', { size: '8', pixels: '8', views: '3' }],
  ['electric', { steps: '100', hidden: '8' }],
  ['diffmpm', { size: '24', steps: '20', keep: 'all' }],
  ['diffmpm', { dim: '3', size: '16', steps: '4', keep: '2' }],
  ['rigid-body', { legs: '2', steps: '60', hidden: '8' }],
  ['adaptive-pendulum', { size: '5' }],
];

describe('second derivatives of simulations', { timeout: 240_000 }, () => {
  it.each(SMALL)('%s %j: products are what differences of gradients tell', async (name, args) => {
    const simulator = SIMULATORS.find((s) => s.name === name)!;
    const sim = await simulator.make(argumentsOf(args, simulator.keys), { ...common, twice: true });
    const x = sim.start;
    const along = x.map((_, n) => Math.sin(3 * n + 1));
    const { gradient, product } = sim.product(x, along);
    const plain = sim.gradient(x).gradient;
    expect(size(gradient.map((g, n) => g - plain[n]))).toBeLessThan(1e-10 * size(plain));
    /* Between collisions long differences see other branches, and short ones round. */
    const errors = [1e-4, 1e-5, 1e-6].map((h) => {
      const [more, less] = [h, -h].map((t) => sim.gradient(x.map((v, n) => v + t * along[n])).gradient);
      return size(product.map((p, n) => p - (more[n] - less[n]) / (2 * h)));
    });
    expect(Math.min(...errors)).toBeLessThan(1e-7 * size(product) + 1e-12);
    sim.close();
  });

  it('refuses what the host computes in between', async () => {
    const simulator = SIMULATORS.find((s) => s.name === 'water-renderer')!;
    const args = argumentsOf({ size: '16', steps: '20' }, simulator.keys);
    const sim = await simulator.make(args, { ...common, twice: true });
    expect(() => sim.product(sim.start, sim.start)).toThrow(/product\/host-step/);
    sim.close();
  });
});

const common = { backend: wasm(), dtype: 'f64', threads: 1, ablate: [], seed: 3 } as const;
const size = (v: Float64Array): number => Math.hypot(...v);
