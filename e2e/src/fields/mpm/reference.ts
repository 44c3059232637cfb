import type { Mpm, MpmSetup, MpmState } from './mpm.js';

/** The plainest form of a simulation: a dense grid, one particle at a time, double precision. For checks; slow. */
export const referenceMpm = (setup: MpmSetup): Mpm => {
  const { x, v, C, F } = setup.start;
  const state = { x: x.slice(), v: v.slice(), C: C.slice(), F: F.slice() };
  return {
    step: (count) => {
      for (let s = 0; s < count; s++) step(setup, state);
    },
    state: () => ({ x: state.x.slice(), v: state.v.slice(), C: state.C.slice(), F: state.F.slice() }),
  };
};

const step = (setup: MpmSetup, { x, v, C, F }: MpmState): void => {
  const { dim, n, dt, mass } = setup;
  const count = x.length / dim;
  const at = (axis: number): number => n ** (dim - 1 - axis);
  const gridMass = new Float64Array(n ** dim);
  const gridV = new Float64Array(dim * n ** dim);

  for (let p = 0; p < count; p++) {
    const deformed = multiply(identityPlus(part(C, dim, p), dt), part(F, dim, p));
    deformed.forEach((row, i) => F.set(row, dim * dim * p + dim * i));
    const stress = kirchhoff(setup, deformed);
    const affine = part(C, dim, p).map((row, i) =>
      row.map((c, j) => mass * c - 4 * n * n * dt * setup.volume * stress[i][j]),
    );
    forNodes(setup, x, p, at, (node, weight, offset) => {
      gridMass[node] += weight * mass;
      for (let i = 0; i < dim; i++)
        gridV[dim * node + i] +=
          weight * (mass * v[dim * p + i] + affine[i].reduce((sum, a, j) => sum + a * offset[j], 0));
    });
  }

  for (let node = 0; node < gridMass.length; node++) {
    if (gridMass[node] === 0) continue;
    for (let i = 0; i < dim; i++) {
      const index = Math.floor(node / at(i)) % n;
      let w = gridV[dim * node + i] / gridMass[node] - (i === 1 ? dt * setup.gravity : 0);
      if (index < setup.wall) w = Math.max(w, 0);
      if (index > n - setup.wall) w = Math.min(w, 0);
      gridV[dim * node + i] = w;
    }
  }

  for (let p = 0; p < count; p++) {
    v.fill(0, dim * p, dim * p + dim);
    C.fill(0, dim * dim * p, dim * dim * (p + 1));
    forNodes(setup, x, p, at, (node, weight, offset) => {
      for (let i = 0; i < dim; i++) {
        const wv = weight * gridV[dim * node + i];
        v[dim * p + i] += wv;
        for (let j = 0; j < dim; j++) C[dim * dim * p + dim * i + j] += 4 * n * n * wv * offset[j];
      }
    });
    for (let i = 0; i < dim; i++) x[dim * p + i] += dt * v[dim * p + i];
  }
};

/** The nodes that a particle touches: number, weight, and place relative to the particle, in a list that is another one's next. */
export const forNodes = (
  { dim, n }: Pick<MpmSetup, 'dim' | 'n'>,
  x: Float64Array,
  p: number,
  at: (axis: number) => number,
  visit: (node: number, weight: number, offset: readonly number[]) => void,
): void => {
  const sides = Array.from({ length: dim }, (_, axis) => {
    const place = x[dim * p + axis] * n;
    const first = Math.floor(place - 0.5);
    const stride = at(axis);
    return [first, first + 1, first + 2].map((index) => ({
      node: index * stride,
      weight: bSpline(place - index),
      offset: (index - place) / n,
    }));
  });
  const nodes = 3 ** dim;
  /* One list for all nodes: a new one for each takes as long as all else. */
  const offset: number[] = [];
  for (let which = 0; which < nodes; which++) {
    let node = 0;
    let weight = 1;
    for (let axis = 0, rest = which; axis < dim; axis++, rest = Math.floor(rest / 3)) {
      const side = sides[axis][rest % 3];
      node += side.node;
      weight *= side.weight;
      offset[axis] = side.offset;
    }
    visit(node, weight, offset);
  }
};

