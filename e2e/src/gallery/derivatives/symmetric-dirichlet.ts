import { symbolic } from '@filigree/lang/numeric';
import type { Num } from '@filigree/ir';
import type { Example } from 'filigree';
import { gridMesh, vertexCount, type Mesh } from '../../meshes/index.js';
import { clothRest, leastDeterminant, symmetricDirichlet, symmetricDirichletScope } from '../../programs/index.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import type { Problem } from '../problem.js';
import { compileProblem } from '../run-program.js';
import { blocksOf, checkDerivatives, worstOf } from './checks.js';
import { writeMeshPictures } from './mesh-pictures.js';
import { newton } from './newton.js';

/** A surface laid flat with little distortion: energy, gradient and Hessian by differentiation, minimised by Newton's method. */
export const symmetricDirichletExample: Example = {
  name: 'symmetric-dirichlet',
  rows: ['EX9', 'EX11'],
  traced: true,
  ...described(
    'meshes',
    'a surface laid flat with little distortion: Newton steps by derivatives of the energy, which are found',
    'n=VERTICES, iterations=STEPS, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['n', 'iterations', 'out']);
    const side = Math.round(Math.sqrt(args.integer('n', 1_600, 4, 10_000_000)));
    const surface = gridMesh(side, side, (x, y) => 0.3 * Math.sin(3 * x) * y);
    const { problem, start, allowed, terms } = flattening(surface);
    const compiled = await compileProblem(problem, options);
    try {
      options.progress(0.8, 'check and minimise');
      const at = (uv: Float64Array): ((name: string) => Float64Array) => {
        compiled.set('uv', uv);
        compiled.run();
        return compiled.get;
      };
      const hessianAt = (uv: Float64Array): Float64Array => at(uv)('H');
      const pattern = compiled.patterns.H;
      const errors = checkDerivatives(
        {
          plain: terms,
          value: at(start)('energy')[0],
          gradient: (uv) => at(uv)('gradient'),
          hessian: { pattern, values: hessianAt(start) },
        },
        start,
        (options.dtype === 'f64' ? 1e-3 : 1e-2) / side,
        options.seed,
      );
      const begin = performance.now();
      const { x: last, values } = newton(
        {
          value: (uv) => (allowed(uv) ? at(uv)('energy')[0] : Infinity),
          derivatives: (uv) => {
            const get = at(uv);
            return { gradient: get('gradient'), hessian: { pattern, values: get('H') } };
          },
        },
        start,
        args.integer('iterations', 10, 1, 1000),
      );
      const minimise = performance.now() - begin;
      const [lossFirst, lossLast] = [values[0], values[values.length - 1]];
      const runs = Array.from({ length: 9 }, () => {
        const from = performance.now();
        compiled.run();
        return performance.now() - from;
      }).sort((a, b) => a - b);
      const drawn = { faces: surface.faces, dim: 2, before: start, after: last };
      const pictures = writeMeshPictures(args.text('out', 'out'), 'symmetric-dirichlet', drawn);
      options.progress(1, 'done');
      const accepted = options.dtype === 'f64' ? 1e-6 : 2e-2;
      return {
        metrics: {
          title: problem.title,
          backend: compiled.instance.backend,
          lossFirst,
          lossLast,
          iterations: values.length - 1,
          ...errors,
          /* One program computes all of it: nothing is recorded. */
          tapeMB: 0,
          ...pictures,
          outputs: pattern.colIdx.length,
          launches: compiled.cost.launches,
          indexBytes: compiled.cost.indexBytes,
          bytesMoved: compiled.cost.bytesMoved,
          peakRssMB: compiled.cost.peakRssMB,
        },
        check: {
          passed: worstOf(errors) <= accepted && lossLast < lossFirst,
          maxRelError: worstOf(errors),
        },
        ms: { ...compiled.cost.ms, run: runs[4], minimise },
        nodes: compiled.cost.nodes,
        kernels: compiled.cost.kernels,
      };
    } finally {
      compiled.instance.dispose();
    }
  },
};

/** The energy of flat images of a surface that has no folds seen from above; the first image is the view from there. */
export const flattening = (
  surface: Mesh,
): {
  readonly problem: Problem;
  readonly start: Float64Array;
  /** Whether no face is turned over. */
  readonly allowed: (uv: Float64Array) => boolean;
  /** The terms whose sum is the plain function. */
  readonly terms: (uv: Float64Array) => Float64Array;
} => {
  const { faces, vertices } = surface;
  const n = vertexCount(surface);
  const { areas, gradients } = clothRest(vertices, faces);
  const start = Float64Array.from({ length: 2 * n }, (_, k) => vertices[3 * (k >> 1) + (k & 1)]);
  const blocks = blocksOf([
    { values: faces, each: 3 },
    { values: areas, each: 1 },
    { values: gradients, each: 6 },
  ]);
  const traced = symbolic(symmetricDirichlet, { scope: symmetricDirichletScope });
  return {
    problem: {
      title: `symmetric Dirichlet energy, ${(faces.length / 3).toLocaleString('en')} faces`,
      program: {
        capacity: 130 * faces.length,
        inputs: { uv: start.length, areas: areas.length, gradients: gradients.length },
        run: (inputs, { gradient, hessian }) => {
          const uv = inputs.uv as Num[];
          const value = traced(uv, faces, inputs.areas as Num[], inputs.gradients as Num[]);
          return { energy: value, gradient: gradient(value, uv), H: hessian(value, uv, { half: 'lower' }) };
        },
      },
      values: { uv: start, areas, gradients },
      evaluate: ({ uv }) => ({ energy: [symmetricDirichlet(uv, faces, areas, gradients)] }),
    },
    start,
    allowed: (uv) => leastDeterminant(uv, faces, gradients) > 0,
    terms: (uv) => Float64Array.from(blocks, ([f, a, g]) => symmetricDirichlet(uv, f, a, g)),
  };
};
