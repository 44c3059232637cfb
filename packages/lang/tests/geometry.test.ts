import { evaluateGraph, Graph, Sym } from '@filigree/ir';
import { plainOps, symbolic } from '@filigree/lang';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapNumbers, resolve, Tape } from './tape.js';

/* Numeric programs as users write them, for plain numbers; nothing here knows of symbols. */

const sub = (a: number[], b: number[]): number[] => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: number[], b: number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function cotan(a: number[], b: number[], c: number[]): number {
  const [u, v] = [sub(b, a), sub(c, a)];
  return dot(u, v) / Math.hypot(...cross(u, v));
}

function cotanLaplacian(vertices: number[][], triangles: number[][]): Float64Array {
  const n = vertices.length;
  const L = new Float64Array(n * n);
  for (const t of triangles) {
    for (let k = 0; k < 3; k++) {
      const i = t[k];
      const j = t[(k + 1) % 3];
      const w = 0.5 * cotan(vertices[t[(k + 2) % 3]], vertices[i], vertices[j]);
      L[i * n + j] -= w;
      L[j * n + i] -= w;
      L[i * n + i] += w;
      L[j * n + j] += w;
    }
  }
  return L;
}

function inverse3(m: number[]): { det: number; inverse: number[] } {
  const cofactor = (i: number, j: number): number => {
    const at = (r: number, c: number): number => m[3 * ((i + r) % 3) + ((j + c) % 3)];
    return at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1);
  };
  let det = 0;
  for (let j = 0; j < 3; j++) det += m[j] * cofactor(0, j);
  const inverse = new Array<number>(9).fill(0);
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) inverse[3 * j + i] = cofactor(i, j) / det;
  return { det, inverse };
}

function multiply(a: number[][], b: number[][]): number[][] {
  const c = a.map(() => b[0].map(() => 0));
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b[0].length; j++) {
      for (let k = 0; k < b.length; k++) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

/** Singular values of a 3×3 matrix by one-sided Jacobi with a fixed number of sweeps; U·diag(s)·Vᵀ = a. */
function jacobiSvd(a: number[][], sweeps: number): { u: number[][]; s: number[]; v: number[][] } {
  const u = a.map((row) => [...row]);
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let p = 0; p < 2; p++) {
      for (let q = p + 1; q < 3; q++) {
        let alpha = 0;
        let beta = 0;
        let gamma = 0;
        for (let i = 0; i < 3; i++) {
          alpha += u[i][p] ** 2;
          beta += u[i][q] ** 2;
          gamma += u[i][p] * u[i][q];
        }
        const zeta = (beta - alpha) / (2 * gamma);
        const t = Math.abs(gamma) < 1e-200 ? 0 : (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const c = 1 / Math.sqrt(1 + t * t);
        const s = c * t;
        for (const m of [u, v]) {
          for (let i = 0; i < 3; i++) {
            const x = m[i][p];
            m[i][p] = c * x - s * m[i][q];
            m[i][q] = s * x + c * m[i][q];
          }
        }
      }
    }
  }
  const s = [0, 1, 2].map((j) => Math.hypot(u[0][j], u[1][j], u[2][j]));
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) u[i][j] /= s[j];
  return { u, s, v };
}

const tetrahedron = {
  vertices: [
    [0.1, 0, 0],
    [1, 0.2, 0.3],
    [0.3, 1.1, 0],
    [0.2, 0.1, 0.9],
  ],
  triangles: [
    [0, 2, 1],
    [0, 1, 3],
    [1, 2, 3],
    [2, 0, 3],
  ],
};
const scope = { sub, dot, cross, cotan };
const matrix = [
  [2, -1, 0.5],
  [0.3, 1.7, -0.2],
  [-0.4, 0.6, 3.1],
];

type Program = (...args: never[]) => unknown;
const programs: readonly (readonly [string, Program, unknown[], unknown[]])[] = [
  ['cotan Laplacian of a tetrahedron', cotanLaplacian as Program, [tetrahedron.vertices], [tetrahedron.triangles]],
  ['determinant and inverse', inverse3 as Program, [matrix.flat()], []],
  ['matrix product', multiply as Program, [matrix, [[1.5], [2.5], [-3.5]]], []],
  ['Jacobi SVD', jacobiSvd as Program, [matrix], [6]],
];

describe.each(programs)('%s', (name, program, symbolicArgs, plainArgs) => {
  const expected = resolve((program as (...a: unknown[]) => unknown)(...symbolicArgs, ...plainArgs), []);
  const build = <S>(
    ops?: Parameters<typeof symbolic<Program, S>>[1] extends infer O ? O : never,
  ): ((...a: unknown[]) => unknown) => symbolic(program, { scope, ...ops }) as unknown as (...a: unknown[]) => unknown;

  it('is the same on plain numbers, bit for bit', () => {
    expect(resolve(build({ ops: plainOps } as never)(...symbolicArgs, ...plainArgs), [])).toStrictEqual(expected);
  });

  it('is the same from a trace', () => {
    const tape = new Tape();
    const inputs: number[] = [];
    const symbols = mapNumbers(symbolicArgs, (x) => (inputs.push(x), tape.variable())) as unknown[];
    const result = resolve(build({ ops: tape.ops() } as never)(...symbols, ...plainArgs), tape.play(inputs));
    /* Math.hypot of three is folded from pairs: the last bit may differ. */
    if (name === 'determinant and inverse' || name === 'matrix product') expect(result).toStrictEqual(expected);
    expectClose(result, expected);
  });

  it('is the same from the expression graph', () => {
    const graph = new Graph();
    const inputs: number[] = [];
    const symbols = mapNumbers(symbolicArgs, (x) => (inputs.push(x), new Sym(graph, graph.variable()))) as unknown[];
    const result = build()(...symbols, ...plainArgs);
    const values = evaluateGraph(
      graph,
      Int32Array.from({ length: graph.length }, (_, id) => id),
      inputs,
    );
    expectClose(resolveGraph(result, values), expected);
  });
});

it('one trace serves every input: the SVD of any matrix', () => {
  const tape = new Tape();
  const svd = symbolic(jacobiSvd, { ops: tape.ops() })(mapNumbers(matrix, () => tape.variable()) as never, 10);
  const entry = fc.double({ min: -2, max: 2, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.array(entry, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 }), (a) => {
      a.forEach((row, i) => (row[i] += 5));
      const { u, s, v } = resolve(svd, tape.play(a.flat())) as { u: number[][]; s: number[]; v: number[][] };
      const product = multiply(
        u.map((row) => row.map((x, j) => x * s[j])),
        v[0].map((_, j) => v.map((row) => row[j])),
      );
      expectClose(product, a);
    }),
    { numRuns: 50 },
  );
});

const resolveGraph = (x: unknown, values: ArrayLike<number>): unknown => {
  if (x instanceof Sym) return values[x.id];
  if (Array.isArray(x) || Object.prototype.toString.call(x) === '[object Float64Array]')
    return Array.from(x as ArrayLike<unknown>, (v) => resolveGraph(v, values));
  if (typeof x === 'object' && x !== null)
    return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, resolveGraph(v, values)]));
  return x;
};

const expectClose = (actual: unknown, expected: unknown): void => {
  const flat = (x: unknown): number[] => {
    const out: number[] = [];
    mapNumbers(x, (n) => out.push(n));
    return out;
  };
  const [a, e] = [flat(actual), flat(expected)];
  expect(a.length).toBe(e.length);
  a.forEach((x, i) => expect(Math.abs(x - e[i])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(e[i]))));
};
