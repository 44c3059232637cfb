import { GRAPH_PASSES, type Example, type GraphPass } from 'filigree';
import type { QueuedCase } from '../queued/case.js';
import { LARGE_QUEUED_CASES, QUEUED_CASES } from '../queued/cases/index.js';
import { runRelaxation } from '../queued/relaxation.js';
import { runCase } from '../queued/run-case.js';
import { runSurfacePatterns } from '../queued/surface-patterns.js';
import { spotOfSize } from '../spot.js';
import { argumentsOf } from './arguments.js';
import { described } from './described.js';

/** A program of small launches as an example, with the queue or without. */
const queuedExample = (given: QueuedCase): Example => ({
  name: given.name,
  rows: ['TA4.5'],
  ...described(
    'queued',
    given.shows,
    `queue=on|off, n=ELEMENTS, steps=…${given.layouts ? ', layout=pointer|bitmasked' : ''}`,
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['queue', 'n', 'steps', ...(given.layouts ? ['layout'] : [])]);
    options.progress(0, 'compile and run');
    const { metrics, maxRelError, backend } = await runCase(given, {
      ...options,
      queue: args.word('queue', 'on', ['on', 'off']) === 'on',
      layout: args.word('layout', 'pointer', ['pointer', 'bitmasked']),
      n: args.integer('n', given.n, 1, given.most),
      steps: args.integer('steps', given.steps, 1, 1e6),
      ablate: options.ablate.filter((name) => !isPass(name)),
      without: options.ablate.filter(isPass),
    });
    options.progress(1, 'done');
    const bound = given.rounding * (options.dtype === 'f32' ? 2 ** -23 : 2 ** -52);
    return {
      metrics: { backend, ...metrics },
      check: { passed: maxRelError <= bound, maxRelError },
      ms: { run: metrics.wallMs, plan: metrics.planMs },
    };
  },
});

const isPass = (name: string): name is GraphPass => (GRAPH_PASSES as readonly string[]).includes(name);

/** Two front ends in one session, both of traced programs. */
const relaxation: Example = {
  name: 'relaxation',
  rows: ['TA4.6'],
  ...described(
    'queued',
    'a sparse product and a traced update share memory, and run as one loop over rows',
    'queue=on|off, n=POINTS, steps=…',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['queue', 'n', 'steps']);
    options.progress(0, 'compile and run');
    const { metrics, maxRelError, backend } = await runRelaxation({
      ...options,
      queue: args.word('queue', 'on', ['on', 'off']) === 'on',
      n: args.integer('n', 65536, 4, 2 ** 22),
      steps: args.integer('steps', 50, 1, 1e5),
      without: options.ablate.filter(isPass),
    });
    options.progress(1, 'done');
    return {
      metrics: { backend, ...metrics },
      check: { passed: maxRelError <= (options.dtype === 'f32' ? 1e-4 : 1e-12), maxRelError },
      ms: { run: metrics.wallMs, plan: metrics.planMs },
    };
  },
};

/** Two front ends of which one is kernels on fields. */
const surfacePatterns: Example = {
  name: 'surface-patterns',
  rows: ['TA4.6'],
  ...described(
    'queued',
    'two sparse products and a kernel on fields share memory, and run as one loop over the vertices of a mesh',
    'queue=on|off, mesh=FILE or n=VERTICES, steps=…',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['queue', 'mesh', 'n', 'steps']);
    options.progress(0, 'compile and run');
    const { metrics, maxRelError, backend } = await runSurfacePatterns({
      ...options,
      queue: args.word('queue', 'on', ['on', 'off']) === 'on',
      mesh: args.mesh() ?? spotOfSize(args.integer('n', 45_000, 4, 2 ** 21)),
      steps: args.integer('steps', 50, 1, 1e5),
      without: options.ablate.filter(isPass),
    });
    options.progress(1, 'done');
    return {
      metrics: { backend, ...metrics },
      check: { passed: maxRelError <= (options.dtype === 'f32' ? 1e-4 : 1e-12), maxRelError },
      ms: { run: metrics.wallMs, plan: metrics.planMs },
    };
  },
};

/** The microbenchmarks and larger cases of the thesis' chapter on launches (appendix to chapter 4). */
export const QUEUED_EXAMPLES: readonly Example[] = [
  ...[...QUEUED_CASES, ...LARGE_QUEUED_CASES].map(queuedExample),
  relaxation,
  surfacePatterns,
];
