import { cpp } from '@filigree/backend-cpp';
import { active, at, hostGrid, kernel, range, splineNodes, sum, unrolled, vec, type Vec } from '@filigree/lang';
import { dense, fields, i, ij, layout } from '@filigree/sparse';
import { program } from 'filigree';
import { describe, expect, it } from 'vitest';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

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
  it.each(['wasm', ...(hasCompiler ? ['cpp'] : [])])(
    'give on %s what the same function gives as TypeScript',
    async (backend) => {
      const sim = await program({ layout: grid, kernels: { carry }, fields: { v }, backend });
      sim.run.carry();
      const found = [...(sim.fields.v.toArray() as Float32Array)];
      onHost().forEach((expected, k) => expect(found[k]).toBeCloseTo(expected, 4));
      expect(found.some((value) => Math.abs(value) > 1)).toBe(true);
      sim.dispose();
    },
  );
});
