import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, range, type KernelDef } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

/* Kernels that overwrite what they compute from, and store what derivatives need of it. */
const [M, N] = [3, 6];
const { x, k, c, d, start } = fields('f64', ij, ['x', 'k', 'c', 'd', 'start']);
const { loss } = fields('f64', i, ['loss']);
const tree = layout(...[x, k, c, d, start].map((f) => dense(ij, [M, N]).place(f)), dense(i, 1).place(loss));
const scope = { M, N };

const reset = kernel([start, x, loss], { scope }, (start, x, loss) => {
  for (const p of range(M)) for (const q of range(N)) x[p][q] = start[p][q];
  loss[0] = 0.0;
});

/** Scores become weights where they are, as in attention. */
const softmax = kernel([x, k, loss], { scope }, (x, k, loss) => {
  for (const p of range(M)) {
    let sum = 0.0;
    for (const q of range(N)) x[p][q] = Math.sin(k[p][q] * (q + 1));
    for (const q of range(N)) {
      x[p][q] = q > 3 ? Math.exp(x[p][q]) : Math.exp(2 * x[p][q]);
      sum += x[p][q];
    }
    for (const q of range(N)) loss[0] += (x[p][q] / sum) * (p + q);
  }
});

/** An implicit step of the heat equation in each row: elimination, and substitution into what it was solved for. */
const implicit = kernel([x, k, c, d, loss], { scope }, (x, k, c, d, loss) => {
  for (const p of range(M)) {
    c[p][0] = -k[p][0] / (1 + k[p][0]);
    d[p][0] = x[p][0] / (1 + k[p][0]);
    for (const n of range(1, N)) {
      const pivot = 1 + 2 * k[p][n] + k[p][n] * c[p][n - 1];
      c[p][n] = -k[p][n] / pivot;
      d[p][n] = (x[p][n] + k[p][n] * d[p][n - 1]) / pivot;
    }
    x[p][N - 1] = d[p][N - 1];
    for (const m of range(1, N)) {
      const n = N - 1 - m;
      x[p][n] = d[p][n] - c[p][n] * x[p][n + 1];
    }
    for (const n of range(N)) loss[0] += x[p][n] ** 2 * (n + p);
  }
});

const backends = [cpp(), wasm()];
const usable = await Promise.all(backends.map(async (b) => (await b.probe()).usable));

describe('what a kernel stores is there for its derivative', () => {
  for (const [n, backend] of backends.entries())
    it.skipIf(process.env['CI'] !== 'true' && !usable[n])(`on ${backend.name}`, async () => {
      const at = (f: typeof x, by: number) =>
        Array.from(
          { length: M * N },
          (_, m) => [f, [Math.floor(m / N), m % N], 0.9 + 0.3 * Math.sin(by * m + 1)] as const,
        );
      await checkGradient({ layout: tree, f: softmax, reset, loss, values: at(k, 1), backend });
      await checkGradient({ layout: tree, f: implicit, reset, loss, values: [...at(k, 1), ...at(start, 2)], backend });
    });

  /* The element does not have what was computed, or not in each case. */
  const wrong: Readonly<Record<string, KernelDef>> = {
    'in one arm of a branch alone': kernel([x, d, loss], { scope }, (x, d, loss) => {
      for (const p of range(M))
        for (const q of range(N)) {
          const e = Math.exp(x[p][q]);
          if (e > 1) d[p][q] = e;
          x[p][q] = 0.5;
          loss[0] += e * x[p][q] * x[p][q];
        }
    }),
    'and again': kernel([x, d, loss], { scope }, (x, d, loss) => {
      for (const p of range(M)) {
        for (const q of range(N)) {
          d[p][q] = Math.exp(x[p][q]);
          loss[0] += d[p][q] * d[p][q];
        }
        for (const q of range(1, N)) x[p][q] = d[p][q - 1] * x[p][q - 1];
        for (const q of range(N)) d[p][q] = 1.0;
      }
    }),
    'into one element by many iterations': kernel([x, d, loss], { scope }, (x, d, loss) => {
      for (const p of range(M)) {
        for (const q of range(N)) {
          d[p][0] = Math.exp(x[p][q]);
          loss[0] += d[p][0] * d[p][0];
        }
        for (const q of range(1, N)) x[p][q] = x[p][q - 1] * x[p][q - 1];
      }
    }),
    'outside of the field': kernel([x, d, loss], { scope }, (x, d, loss) => {
      for (const p of range(M)) {
        for (const q of range(N)) {
          const e = Math.exp(x[p][q]);
          d[p][q + 1] = e;
          loss[0] += e * e;
        }
        for (const q of range(1, N)) x[p][q] = x[p][q - 1] * x[p][q - 1];
      }
    }),
  };
  /* What reads find of it is kept instead. */
  it.each(Object.entries(wrong))('but not what is stored %s', async (_name, f) => {
    const values = Array.from({ length: M * N }, (_, q) => {
      return [start, [Math.floor(q / N), q % N], 0.1 * q - 0.8] as const;
    });
    await checkGradient({ layout: tree, f, reset, loss, values, backend: wasm() });
  });
});
