// Snow by the material point method: particles carry it, a grid that exists where snow is moves it.
import { accumulate, active, at, clear, dense, diag, field, i, identity, ij, kernel, layout } from 'filigree';
import { matrixField, polar2, program, quadraticSpline, splineNodes, svd2, vec, vectorField, zeros } from 'filigree';
import { type Grid1, type Grid2, type MatGrid1, type VecGrid1, type VecGrid2 } from 'filigree';
import { canvas, frame } from 'playground';

const particles = 3000;
const n = 64; // nodes along each side of the unit square
const dt = 1e-4;
const mu = 1e4 / (2 * (1 + 0.2)); // Lamé's parameters, from Young's modulus and Poisson's ratio
const lambda = (1e4 * 0.2) / ((1 + 0.2) * (1 - 2 * 0.2));

const x = vectorField('x', 'f32', 2); // position
const v = vectorField('v', 'f32', 2); // velocity
const C = matrixField('C', 'f32', 2, 2); // its gradient
const F = matrixField('F', 'f32', 2, 2); // elastic deformation
const J = field('J', 'f32'); // plastic change of volume
const gridM = field('gridM', 'f32');
const gridV = vectorField('gridV', 'f32', 2);
const world = layout(
  dense(i, particles).place(x, v, C, F, J),
  dense(ij, n / 8)
    .pointer()
    .dense(ij, 8)
    .place(gridM, gridV),
);

const start = kernel([x, F, J], (x: VecGrid1<2>, F: MatGrid1<2, 2>, J: Grid1) => {
  for (const p of active(x)) {
    x[p] = vec(0.35 + 0.3 * ((p * 0.754878) % 1), 0.55 + 0.3 * ((p * 0.56984) % 1));
    F[p] = identity(2);
    J[p] = 1;
  }
});

const substep = kernel(
  [x, v, C, F, J, gridM, gridV],
  (
    x: VecGrid1<2>,
    v: VecGrid1<2>,
    C: MatGrid1<2, 2>,
    F: MatGrid1<2, 2>,
    J: Grid1,
    gridM: Grid2,
    gridV: VecGrid2<2>,
  ) => {
    clear(gridM);
    // Particles to grid.
    for (const p of active(x)) {
      const hardening = Math.exp(10 * (1 - J[p]));
      const [R] = polar2(F[p]);
      const volume = F[p].determinant();
      const stress = F[p]
        .sub(R)
        .mul(F[p].transpose())
        .mul(2 * mu * hardening)
        .add(identity(2).mul(lambda * hardening * (volume - 1) * volume));
      const affine = C[p].sub(stress.mul(4 * n * n * dt));
      for (const [node, weight, away] of splineNodes(quadraticSpline(x[p].mul(n)))) {
        accumulate(gridV, node, v[p].add(affine.mul(away.div(n))).mul(weight));
        accumulate(gridM, node, weight);
      }
    }
    // Momentum to velocity; gravity; walls that hold, and a floor to slide on.
    for (const [i, j] of active(gridM)) {
      if (gridM[i][j] > 0) {
        let u = gridV[i][j].div(gridM[i][j]).add(vec(0, -200 * dt));
        if (i < 4 || i > n - 4 || j > n - 4) u = vec(0, 0);
        if (j < 4) u = vec(u.x, Math.max(u.y, 0));
        gridV[i][j] = u;
      }
    }
    // Grid to particles.
    for (const p of active(x)) {
      let velocity = vec(0, 0);
      let gradient = zeros(2, 2);
      for (const [node, weight, away] of splineNodes(quadraticSpline(x[p].mul(n)))) {
        const u = at(gridV, node).mul(weight);
        velocity = velocity.add(u);
        gradient = gradient.add(u.outer(away).mul(4 * n));
      }
      v[p] = velocity;
      C[p] = gradient;
      x[p] = x[p].add(velocity.mul(dt));
      // Snow yields where it is squeezed by 2.5 % or stretched by 0.75 %, and hardens as it is packed.
      const [U, sigma, V] = svd2(identity(2).add(gradient.mul(dt)).mul(F[p]));
      const elastic = sigma.max(1 - 0.025).min(1 + 0.0075);
      J[p] = Math.min(Math.max((J[p] * (sigma.x * sigma.y)) / (elastic.x * elastic.y), 0.6), 20);
      F[p] = U.mul(diag(elastic)).mul(V.transpose());
    }
  },
);

const sim = await program({ layout: world, kernels: { start, substep }, fields: { x } });
sim.run.start();

const places = new Float32Array(2 * particles);
frame(() => {
  for (let k = 0; k < 15; k++) sim.run.substep();
  sim.fields.x.toArray(undefined, places);
  canvas.fillStyle = '#0d0f14';
  canvas.fillRect(0, 0, 512, 512);
  canvas.fillStyle = '#dff3f0';
  for (let p = 0; p < particles; p++) canvas.fillRect(512 * places[2 * p] - 1, 512 * (1 - places[2 * p + 1]) - 1, 2, 2);
});
