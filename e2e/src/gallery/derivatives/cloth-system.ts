import { symbolic } from '@filigree/lang/numeric';
import { symbolicMath as m, Sym, type Num } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { Example } from 'filigree';
import { gridMesh, vertexCount, type Mesh } from '../../meshes/index.js';
import {
  barycentricMass,
  bendEnergy,
  clothBendScope,
  clothEnergy,
  clothHinges,
  clothRest,
  clothScope,
} from '../../programs/index.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { maxRelError } from '../max-rel-error.js';
import type { Problem } from '../problem.js';
import { compileProblem } from '../run-program.js';
import { blocksOf, checkDerivatives, worstOf } from './checks.js';
import { conjugateGradients, timesSymmetric } from './conjugate-gradients.js';
import { writeMeshPictures } from './mesh-pictures.js';

/** Implicit steps of a hanging cloth: the system of each is assembled from derivatives of its energy. */
export const clothSystemExample: Example = {
  name: 'cloth-system',
  rows: ['EX9', 'EX11'],
  traced: true,
  ...described(
    'meshes',
    'a cloth that falls: the linear system of an implicit step, of stretch, shear and bend, by derivatives',
    'n=VERTICES, steps=STEPS, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['n', 'steps', 'out']);
    const side = Math.round(Math.sqrt(args.integer('n', 400, 4, 10_000_000)));
    const mesh = gridMesh(side, side, (x, y) => 0.05 * Math.sin(5 * x) * Math.cos(4 * y));
    const cloth = hangingCloth(mesh);
    const compiled = await compileProblem(cloth.problem, options);
    try {
      options.progress(0.8, 'check and step');
      const { mass } = cloth;
      const pattern = compiled.patterns.A;
      const numbersOf = compiled.get;
      const at = (x: Float64Array, v: Float64Array): void => {
        compiled.set('x', x);
        compiled.set('v', v);
        compiled.run();
      };

      const [x, v] = [Float64Array.from(cloth.problem.values.x), Float64Array.from(cloth.problem.values.v)];
      at(x, v);
      const rightHandSide = numbersOf('b');
      const hessian = { pattern, values: stiffnessOf({ pattern, values: numbersOf('A') }, mass) };
      const errors = checkDerivatives(
        {
          plain: cloth.terms,
          value: numbersOf('energy')[0],
          gradient: (y) => {
            at(y, v);
            return numbersOf('gradient');
          },
          hessian,
        },
        x,
        (options.dtype === 'f64' ? 1e-3 : 1e-2) / side,
        options.seed,
      );
      at(x, v);
      const image = timesSymmetric(hessian, v);
      const systemCheck = maxRelError(
        rightHandSide,
        numbersOf('gradient').map((g, i) => -STEP * (g + STEP * image[i])),
      );

      const lossFirst = total(cloth.energy(x), mass, v);
      const steps = args.integer('steps', 10, 1, 100_000);
      const begin = performance.now();
      for (let k = 0; k < steps; k++) {
        at(x, v);
        const change = conjugateGradients({ pattern, values: numbersOf('A') }, numbersOf('b'), 1e-8);
        for (let i = 0; i < x.length; i++) x[i] += STEP * (v[i] += change[i]);
      }
      const stepMs = (performance.now() - begin) / steps;
      const lossLast = total(cloth.energy(x), mass, v);
      const drawn = { faces: mesh.faces, dim: 3, before: cloth.problem.values.x, after: x };
      const pictures = writeMeshPictures(args.text('out', 'out'), 'cloth-system', drawn);
      options.progress(1, 'done');
      const accepted = options.dtype === 'f64' ? 1e-6 : 2e-2;
      const worst = Math.max(worstOf(errors), systemCheck);
      return {
        metrics: {
          title: cloth.problem.title,
          backend: compiled.instance.backend,
          lossFirst,
          lossLast,
          steps,
          ...errors,
          systemCheck,
          /* One program computes all of it: nothing is recorded. */
          tapeMB: 0,
          ...pictures,
          outputs: pattern.colIdx.length,
          launches: compiled.cost.launches,
          indexBytes: compiled.cost.indexBytes,
          bytesMoved: compiled.cost.bytesMoved,
          peakRssMB: compiled.cost.peakRssMB,
        },
        /* An implicit step loses energy, whatever its length. */
        check: { passed: worst <= accepted && lossLast < lossFirst, maxRelError: worst },
        ms: { ...compiled.cost.ms, step: stepMs },
        nodes: compiled.cost.nodes,
        kernels: compiled.cost.kernels,
      };
    } finally {
      compiled.instance.dispose();
    }
  },
};

const STEP = 0.01;
const DENSITY = 0.2;
const GRAVITY = 9.81;
const STIFFNESS = { stretch: 5000, shear: 1000, bend: 1e-3, pin: 1e4 };

/**
 * A cloth that hangs by two corners. Outputs, for positions `x` and velocities `v`: the system (M + h²H) Δv = −h (g + h H v) of an implicit step (Baraff, Witkin
 * 1998), `A` and `b`, with gradient `g` and Hessian `H` of its energy, which is found by differentiation.
 */
