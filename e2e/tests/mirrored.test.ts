import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { dense, field, ij, kernel, layout, program, range, type Grid2 } from 'filigree';
import { describe, expect, it } from 'vitest';

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = [['wasm', wasm()] as const, ...(hasCompiler ? [['cpp', cpp()] as const] : [])];

const m = 37;
const n = 33;
const data = field('data', 'f64');
const c = field('c', 'f64');
const world = layout(dense(ij, [n, m]).place(data), dense(ij, m).place(c));

/* Each writes elements, and what is mirrored to them, or reads that. */
const covariance = (data: Grid2, c: Grid2): void => {
  for (let i = 0; i < m; i++) {
    for (let j = i; j < m; j++) {
      c[i][j] = 0;
      for (let k = 0; k < n; k++) c[i][j] += data[k][i] * data[k][j];
      c[i][j] /= n - 1;
      c[j][i] = c[i][j];
    }
  }
};
const correlation = (data: Grid2, c: Grid2): void => {
  for (let i = 0; i < m - 1; i++) {
    c[i][i] = 1;
    for (let j = i + 1; j < m; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += data[k][i] * data[k][j];
      c[i][j] = sum;
      c[j][i] = c[i][j];
    }
  }
};
const atOnce = (data: Grid2, c: Grid2): void => {
  for (const i of range(m)) {
    for (let j = i; j < m; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += data[k][i] * data[k][j];
      c[i][j] = sum;
      c[j][i] = sum;
    }
  }
};
const read = (_: Grid2, c: Grid2): void => {
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) c[i][j] = 0.5 * c[i][j] + c[j][i];
};
/* These meet in other iterations. */
const moved = (_: Grid2, c: Grid2): void => {
  for (let i = 0; i < m - 1; i++) for (let j = 0; j < m; j++) c[i][j] = 0.5 * c[i][j] + c[j][i + 1];
};
const crossed = (_: Grid2, c: Grid2): void => {
  for (let i = 0; i < m - 1; i++)
    for (let j = 0; j < m - 1; j++) {
      c[i][j + 1] = 0.5 * c[i][j] + 1;
      c[j][i] = 0.25 * c[i][j + 1];
    }
};
const along = (_: Grid2, c: Grid2): void => {
  for (let i = 0; i < m; i++)
    for (let j = 1; j < m; j++) {
      c[j][i] = c[j][i] + 0.5 * c[i][j - 1];
      c[i][j] = c[j][i] - 1;
    }
};
const all = { covariance, correlation, atOnce, read, moved, crossed, along };
const args = [data, c] as const;
const options = { scope: { m, n } };
const kernels = {
  covariance: kernel(args, options, covariance),
  correlation: kernel(args, options, correlation),
  atOnce: kernel(args, options, atOnce),
  read: kernel(args, options, read),
  moved: kernel(args, options, moved),
  crossed: kernel(args, options, crossed),
  along: kernel(args, options, along),
};

describe.each(backends)('elements that are mirrored, on %s', (_, backend) => {
  it.each([1, 2])('are those of plain TypeScript, on %d threads', async (threads) => {
    const sim = await program({ layout: world, kernels, backend, threads });
    for (const [name, fn] of Object.entries(all)) {
      const given = Array.from({ length: n }, (_, k) =>
        Array.from({ length: m }, (_, j) => ((k * 31 + j * 17) % 23) - 9),
      );
      const rows = Array.from({ length: m }, (_, i) =>
        Array.from({ length: m }, (_, j) => ((i * 13 + j * 7) % 19) - 8),
      );
      given.forEach((row, k) => row.forEach((x, j) => sim.fields.data.set([k, j], x)));
      rows.forEach((row, i) => row.forEach((x, j) => sim.fields.c.set([i, j], x)));
      fn(given, rows);
      sim.run[name as keyof typeof all]();
      expect([name, rows.map((row, i) => row.map((_, j) => sim.fields.c.get([i, j])))]).toEqual([name, rows]);
    }
  });
});
