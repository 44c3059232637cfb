import { describe, expect, it } from 'vitest';
import { symbolicMath as m, type Num } from '@filigree/ir';
import { defaultOptions, type Program } from '@filigree/specialize';
import { numbers, runProgram } from './support.js';

type Point = readonly Num[];

const sub = (a: Point, b: Point): Point => a.map((x, i) => m.sub(x, b[i]));
const dot = (a: Point, b: Point): Num => a.map((x, i) => m.mul(x, b[i])).reduce((s, x) => m.add(s, x));
const cross = (a: Point, b: Point): Point =>
  [0, 1, 2].map((i) => m.sub(m.mul(a[(i + 1) % 3], b[(i + 2) % 3]), m.mul(a[(i + 2) % 3], b[(i + 1) % 3])));

/** Volume of a tetrahedron, and the gradients of its four linear shape functions. */
const element = (p: readonly Point[]): { volume: Num; gradients: readonly Point[] } => {
  const e = [sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0])];
  const c = [cross(e[1], e[2]), cross(e[2], e[0]), cross(e[0], e[1])];
  const det = dot(e[0], c[0]);
  const g = c.map((v) => v.map((x) => m.div(x, det)));
  const first = [0, 1, 2].map((i) => m.neg(m.add(m.add(g[0][i], g[1][i]), g[2][i])));
  return { volume: m.div(det, 6), gradients: [first, ...g] };
};

type Stiffness = (p: readonly Point[], lambda: Num, mu: Num) => Num[][];

const laplace: Stiffness = (p) => {
  const { volume, gradients } = element(p);
  return gradients.map((a) => gradients.map((b) => m.mul(volume, dot(a, b))));
};

const elastic: Stiffness = (p, lambda, mu) => {
  const { volume, gradients } = element(p);
  const entry = (a: Point, i: number, b: Point, j: number): Num => {
    const mixed = m.add(m.mul(lambda, m.mul(a[i], b[j])), m.mul(mu, m.mul(a[j], b[i])));
    return m.mul(volume, i === j ? m.add(mixed, m.mul(mu, dot(a, b))) : mixed);
  };
  return gradients.flatMap((a) =>
    [0, 1, 2].map((i) => gradients.flatMap((b) => [0, 1, 2].map((j) => entry(a, i, b, j)))),
  );
};

/** A cube of cubes of six tetrahedra each, of which some are missing, with their corners in any order. */
const mesh = (n: number): { vertices: number; tetrahedra: number[][] } => {
  const at = (c: readonly number[]): number => (c[0] * (n + 1) + c[1]) * (n + 1) + c[2];
  const random = numbers(n * n * n * 24, 5);
  let next = 0;
  const below = (k: number): number => Math.floor((random[next++] - 0.5) * k);
  const tetrahedra: number[][] = [];
  for (let cube = 0; cube < n ** 3; cube++)
    for (const axes of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const c = [Math.floor(cube / n / n), Math.floor(cube / n) % n, cube % n];
      const corners = [at(c)];
      for (const axis of axes) {
        c[axis]++;
        corners.push(at(c));
      }
      for (let k = 3; k > 0; k--) {
        const other = below(k + 1);
        [corners[k], corners[other]] = [corners[other], corners[k]];
      }
      if (below(3) > 0) tetrahedra.push(corners);
    }
  return { vertices: (n + 1) ** 3, tetrahedra };
};

const { vertices, tetrahedra } = mesh(7);

/** Entries of the assembled matrix, row by row. */
const assemble = (
  stiffness: Stiffness,
  x: readonly Point[],
  lambda: Num,
  mu: Num,
  tag = (_: Num[]): void => {},
): Num[] => {
  const entries = new Map<number, Num>();
  for (const corners of tetrahedra) {
    const K = stiffness(
      corners.map((v) => x[v]),
      lambda,
      mu,
    );
    tag(K.flat());
    const d = K.length / 4;
    K.forEach((row, r) =>
      row.forEach((value, c) => {
        const key =
          (corners[Math.floor(r / d)] * d + (r % d)) * vertices * d + corners[Math.floor(c / d)] * d + (c % d);
        const sum = entries.get(key);
        entries.set(key, sum === undefined ? value : m.add(sum, value));
      }),
    );
  }
  return [...entries.keys()].sort((a, b) => a - b).map((key) => entries.get(key)!);
};

const pointsOf = (x: ArrayLike<Num>): Point[] =>
  Array.from({ length: x.length / 3 }, (_, v) => [0, 1, 2].map((i) => x[3 * v + i]));

describe.each([
  ['Laplacians', laplace],
  ['linear elasticity', elastic],
])('tetrahedral finite elements: %s', (_name, stiffness) => {
  const inputs = { x: numbers(3 * vertices, 3), material: numbers(2, 4) };
  const expected = assemble(stiffness, pointsOf(inputs.x), inputs.material[0], inputs.material[1]) as number[];

  it.each([
    ['found', true, false],
    ['left out', false, false],
    ['tagged', true, true],
  ])('few kernels, and the numbers of plain code, with blocks %s', (_blocks, detectBlocks, tagged) => {
    const program: Program = {
      inputs: { x: 3 * vertices, material: 2 },
      run: ({ x, material }, { block }) => {
        const [lambda, mu] = material as Num[];
        return { K: assemble(stiffness, pointsOf(x as Num[]), lambda, mu, tagged ? (all) => block(all) : undefined) };
      },
    };
    const { outputs, specialized } = runProgram(
      program,
      inputs,
      { decompose: { ...defaultOptions.decompose, detectBlocks } },
      'exact',
    );
    expect([...outputs.K]).toEqual(expected);
    expect(specialized.kernels).toBeLessThanOrEqual(48);
  });
});
