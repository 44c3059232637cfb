import { inGroups } from '@filigree/e2e';
import {
  accumulate,
  active,
  at,
  dense,
  fields,
  i,
  identity,
  ij,
  kernel,
  layout,
  polar2,
  program,
  put,
  quadraticSpline,
  range,
  splineNodes,
  steps as inSteps,
  sum,
  valueAndGradient,
  vec,
  zeros,
  type Vec,
} from 'filigree';

/** Particles on a grid: as many nodes along each axis, particles and steps. */
export interface MpmSize {
  readonly n: number;
  readonly count: number;
  readonly steps: number;
}

/** Elastic particles that are thrown at the floor, as `native/mpm_gradient.py` has them: the loss is how far they are from the corner. */
export interface Thrown {
  readonly start: Float64Array;
  /** Of first velocities, two numbers a particle. */
  readonly value: (velocity: Float64Array) => number;
  readonly gradient: (velocity: Float64Array) => { readonly value: number; readonly gradient: Float64Array };
  readonly close: () => void;
}

/** By the moving-least-squares material point method (thesis App. E.1), every state kept. */
export const thrown = async ({ n, count, steps }: MpmSize, dtype: 'f32' | 'f64'): Promise<Thrown> => {
  const { x, v, C, F } = fields(dtype, i, { x: 2, v: 2, C: [2, 2], F: [2, 2] });
  const { momentum, u } = fields(dtype, ij, { momentum: 2, u: 2 });
  const { mass } = fields(dtype, ij, ['mass']);
  const { loss } = fields(dtype, i, ['loss']);
  const [dt, stiff, gravity, wall] = [0.0064 / n, 10, 3.8, 3];
  const held = (k: number, w: number): number => ((k < wall && w < 0) || (k > n - wall && w > 0) ? 0.0 : w);
  const given = { float: dtype, scope: { n, count, dt, stiff, gravity, wall, held } };

  const empty = kernel([momentum, mass], given, (momentum, mass) => {
    for (const node of active(mass)) {
      put(momentum, node, zeros(2));
      put(mass, node, 0);
    }
  });
  const toGrid = kernel([x, v, C, F, momentum, mass], given, (x, v, C, F, momentum, mass) => {
    for (const p of range(count)) {
      const deformed = F[p].add(C[p].mul(F[p]).mul(dt));
      F[p] = deformed;
      const J = deformed.determinant();
      const [R] = polar2(deformed);
      const elastic = deformed
        .sub(R)
        .mul(deformed.transpose())
        .mul(2 * stiff);
      const stress = elastic.add(identity(2).mul(stiff * (J - 1) * J));
      const affine = C[p].sub(stress.mul(4 * n * n * dt));
      for (const [node, share, away] of splineNodes(quadraticSpline(x[p].mul(n)))) {
        accumulate(momentum, node, v[p].add(affine.mul(away.div(n))).mul(share));
        accumulate(mass, node, share);
      }
    }
  });
  const onGrid = kernel([momentum, mass, u], given, (momentum, mass, u) => {
    for (const [a, b] of active(mass)) {
      const w: Vec<2> = momentum[a][b].div(mass[a][b] + 1e-10).sub(vec(0, gravity * dt));
      u[a][b] = vec(held(a, w.x), held(b, w.y));
    }
  });
  const toParticles = kernel([x, v, C, u], given, (x, v, C, u) => {
    for (const p of range(count)) {
      const around = splineNodes(quadraticSpline(x[p].mul(n)));
      const speed = sum(around, ([node, share]) => at(u, node).mul(share));
      v[p] = speed;
      C[p] = sum(around, ([node, share, away]) => at(u, node).outer(away.mul(4 * n * share)));
      x[p] = x[p].add(speed.mul(dt));
    }
  });
  const far = kernel([x, loss], given, (x, loss) => {
    loss[0] = 0.0;
    for (const p of range(count)) loss[0] += x[p].dot(x[p]) / count;
  });
  const sim = await program({
    layout: layout(inGroups(count, x, v, C, F), dense(ij, n).place(momentum, mass, u), dense(i, 1).place(loss)),
    kernels: { empty, toGrid, onGrid, toParticles, far },
    differentiate: true,
    threads: 1,
    backend: 'cpp',
  });
  const all = { from: [0], to: [count] };
  const along = Math.ceil(Math.sqrt(count));
  const places = Float64Array.from({ length: 2 * count }, (_, k) => {
    const p = k >> 1;
    return 0.3 + (0.4 * ((k % 2 === 0 ? p % along : Math.floor(p / along)) + 0.5)) / along;
  });
  const rest = Float64Array.from({ length: 4 * count }, (_, k) => (k % 4 === 0 || k % 4 === 3 ? 1 : 0));
  const begin = (velocity: Float64Array): void => {
    sim.field(x).fromArray(places, all);
    sim.field(v).fromArray(velocity, all);
    sim.field(F).fromArray(rest, all);
    sim.field(C).fill(zeros(2, 2));
  };
  const state = [x, v, C, F, momentum, mass, u];
  const step = (): void => {
    sim.run.empty();
    sim.run.toGrid();
    sim.run.onGrid();
    sim.run.toParticles();
  };
  const forward = (): void => {
    inSteps(sim, steps, step, { state, keep: 'all' });
    sim.run.far();
  };
  return {
    start: Float64Array.from({ length: 2 * count }, (_, k) => (k % 2 === 0 ? 1 + Math.sin(k >> 1) : -1)),
    value: (velocity) => {
      begin(velocity);
      forward();
      return sim.field(loss).get(0);
    },
    gradient: (velocity) => {
      begin(velocity);
      const found = valueAndGradient(sim, forward, { loss, wrt: { v } });
      return { value: found.value, gradient: Float64Array.from(found.gradient.v.toArray(all)) };
    },
    close: () => sim.dispose(),
  };
};
