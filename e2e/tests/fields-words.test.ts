import { cpp } from '@filigree/backend-cpp';
import {
  active,
  at,
  diag,
  eig2,
  eig3,
  hostGrid,
  identity,
  kernel,
  mat,
  polar2,
  polar3,
  range,
  splineNodes,
  sum,
  svd2,
  svd3,
  unrolled,
  vec,
  type Mat,
  type Vec,
} from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { program } from 'filigree';
import { describe, expect, it } from 'vitest';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const n = 12;
const { g } = fields('f32', ij, { g: 3 });
const { x, v } = fields('f32', i, { x: 2, v: 4 });
const grid = layout(dense(ij, n).place(g), dense(i, 8).place(x, v));

/* Points carry to themselves what is on a grid: sums of vectors, parts of them, nodes that are promised to lie in a block. */
const carry = kernel([g, x, v], { scope: { n } }, (g, x, v) => {
  for (const [i, j] of active(g)) g[i][j] = vec(vec(i, j).mul(0.25), i * j);
  for (const p of active(x)) {
    x[p] = vec(2 + p / 2, 7.75 - p / 2);
    const nodes = splineNodes(x[p], [1, 3], 8);
    const moments = sum(nodes, ([node, weight, away]) => at(g, node).mul(weight).outer(vec(1, away)));
    const beside = sum(unrolled(range(2)), (k) => g[p + k][p].yz);
    const far = sum(range(p + 1), (k) => g[k][p].x);
    v[p] = vec(moments[2][0], beside, far + moments[0][1]);
  }
});

const onHost = (): readonly number[] => {
  const [G, X, V] = [
    hostGrid([n, n], () => vec(0, 0, 0)),
    hostGrid([8], () => vec(0, 0)),
    hostGrid([8], () => vec(0, 0, 0, 0)),
  ];
  (carry.fn as (...grids: unknown[]) => void)(G, X, V);
  return [...(V as Iterable<Vec<4>>)].flatMap((one) => [...one]);
};

describe('vectors, sums and splines of kernels', () => {
  it.each(backends)('give on %s what the same function gives as TypeScript', async (backend) => {
    const sim = await program({ layout: grid, kernels: { carry }, fields: { v }, backend });
    sim.run.carry();
    const found = [...(sim.fields.v.toArray() as Float32Array)];
    onHost().forEach((expected, k) => expect(found[k]).toBeCloseTo(expected, 4));
    expect(found.some((value) => Math.abs(value) > 1)).toBe(true);
    sim.dispose();
  });
});

/** Decompositions of both sizes under one type. */
type Size = readonly [n: 3, svd: typeof svd3, polar: typeof polar3, eig: typeof eig3];

