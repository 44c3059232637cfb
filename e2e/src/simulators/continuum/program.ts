import { accumulate, active, at, dense, fields, i, identity, ij, ijk, kernel, layout, ndrange } from 'filigree';
import { polar2, polar3, program, put, range, splineNodes, sum, unrolled, vec, zeros, type Vec } from 'filigree';
import { handOut, programOptions } from '../../fields/compile-options.js';
import { inGroups } from '../../fields/layouts.js';
import type { SimulatorOptions } from '../simulator.js';
import { CONTINUUM, type ContinuumScene } from './scene.js';

/**
 * The material point method of thesis App. E.1 and E.2, differentiable by what drives the muscles: the state of particles is overwritten by every step. Kernels
 * are written for the plane; in space the same texts are compiled for vectors of three.
 */
export const continuumProgram = async (scene: ContinuumScene, name: string, options: SimulatorOptions) => {
  const { n, dt, steps, muscles, robot } = scene;
  const dim = scene.dim as 2;
  const count = scene.muscle.length;
  const { mu, lambda, bulk, gravity, friction, strength, omega, waves, wall } = CONTINUUM;
  const nodes = (scene.dim === 2 ? ij : ijk) as typeof ij;
  const now = fields(options.dtype, i, { x: dim, v: dim, C: [dim, dim], F: [dim, dim] } as const);
  const next = fields(options.dtype, i, { nextX: dim, nextV: dim, nextC: [dim, dim], nextF: [dim, dim] } as const);
  const { solid, bias, loss } = fields(options.dtype, i, ['solid', 'bias', 'loss']);
  const { muscle } = fields('i32', i, ['muscle']);
  const { momentum, u } = fields(options.dtype, nodes, { momentum: dim, u: dim });
  const { mass } = fields(options.dtype, nodes, ['mass']);
  const { weight, act } = fields(options.dtype, ij, ['weight', 'act']);

  /* What is along each wall, and what is upright. */
  const axes = Array.from({ length: scene.dim }, (_, axis) => axis);
  const ALONG = axes.map((axis) => axes.map((a) => (a === axis ? 0 : 1))) as unknown as (readonly [number, number])[];
  const UP = axes.map((a) => (a === 1 ? 1 : 0)) as unknown as readonly [number, number];
  /* The velocity of a node: it does not lead into walls, and friction takes away of what leads along them. */
  const free = (node: readonly number[], given: Vec<2>): Vec<2> => {
    let w = given;
    for (const axis of unrolled(range(dim))) {
      const into = node[axis] < wall ? w[axis] : node[axis] > n - wall ? -w[axis] : 1.0;
      if (into < 0) {
        const along = w.hadamard(vec(...ALONG[axis]));
        const speed = along.norm() + 1e-10;
        w = along.mul(Math.max(0.0, 1 + (friction * into) / speed));
      }
    }
    return w;
  };
  const root = 1 / scene.dim;
  const solidOnly = scene.solid.every((s) => s > 0);
  const polar = (scene.dim === 2 ? polar2 : polar3) as typeof polar2;
  const scope = {
    ...{ n, dt, dim, count, robot, muscles, waves, steps, free, ALONG, UP, root, polar, solidOnly },
    ...{ mu, lambda, bulk, gravity, friction, strength, omega, wall },
  };
  const given = { float: options.dtype, scope };

  const drive = kernel([weight, bias, act], given, (weight, bias, act) => {
    for (const [t, m] of ndrange(steps, muscles)) {
      const wave = sum(range(waves), (k) => weight[m][k] * Math.sin(omega * t * dt + (2 * Math.PI * k) / waves));
      act[t][m] = Math.tanh(bias[m] + wave);
    }
  });
  const empty = kernel([momentum, mass], given, (momentum, mass) => {
    for (const node of active(mass)) {
      put(momentum, node, zeros(dim));
      put(mass, node, 0);
    }
  });
  const { x, v, C, F } = now;
  const { nextX, nextV, nextC, nextF } = next;
  const toGrid = kernel(
    [x, v, C, F, nextF, solid, muscle, act, momentum, mass, 'i32'],
    given,
    (x, v, C, F, nextF, solid, muscle, act, momentum, mass, t) => {
      for (const p of range(count)) {
        const deformed = F[p].add(C[p].mul(F[p]).mul(dt));
        const J = deformed.determinant();
        let R = identity(dim);
        if (solidOnly || solid[p] > 0) R = polar(deformed)[0];
        const pulled = deformed.mul(vec(...UP));
        const m = muscle[p];
        const pull = m < 0 ? 0.0 : strength * act[t][Math.max(m, 0)];
        const elastic = deformed
          .sub(R)
          .mul(deformed.transpose())
          .mul(2 * mu);
        const pressure = (solid[p] > 0 ? lambda : bulk) * (J - 1) * J;
        const shape = solid[p] > 0 ? elastic.add(pulled.outer(pulled).mul(pull)) : zeros(dim, dim);
        const stress = shape.add(identity(dim).mul(pressure));
        nextF[p] = solid[p] > 0 ? deformed : identity(dim).mul(J ** root);
        const affine = C[p].sub(stress.mul(4 * n * n * dt));
        for (const [node, share, away] of splineNodes(x[p].mul(n))) {
          accumulate(momentum, node, v[p].add(affine.mul(away.div(n))).mul(share));
          accumulate(mass, node, share);
        }
      }
    },
  );
  const onGrid = kernel([momentum, mass, u], given, (momentum, mass, u) => {
    for (const node of active(mass)) {
      const m = at(mass, node);
      const fallen = at(momentum, node).div(m > 0 ? m : 1.0).sub(vec(...UP).mul(m > 0 ? gravity * dt : 0.0)); // prettier-ignore
      put(u, node, free(node, fallen));
    }
  });
  const toParticles = kernel([x, u, nextX, nextV, nextC], given, (x, u, nextX, nextV, nextC) => {
    for (const p of range(count)) {
      const around = splineNodes(x[p].mul(n));
      const speed = sum(around, ([node, share]) => at(u, node).mul(share));
      nextV[p] = speed;
      nextC[p] = sum(around, ([node, share, away]) => at(u, node).outer(away.mul(4 * n * share)));
      nextX[p] = x[p].add(speed.mul(dt));
    }
  });
  const take = kernel([x, v, C, F, nextX, nextV, nextC, nextF], given, (x, v, C, F, nextX, nextV, nextC, nextF) => {
    for (const p of range(count)) {
      x[p] = nextX[p];
      v[p] = nextV[p];
      C[p] = nextC[p];
      F[p] = nextF[p];
    }
  });
  const far = kernel([x, loss], given, (x, loss) => {
    loss[0] = 0.0;
    for (const p of range(robot)) loss[0] -= x[p].x / robot;
  });
  const sim = await program({
    layout: layout(
      inGroups(count, x, v, C, F, nextX, nextV, nextC, nextF),
      dense(i, count).place(solid, muscle),
      dense(nodes, n).place(momentum, mass, u),
      dense(ij, [steps, muscles]).place(act),
      dense(ij, [muscles, waves]).place(weight),
      dense(i, muscles).place(bias),
      dense(i, 1).place(loss),
    ),
    kernels: { drive, empty, toGrid, onGrid, toParticles, take, far },
    differentiate: [x, v, C, F, nextX, nextV, nextC, nextF, momentum, mass, u, act, weight, bias, loss],
    ...programOptions(options),
  });
  handOut(options, name, sim);
  sim.field(solid).fromArray(scene.solid);
  sim.field(muscle).fromArray(scene.muscle);
  return { sim, fields: { x, v, C, F, nextX, nextV, nextC, nextF, momentum, mass, u, weight, bias, loss } };
};
