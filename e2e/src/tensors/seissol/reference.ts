import type { TensorDecl } from '@filigree/tensor/einsum';
import type { Steps } from '../steps.js';
import type { TetsSetup } from './setup.js';

/**
 * The scheme of equations 13 to 16 in plain nested loops, which pass over zeros.
 *
 * @param only elements to take one step with, while all others are left behind; absent: all
 */
export const referenceTets = (
  { mesh, elements: { star, own, neighbour }, matrices, order, simulations, start }: TetsSetup,
  only: readonly number[] = Array.from({ length: mesh.size }, (_, e) => e),
): Steps => {
  const size = matrices['kDivM(0)'].shape[0];
  const width = start.length / (mesh.size * size * simulations);
  const state = Float64Array.from(start);
  const integral = new Float64Array(start.length);
  const count = size * width * simulations;
  const block = (all: Float64Array, e: number): Float64Array => all.subarray(e * count, (e + 1) * count);
  const coefficient = (all: Float64Array, at: number): Float64Array =>
    all.subarray(at * width ** 2, (at + 1) * width ** 2);

  /** target[s, k, p] += factor Σ_l Σ_q K[k, l] source[s, l, q] A[q, p]. */
  const chain = (target: Float64Array, factor: number, k: Dense, source: Float64Array, a: Float64Array): void => {
    const half = new Float64Array(k.rows * width * simulations);
    for (let q = 0; q < width; q++)
      for (let i = 0; i < k.rows; i++)
        for (let l = 0; l < k.columns; l++) {
          const x = k.values[i + k.rows * l];
          if (x === 0) continue;
          for (let s = 0; s < simulations; s++)
            half[(q * k.rows + i) * simulations + s] += x * source[(q * k.columns + l) * simulations + s];
        }
    const rows = k.rows * simulations;
    for (let p = 0; p < width; p++)
      for (let q = 0; q < width; q++) {
        const x = factor * a[q + width * p];
        if (x !== 0) for (let i = 0; i < rows; i++) target[p * rows + i] += x * half[q * rows + i];
      }
  };
  const dense = (name: string): Dense => denseOf(matrices[name]);
  const across = Array.from({ length: 4 }, (_, side) => product(dense(`rDivM(${side})`), dense(`fMrT(${side})`)));
  const turned = (side: number, turn: number, other: number): Dense =>
    product(product(dense(`rDivM(${side})`), dense(`fP(${turn})`)), dense(`rT(${other})`));
  const fromNeighbour = Array.from({ length: 48 }, (_, at) => turned(at & 3, (at >> 2) % 3, Math.floor(at / 12)));
  const [gradients, volumes] = ['kDivMT', 'kDivM'].map((name) => [0, 1, 2].map((c) => dense(`${name}(${c})`)));

  const predict = (e: number, dt: number): void => {
    let current = block(state, e);
    const sum = block(integral, e).fill(0);
    for (let d = 0, scale = dt; d < order; d++, scale *= dt / (d + 1)) {
      current.forEach((x, i) => (sum[i] += scale * x));
      const next = new Float64Array(count);
      // q_t = −A q_x − …
      for (let c = 0; c < 3; c++) chain(next, -1, gradients[c], current, coefficient(star, 3 * e + c));
      current = next;
    }
  };
  const correct = (e: number): void => {
    const [target, mine] = [block(state, e), block(integral, e)];
    for (let c = 0; c < 3; c++) chain(target, 1, volumes[c], mine, coefficient(star, 3 * e + c));
    for (let side = 0; side < 4; side++) {
      const at = 4 * e + side;
      chain(target, 1, across[side], mine, coefficient(own, at));
      const theirs = block(integral, mesh.neighbours[at]);
      chain(
        target,
        1,
        fromNeighbour[side + 4 * mesh.turns[at] + 12 * mesh.sides[at]],
        theirs,
        coefficient(neighbour, at),
      );
    }
  };
  const seen = new Set(only.flatMap((e) => [e, ...mesh.neighbours.subarray(4 * e, 4 * e + 4)]));
  return {
    coefficients: () => state,
    step: (dt) => {
      for (const e of seen) predict(e, dt);
      for (const e of only) correct(e);
    },
    close: () => undefined,
  };
};

interface Dense {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

const denseOf = ({ shape: [rows, columns], values }: TensorDecl): Dense => ({
  rows,
  columns,
  values: values ?? new Float64Array(rows * columns),
});

const product = (a: Dense, b: Dense): Dense => {
  const values = new Float64Array(a.rows * b.columns);
  for (let j = 0; j < b.columns; j++)
    for (let k = 0; k < a.columns; k++)
      for (let i = 0; i < a.rows; i++) values[i + a.rows * j] += a.values[i + a.rows * k] * b.values[k + b.rows * j];
  return { rows: a.rows, columns: b.columns, values };
};