/* Entries below 1e-38 are subnormal numbers of f32, whose reciprocals overflow. */
describe.each([[2, svd2, polar2, eig2] as unknown as Size, [3, svd3, polar3, eig3] as Size])(
  'decompositions of tiny matrices of %i rows',
  (n, svd, polar, eig) => {
    const square = [n, n] as const;
    const { A, U, V, R, S, W } = fields('f32', i, { A: square, U: square, V: square, R: square, S: square, W: square });
    const { sigma, lambda } = fields('f32', i, { sigma: n, lambda: n });
    const decompose = kernel(
      [A, U, sigma, V, R, S, W, lambda],
      { scope: { svd, polar, eig } },
      (A, U, sigma, V, R, S, W, lambda) => {
        for (const p of active(A)) {
          [U[p], sigma[p], V[p]] = svd(A[p]);
          [R[p], S[p]] = polar(A[p]);
          [lambda[p], W[p]] = eig(A[p].add(A[p].transpose()));
        }
      },
    );
    const places = [1e-36, 1e-38, 1e-40, 1e-42, 1e-44];
    const all = { A, U, V, R, S, W, sigma, lambda };

    it.each(backends)('make them again on %s', async (backend) => {
      const tree = layout(dense(i, places.length).place(...Object.values(all)));
      const sim = await program({ layout: tree, kernels: { decompose }, fields: all, backend });
      places.forEach((scale, p) => {
        const rows = Array.from({ length: n }, (_, r) =>
          Array.from({ length: n }, (_, c) => scale * ((3 * r + 5 * c) % 4)),
        );
        sim.fields.A.set([p], rows);
      });
      sim.run.decompose();
      places.forEach((scale, p) => {
        const of = (name: keyof typeof all): Mat<3, 3> =>
          mat(...(sim.fields[name].get([p]) as number[][])) as unknown as Mat<3, 3>;
        const times = (name: keyof typeof all): Mat<3, 3> =>
          diag(vec(...(sim.fields[name].get([p]) as number[]))) as unknown as Mat<3, 3>;
        const near = (a: Mat<3, 3>, b: Mat<3, 3>, rounding: number): void =>
          expect(a.sub(b).abs().greatest()).toBeLessThanOrEqual(rounding);
        for (const name of ['U', 'V', 'R', 'W'] as const) near(of(name).transpose().mul(of(name)), identity(n), 1e-5);
        const rounding = 1e-5 * scale + 1e-44;
        near(of('U').mul(times('sigma')).mul(of('V').transpose()), of('A'), rounding);
        near(of('R').mul(of('S')), of('A'), rounding);
        near(of('W').mul(times('lambda')).mul(of('W').transpose()), of('A').add(of('A').transpose()), 2 * rounding);
      });
      sim.dispose();
    });
  },
);

/* Pixels and levels are kept within bytes in the ways in which people write it, and digits of numbers beyond 2²⁴ are those of integers. */
const bytes = fields('u8', i, ['low', 'rounded', 'chosen']);
const { level, digits } = fields('i32', i, ['level', 'digits']);
const { tone } = fields('f32', i, ['tone']);
const clamp = (v: number, least: number, most: number): number => (v < least ? least : v > most ? most : v);
const quantise = kernel(
  [bytes.low, bytes.rounded, bytes.chosen, level, tone, digits],
  { scope: { clamp } },
  (low, rounded, chosen, level, tone, digits) => {
    for (const k of active(level)) {
      low[k] = Math.max(0, Math.min(255, (level[k] >> 3) + 128));
      rounded[k] = Math.round(Math.min(Math.max(tone[k], 0), 255));
      chosen[k] = clamp(level[k], 0, 255);
      const far = 123456789 * (k % 16) + k;
      digits[k] = (Math.floor(far / 7) % 1000) + Math.floor((level[k] - 3) / 7);
    }
  },
);

describe.each(backends)('numbers that are kept within bytes on %s', (backend) => {
  it('are those of the plain function', async () => {
    const sim = await program({
      layout: layout(dense(i, 64).place(bytes.low, bytes.rounded, bytes.chosen, level, tone, digits)),
      kernels: { quantise },
      backend,
    });
    const levels = Array.from({ length: 64 }, (_, k) => (k - 20) * 73);
    const tones = levels.map((l, k) => (k === 5 ? NaN : Math.fround(l * 0.37)));
    levels.forEach((l, k) => sim.fields.level.set([k], l));
    tones.forEach((t, k) => sim.fields.tone.set([k], t));
    const zero = (): number => 0;
    const [low, rounded, chosen, counted] = Array.from({ length: 4 }, () => hostGrid([64], zero));
    const given = [hostGrid([64], (k) => levels[k]), hostGrid([64], (k) => tones[k])] as const;
    quantise.fn(low, rounded, chosen, ...given, counted);
    sim.run.quantise();
    const all = (f: { get: (at: number[]) => unknown }): unknown[] => levels.map((_, k) => f.get([k]));
    expect(all(sim.fields.low)).toEqual([...low]);
    expect(all(sim.fields.rounded)).toEqual([...rounded].map((x) => x || 0));
    expect(all(sim.fields.chosen)).toEqual([...chosen]);
    expect(all(sim.fields.digits)).toEqual([...counted]);
  });
});
