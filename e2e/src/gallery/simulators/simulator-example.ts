import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakRssMB } from '@filigree/runtime';
import type { Example } from 'filigree';
import { imagePng } from '../../draw/index.js';
import { gradientError } from '../../simulators/gradient-check.js';
import type { Simulator } from '../../simulators/simulator.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { interleavedMedians } from '../run-program.js';

/**
 * Checks the simulation and its gradient, optimises, and writes pictures of what it was before and is after into `out`. Passed where
 * the gradient is right and the loss has fallen.
 */
export const simulatorExample = ({ name, shows, takes, keys, iterations, make }: Simulator): Example => ({
  name,
  rows: ['TA3.6'],
  ...described('simulators', shows, `${takes ? `${takes}, ` : ''}iterations=…, out=DIR`),
  run: async (options) => {
    const args = argumentsOf(options.args, [...keys, 'iterations', 'out']);
    const count = args.integer('iterations', iterations, 0, 1_000_000);
    options.progress(0, 'compile');
    const begin = performance.now();
    const sim = await make(args, options);
    const compiled = performance.now();
    try {
      options.progress(0.1, 'check');
      const first = sim.gradient(sim.start);
      /* The plain program is slow: in f64 differences are of what has been found to compute the same. */
      const plain = sim.plain ?? sim.value;
      const valueCheck = Math.abs(first.value - plain(sim.start)) / Math.max(Math.abs(first.value), 1e-12);
      const truth = options.dtype === 'f64' ? sim.value : plain;
      const gradientCheck = gradientError(truth, first.gradient, sim.start, sim.difference, options.seed);
      const out = args.text('out', 'out');
      mkdirSync(out, { recursive: true });
      const picture = (when: string, x: Float64Array): string => {
        sim.value(x);
        const file = join(out, `${name}-${when}.png`);
        writeFileSync(file, imagePng(sim.picture(x)));
        return file;
      };
      const before = picture('before', sim.start);
      const optimising = performance.now();
      const falls = sim.falls ?? true;
      /* Where a loss is chaotic, as that of robots that bounce, the last point need not be the best that was found. */
      let best = { x: sim.start, value: first.value };
      let at = sim.start;
      for (let k = 0; k < count; k++) {
        if (k % Math.ceil(count / 20) === 0) options.progress(0.2 + (0.6 * k) / count, 'optimise');
        const { value, gradient } = sim.gradient(at);
        if (value < best.value) best = { x: at, value };
        at = sim.optimiser(at, gradient);
      }
      const iteration = (performance.now() - optimising) / Math.max(count, 1);
      const last = sim.value(at);
      const x = falls && best.value < last ? best.x : at;
      const lossLast = x === at ? last : sim.value(x);
      const findings = count > 0 ? (sim.findings?.(x, count) ?? []) : [];
      const after = picture('after', x);
      options.progress(0.8, 'time');
      const [forward, gradient] = interleavedMedians([() => void sim.value(x), () => void sim.gradient(x)], SAMPLES);
      options.progress(1, 'done');
      const fell = count === 0 || lossLast < first.value === falls;
      const [exact, close] = options.dtype === 'f64' ? [1e-6, 1e-9] : [5e-2, 1e-3];
      const right = gradientCheck <= exact && valueCheck <= close;
      const missed = findings.find((f) => !f.passed);
      const reason = !fell
        ? `the loss is no lower after ${count} iterations of the optimiser`
        : missed && `'${missed.name}' is ${missed.value}, where it is to be ${missed.most}`;
      return {
        metrics: {
          lossFirst: first.value,
          lossLast,
          gradientCheck,
          valueCheck,
          tapeMB: first.tapeBytes / 1e6,
          stateMB: sim.stateBytes / 1e6,
          iterations: count,
          parameters: sim.size,
          ...sim.metrics,
          ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
          before,
          after,
          peakRssMB: peakRssMB(),
        },
        check: {
          passed: right && fell && findings.every((f) => f.passed),
          maxRelError: gradientCheck,
          ...(right && reason !== undefined && { why: `its gradient is right, but ${reason}` }),
        },
        ms: { compile: compiled - begin, iteration, forward, gradient },
      };
    } finally {
      sim.close();
    }
  },
});

const SAMPLES = 5;
