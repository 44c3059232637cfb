import { dense, fields, ij, kernel, layout, program, range } from 'filigree';
import { describe, expect, it } from 'vitest';
import { workingBackends } from './support.js';

/*
 * A small matrix times many vectors. Where a row is as long as a register, gcc 12 took all that the kernel reads for nothing, and left out its call.
 */
describe.each(workingBackends)('on %s', (backend) => {
  it.each([4, 8, 16])('a matrix of %i rows times each of many vectors', async (m) => {
    const n = 64;
    const { x, y, A } = fields('f32', ij, ['x', 'y', 'A']);
    const multiply = kernel([x, y, A], { scope: { n, m } }, (x, y, A) => {
      for (const p of range(n))
        for (let r = 0; r < m; r++) {
          let s = 0;
          for (let k = 0; k < m; k++) s += A[r][k] * x[p][k];
          y[p][r] = s;
        }
    });
    const sim = await program({
      layout: layout(dense(ij, [n, m]).place(x), dense(ij, [n, m]).place(y), dense(ij, m).place(A)),
      kernels: { multiply },
      backend,
    });
    const vectors = Float32Array.from({ length: n * m }, (_, k) => (k % 7) - 3);
    const matrix = Float32Array.from({ length: m * m }, (_, k) => (k % 5) - 2);
    sim.field(x).fromArray(vectors);
    sim.field(A).fromArray(matrix);
    sim.run.multiply();
    const row = (r: number): Float32Array => matrix.subarray(r * m, (r + 1) * m);
    expect(Array.from(sim.field(y).toArray(), Number)).toEqual(
      Array.from({ length: n * m }, (_, q) => {
        const p = Math.floor(q / m);
        return row(q % m).reduce((s, a, k) => s + a * vectors[p * m + k]!, 0);
      }),
    );
  });
});