const hangingCloth = (
  mesh: Mesh,
): {
  readonly problem: Problem;
  readonly energy: (x: ArrayLike<number>) => number;
  /** The terms whose sum it is. */
  readonly terms: (x: Float64Array) => Float64Array;
  /** One for each coordinate. */
  readonly mass: Float64Array;
} => {
  const { faces, vertices } = mesh;
  const n = vertexCount(mesh);
  const { areas, gradients } = clothRest(vertices, faces);
  const hinges = clothHinges(faces, n);
  const masses = barycentricMass(vertices, faces, n);
  const mass = Float64Array.from({ length: 3 * n }, (_, k) => DENSITY * masses[Math.floor(k / 3)]);
  const pins = [0, Math.round(Math.sqrt(n)) - 1];
  const { stretch, shear, bend, pin } = STIFFNESS;
  const energy = (x: ArrayLike<number>): number =>
    clothEnergy(x, faces, areas, gradients, stretch, shear) +
    bendEnergy(x, hinges, bend) +
    heldAndHeavy(x, mass, pins, vertices, pin, GRAVITY);
  const blocks = blocksOf([
    { values: faces, each: 3 },
    { values: areas, each: 1 },
    { values: gradients, each: 6 },
  ]);
  const hingeBlocks = blocksOf([{ values: hinges, each: 4 }]);
  const cloth = symbolic(clothEnergy, { scope: clothScope });
  const bending = symbolic(bendEnergy, { scope: clothBendScope });
  const outer = symbolic(heldAndHeavy);
  return {
    problem: {
      title: `system of an implicit step of a cloth, ${(faces.length / 3).toLocaleString('en')} faces`,
      program: {
        inputs: { x: 3 * n, v: 3 * n, mass: 3 * n, areas: areas.length, gradients: gradients.length, rest: 3 * n },
        run: ({ x, v, mass: M, areas: a, gradients: b, rest }, { gradient, hessian, graph }) => {
          const [masses, velocities] = [M as Num[], v as Num[]];
          const inside = m.add(
            cloth(x as Num[], faces, a as Num[], b as Num[], stretch, shear),
            bending(x as Num[], hinges, bend),
          );
          const value = m.add(inside, outer(x as Num[], masses, pins, rest as Num[], pin, GRAVITY));
          const g = gradient(value, x as Num[]);
          const { pattern, values } = hessian(value, x, { half: 'lower' });
          /* H·v is the change of the gradient along v. */
          const image = gradient(
            g.map((gi, i) => m.mul(gi, velocities[i])).reduce((p, q) => m.add(p, q)),
            x as Num[],
          );
          const A = values.map((id, e) => {
            const i = rowOf(pattern.rowPtr, e);
            const scaled = m.mul(STEP * STEP, new Sym(graph, id));
            return ((pattern.colIdx[e] === i ? m.add(scaled, masses[i]) : scaled) as Sym).id;
          });
          const right = g.map((gi, i) => m.mul(-STEP, m.add(gi, m.mul(STEP, image[i]))));
          return { energy: value, gradient: g, A: { pattern, values: A }, b: right };
        },
      },
      values: {
        x: vertices.map((c, k) => (k % 3 === 2 ? c : 1.02 * c)),
        v: vertices.map((_, k) => 0.1 * Math.sin(k)),
        mass,
        areas,
        gradients,
        rest: vertices,
      },
      evaluate: (given) => ({ energy: [energy(given.x)] }),
    },
    energy,
    terms: (x) =>
      Float64Array.from([
        ...blocks.map(([f, a, g]) => clothEnergy(x, f, a, g, stretch, shear)),
        ...hingeBlocks.map(([h]) => bendEnergy(x, h, bend)),
        heldAndHeavy(x, mass, pins, vertices, pin, GRAVITY),
      ]),
    mass,
  };
};

/** What two springs hold, and height in the field of gravity along the second axis. */
function heldAndHeavy(
  x: ArrayLike<number>,
  mass: ArrayLike<number>,
  pins: number[],
  rest: ArrayLike<number>,
  stiffness: number,
  gravity: number,
): number {
  let energy = 0;
  for (const pin of pins)
    for (let c = 0; c < 3; c++) energy += (stiffness / 2) * (x[3 * pin + c] - rest[3 * pin + c]) ** 2;
  for (let i = 0; 3 * i < x.length; i++) energy += mass[3 * i] * gravity * x[3 * i + 1];
  return energy;
}

/** H of A = M + h²H. */
const stiffnessOf = ({ pattern, values }: Csr<Float64Array>, mass: Float64Array): Float64Array =>
  values.map((value, e) => {
    const i = rowOf(pattern.rowPtr, e);
    return (value - (pattern.colIdx[e] === i ? mass[i] : 0)) / STEP ** 2;
  });

/** With what moves. */
const total = (energy: number, mass: Float64Array, v: Float64Array): number =>
  energy + v.reduce((s, vi, i) => s + (mass[i] * vi * vi) / 2, 0);

const rowOf = (rowPtr: Int32Array, entry: number): number => {
  let [low, high] = [0, rowPtr.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (rowPtr[middle] <= entry) low = middle;
    else high = middle;
  }
  return low;
};
