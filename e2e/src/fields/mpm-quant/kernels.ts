import { accumulate, active, append, at, cache, clear, columns, identity, idiv, kernel } from '@filigree/lang/kernels';
import {
  nearestRotation,
  permutation,
  quadraticSpline,
  range,
  splineNodes,
  sum,
  vec,
  zeros,
} from '@filigree/lang/kernels';
import type { Mat, Vec } from '@filigree/lang/kernels';
import { dense, dynamic, fields, i, ijk, ijkl, l, layout } from '@filigree/sparse/fields';
import type { MpmSetup } from '../mpm/mpm.js';
import type { ParticleScheme } from './schemes.js';

/** The setup of a simulation, and how much softer the second material is. */
export interface QuantMpmSetup extends MpmSetup {
  readonly soft: number;
}

/** How momentum goes to the grid and back: by two loops over particles a step, or by one, in which nothing of it is kept. */
export type Transfer = 'p2g' | 'g2p2g';

/**
 * One step of a simulation in space, and where its data lie: particles by a scheme, a grid of blocks with their particles.
 *
 * @param together whether all parts of a particle lie side by side
 */
export const quantMpm = (
  setup: QuantMpmSetup,
  float: 'f32' | 'f64',
  scheme: ParticleScheme,
  transfer: Transfer,
  together = false,
) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall, soft } = setup;
  const { x, v, C, F } = fields(float, i, { x: 3, v: 3, C: [3, 3], F: [3, 3] });
  const { material, colour } = fields('i32', i, ['material', 'colour']);
  const { g, next } = fields(float, ijk, { g: 4, next: 4 });
  const { list } = fields('i32', ijkl, ['list']);
  const count = setup.body.length;

  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);
  /** What a particle adds to the momentum of nodes by their distance: of its affine velocity, and of its stress. */
  const affine = (C: Mat<3, 3>, F: Mat<3, 3>, material: number) => {
    const stiff = material === 1 ? soft : 1.0;
    const J = F.determinant();
    const shear = F.sub(nearestRotation(F)).mul(F.transpose());
    const stress = shear.mul(2 * mu).add(identity(3).mul(lambda * (J - 1) * J));
    return C.mul(mass).sub(stress.mul(stiff * 4 * n * n * dt * volume));
  };
  const moved = (node: Vec<4>, i: number, j: number, k: number) => {
    const [x, y, z, m] = node;
    return vec(free(i, x / m), free(j, y / m - gravity * dt), free(k, z / m), 0);
  };
  const given = { float, scope: { ...setup, count, free, affine, moved } };

  const p2g = kernel([x, v, C, F, material, g, list], given, (x, v, C, F, material, g, list) => {
    clear(g);
    for (const p of range(count)) append(at(list, idiv(quadraticSpline(x[p].mul(n)).base, 4)), p);
    for (const [i, j, k, l] of active(list)) {
      cache(g);
      const p = permutation(list[i][j][k][l], count);
      F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
      const turn = affine(C[p], F[p], material[p]);
      for (const [node, weight, away] of splineNodes(x[p].mul(n), [4 * i, 4 * j, 4 * k], 4))
        accumulate(g, node, vec(v[p].mul(mass).add(turn.mul(away.div(n))), mass).mul(weight));
    }
    for (const [i, j, k] of active(g)) if (g[i][j][k][3] > 0) g[i][j][k] = moved(g[i][j][k], i, j, k);
    for (const [i, j, k, l] of active(list)) {
      cache(g);
      const p = permutation(list[i][j][k][l], count);
      const nodes = splineNodes(x[p].mul(n), [4 * i, 4 * j, 4 * k], 4);
      /* The velocity around the particle, and its moment along each axis. */
      const m = sum(nodes, ([node, weight, away]) => vec(1, away).outer(at(g, node).mul(weight)));
      v[p] = m[0].xyz;
      C[p] = columns(m[1].xyz, m[2].xyz, m[3].xyz).mul(4 * n);
      x[p] = x[p].add(m[0].xyz.mul(dt));
    }
  });
  const begin = kernel([x, v, F, material, g], given, (x, v, F, material, g) => {
    for (const p of range(count)) {
      const turn = affine(zeros(3, 3), F[p], material[p]);
      for (const [node, weight, away] of splineNodes(x[p].mul(n)))
        accumulate(g, node, vec(v[p].mul(mass).add(turn.mul(away.div(n))), mass).mul(weight));
    }
  });
  const through = (from: typeof g, to: typeof g, name: string) =>
    kernel([x, v, F, material, from, to], { ...given, name }, (x, v, F, material, from, to) => {
      clear(to);
      for (const [i, j, k] of active(from)) if (from[i][j][k][3] > 0) from[i][j][k] = moved(from[i][j][k], i, j, k);
      for (const p of range(count)) {
        const m = sum(splineNodes(x[p].mul(n)), ([node, weight, away]) =>
          vec(1, away).outer(at(from, node).mul(weight)),
        );
        const speed = m[0].xyz;
        const C = columns(m[1].xyz, m[2].xyz, m[3].xyz).mul(4 * n);
        const place = x[p].add(speed.mul(dt));
        const deformed = F[p].add(C.mul(F[p]).mul(dt));
        v[p] = speed;
        x[p] = place;
        F[p] = deformed;
        const turn = affine(C, deformed, material[p]);
        for (const [node, weight, away] of splineNodes(place.mul(n)))
          accumulate(to, node, vec(speed.mul(mass).add(turn.mul(away.div(n))), mass).mul(weight));
      }
    });
  const grids = dense(ijk, n / 4).pointer();
  const blocks =
    transfer === 'p2g'
      ? grids.fork(dense(ijk, 4).place(g), dynamic(l, 4096).place(list))
      : grids.fork(dense(ijk, 4).place(g));
  const others =
    transfer === 'p2g'
      ? []
      : [
          dense(ijk, n / 4)
            .pointer()
            .dense(ijk, 4)
            .place(next),
        ];
  const particles = scheme({ x, v, F, material, colour, ...(transfer === 'p2g' && { C }) });
  /* In groups of eight, each part of a group side by side. */
  const parts = together ? [particles] : particles.map((part) => [part]);
  const groups = dense(i, Math.ceil(count / 8)).fork(...parts.map((part) => dense(i, 8).place(...part)));
  return {
    layout: layout(groups, blocks, ...others),
    kernels: transfer === 'p2g' ? { p2g } : { begin, forth: through(g, next, 'forth'), home: through(next, g, 'home') },
    fields: { x, v, F, material, colour, ...(transfer === 'p2g' && { C }) },
  };
};