/** The quadratic B-spline at distance d. */
const bSpline = (d: number): number => {
  const a = Math.abs(d);
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) ** 2 : 0;
};

export type Matrix = readonly (readonly number[])[];

const kirchhoff = ({ mu, lambda }: MpmSetup, F: Matrix): Matrix => {
  const R = rotationOf(F);
  const J = determinant(F);
  const elastic = multiply(
    F.map((row, i) => row.map((f, j) => f - R[i][j])),
    transpose(F),
  );
  return elastic.map((row, i) => row.map((e, j) => 2 * mu * e + (i === j ? lambda * (J - 1) * J : 0)));
};

/** Energy per volume of the fixed-corotated model: μ |F − R|² + λ/2 (J − 1)². */
export const elasticEnergy = ({ mu, lambda }: MpmSetup, F: Matrix): number => {
  const R = rotationOf(F);
  const distance = F.flatMap((row, i) => row.map((f, j) => (f - R[i][j]) ** 2)).reduce((a, b) => a + b);
  return mu * distance + (lambda / 2) * (determinant(F) - 1) ** 2;
};

/**
 * The rotation of the polar decomposition F = R S, by the eigenvectors of FᵀF = V Σ² Vᵀ: R = F V Σ⁻¹ Vᵀ. F must have a
 * positive determinant.
 */
export const rotationOf = (F: Matrix): Matrix => {
  const { values, vectors: V } = eigen(multiply(transpose(F), F));
  const scaled = V.map((row) => row.map((x, k) => x / Math.sqrt(values[k])));
  return multiply(F, multiply(scaled, transpose(V)));
};

/** Eigenvalues and eigenvectors (as columns) of a symmetric matrix, by Jacobi's rotations. */
const eigen = (symmetric: Matrix): { readonly values: readonly number[]; readonly vectors: Matrix } => {
  const d = symmetric.length;
  const A = symmetric.map((row) => [...row]);
  const V = identityPlus(A, 0).map((row) => [...row]);
  for (let sweep = 0, turned = true; turned && sweep < 30; sweep++) {
    turned = false;
    for (let p = 0; p < d; p++)
      for (let q = p + 1; q < d; q++) {
        if (Math.abs(A[p][q]) <= 1e-17 * (A[p][p] + A[q][q])) continue;
        turned = true;
        const angle = 0.5 * Math.atan2(2 * A[p][q], A[p][p] - A[q][q]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (const M of [A, V])
          for (const row of M) [row[p], row[q]] = [c * row[p] + s * row[q], c * row[q] - s * row[p]];
        for (let k = 0; k < d; k++) [A[p][k], A[q][k]] = [c * A[p][k] + s * A[q][k], c * A[q][k] - s * A[p][k]];
        A[p][q] = A[q][p] = 0;
      }
  }
  return { values: A.map((row, i) => row[i]), vectors: V };
};

/** The matrix of a particle. */
export const part = (all: Float64Array, dim: number, p: number): Matrix =>
  Array.from({ length: dim }, (_, i) => [...all.subarray(dim * dim * p + dim * i, dim * dim * p + dim * (i + 1))]);

export const identityPlus = (A: Matrix, factor: number): Matrix =>
  A.map((row, i) => row.map((a, j) => (i === j ? 1 : 0) + factor * a));

/* Loops, not `map` and `reduce`: half of the time of a step is spent here. */
export const multiply = (A: Matrix, B: Matrix): Matrix => {
  const product: number[][] = [];
  for (const row of A) {
    const sums: number[] = [];
    for (let j = 0; j < B[0].length; j++) {
      let sum = 0;
      for (let k = 0; k < row.length; k++) sum += row[k] * B[k][j];
      sums.push(sum);
    }
    product.push(sums);
  }
  return product;
};

export const transpose = (A: Matrix): Matrix => A.map((_, i) => A.map((row) => row[i]));

export const determinant = (A: Matrix): number =>
  A.length === 2
    ? A[0][0] * A[1][1] - A[0][1] * A[1][0]
    : [0, 1, 2].reduce(
        (sum, j) => sum + A[0][j] * (A[1][(j + 1) % 3] * A[2][(j + 2) % 3] - A[1][(j + 2) % 3] * A[2][(j + 1) % 3]),
        0,
      );
