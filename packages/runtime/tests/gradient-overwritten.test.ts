import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, append, i32, i64, kernel, range, serially, u32, type KernelDef } from '@filigree/lang/kernels';
import { fixed } from '@filigree/quant';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import {
  bitStruct,
  dense,
  dynamic,
  fields,
  hash,
  i,
  ij,
  layout,
  stored,
  type FieldDecl,
  type Layout,
} from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* What algorithms of serial loops overwrite is needed by derivatives: it is proved to be there, or kept. */
const N = 5;
const { A, d } = fields('f64', ij, ['A', 'd']);
const { x, loss } = fields('f64', i, ['x', 'loss']);
const { lines, few, large, huge } = fields('f64', i, ['lines', 'few', 'large', 'huge']);
const { n, listed } = fields('i32', i, ['n', 'listed']);
const total = kernel([A, d, x, loss], (A, d, x, loss) => {
  loss[0] = 0.0;
  for (const i of range(5)) {
    loss[0] += x[i] * x[i] * (i + 1);
    for (const j of range(5))
      loss[0] += Math.sin(A[i][j] * (i + 2 * j + 1) * 0.2) + d[i][j] * d[i][j] * (i + 0.5 * j + 1);
  }
});

/** Algorithms as they are written in place, in one kernel. */
const right: Readonly<Record<string, KernelDef>> = {
  'a step of conjugate gradients, whose sums are added to beside what they are divided by': kernel(
    [A, x, lines, d],
    (A, x, lines, d) => {
      d[0][1] = 0.0;
      for (const r of range(5)) {
        let s = 0.0;
        for (const c of range(5)) s += A[r][c] * x[c];
        lines[r] = s;
        d[0][1] += s * x[r];
      }
      d[0][2] = 0.0;
      for (const r of range(5)) {
        lines[r + 5] -= (d[0][0] / d[0][1]) * lines[r];
        d[0][2] += lines[r + 5] ** 2;
      }
      for (const r of range(5)) x[r] = lines[r + 5] + (d[0][2] / d[0][0]) * x[r];
      d[0][0] = d[0][2];
    },
  ),
  'a ring by an argument': kernel([d, x, 'i32'], (d, x, t = 1) => {
    for (const p of range(5)) {
      d[(t + 1) % 3][4] += x[p] * d[t % 3][4];
      x[p] = Math.sin(x[p] * d[t % 3][4]);
    }
    for (const p of range(5)) x[p] *= d[(t + 1) % 3][4];
    d[t % 3][4] = Math.cos(d[(t + 1) % 3][4]) * d[t % 3][4];
  }),
  'elements below zero too': kernel([x], (x) => {
    for (const k of serially(range(-4, 0))) x[k] = 0.3 + 0.1 * k;
    for (const _ of serially(range(2)))
      for (const k of serially(range(-3, 5))) x[k] = Math.sin(x[k] + 0.2) * (1 + x[k - 1]);
  }),
  cholesky: kernel([A], (A) => {
    for (const k of serially(range(5))) {
      A[k][k] = Math.sqrt(A[k][k]);
      for (const i of serially(range(k + 1, 5))) A[i][k] /= A[k][k];
      for (const j of serially(range(k + 1, 5))) for (const i of serially(range(j, 5))) A[i][j] -= A[i][k] * A[j][k];
    }
  }),
  'cholesky, by rows': kernel([A], (A) => {
    for (const i of serially(range(5))) {
      for (const j of serially(range(i))) {
        let s = A[i][j];
        for (const k of serially(range(j))) s -= A[i][k] * A[j][k];
        A[i][j] = s / A[j][j];
      }
      let s = A[i][i];
      for (const k of serially(range(i))) s -= A[i][k] * A[i][k];
      A[i][i] = Math.sqrt(s);
    }
  }),
  'cholesky, by rows with if': kernel([A], (A) => {
    for (const i of serially(range(5))) {
      for (const j of serially(range(i + 1))) {
        let s = A[i][j];
        for (const k of serially(range(j))) s -= A[i][k] * A[j][k];
        if (i === j) A[i][i] = Math.sqrt(s);
        else A[i][j] = s / A[j][j];
      }
    }
  }),
  'cholesky ranges not marked serial': kernel([A], (A) => {
    for (const k of serially(range(5))) {
      A[k][k] = Math.sqrt(A[k][k]);
      for (const i of range(k + 1, 5)) A[i][k] /= A[k][k];
      for (const j of range(k + 1, 5)) for (const i of range(j, 5)) A[i][j] -= A[i][k] * A[j][k];
    }
  }),
  lu: kernel([A], (A) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(k + 1, 5))) {
        A[i][k] /= A[k][k];
        for (const j of serially(range(k + 1, 5))) A[i][j] -= A[i][k] * A[k][j];
      }
  }),
  'lu with a factor': kernel([A], (A) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(k + 1, 5))) {
        const f = A[i][k] / A[k][k];
        A[i][k] = f;
        for (const j of serially(range(k + 1, 5))) A[i][j] -= f * A[k][j];
      }
  }),
  'gaussian elimination, rows overwritten': kernel([A, x], (A, x) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(k + 1, 5))) {
        const f = A[i][k] / A[k][k];
        for (const j of serially(range(k, 5))) A[i][j] -= f * A[k][j];
        x[i] -= f * x[k];
      }
  }),
  'gauss jordan inverse': kernel([A], (A) => {
    for (const k of serially(range(5))) {
      const p = 1.0 / A[k][k];
      A[k][k] = 1.0;
      for (const j of serially(range(5))) A[k][j] *= p;
      for (const i of serially(range(5)))
        if (i !== k) {
          const f = A[i][k];
          A[i][k] = 0.0;
          for (const j of serially(range(5))) A[i][j] -= f * A[k][j];
        }
    }
  }),
  'forward substitution': kernel([A, x], (A, x) => {
    for (const r of serially(range(5))) {
      for (const c of serially(range(r))) x[r] -= A[r][c] * x[c];
      x[r] /= A[r][r];
    }
  }),
  'back substitution': kernel([A, x], (A, x) => {
    for (const q of serially(range(5))) {
      const r = 4 - q;
      for (const c of serially(range(r + 1, 5))) x[r] -= A[r][c] * x[c];
      x[r] /= A[r][r];
    }
  }),
  both: kernel([A, x], (A, x) => {
    for (const r of serially(range(5))) {
      for (const c of serially(range(r))) x[r] -= A[r][c] * x[c];
      x[r] /= A[r][r];
    }
    for (const q of serially(range(5))) {
      const r = 4 - q;
      for (const c of serially(range(r + 1, 5))) x[r] -= A[c][r] * x[c];
      x[r] /= A[r][r];
    }
  }),
  'gram schmidt': kernel([A], (A) => {
    for (const k of serially(range(5))) {
      for (const j of serially(range(k))) {
        let s = 0.0;
        for (const r of serially(range(5))) s += A[r][j] * A[r][k];
        for (const r of serially(range(5))) A[r][k] -= s * A[r][j];
      }
      let n = 0.0;
      for (const r of serially(range(5))) n += A[r][k] * A[r][k];
      for (const r of serially(range(5))) A[r][k] /= Math.sqrt(n);
    }
  }),
  'modified gram schmidt, with r': kernel([A, d], (A, d) => {
    for (const k of serially(range(5))) {
      let n = 0.0;
      for (const r of serially(range(5))) n += A[r][k] * A[r][k];
      d[k][k] = Math.sqrt(n);
      for (const r of serially(range(5))) A[r][k] /= d[k][k];
      for (const j of serially(range(k + 1, 5))) {
        d[k][j] = 0.0;
        for (const r of serially(range(5))) d[k][j] += A[r][k] * A[r][j];
        for (const r of serially(range(5))) A[r][j] -= d[k][j] * A[r][k];
      }
    }
  }),
  'floyd warshall': kernel([d], (d) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(5)))
        for (const j of serially(range(5))) d[i][j] = Math.min(d[i][j], d[i][k] + d[k][j]);
  }),
  'soft floyd warshall': kernel([d], (d) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(5)))
        for (const j of serially(range(5)))
          d[i][j] = -Math.log(Math.exp(-d[i][j]) + 0.1 * Math.exp(-d[i][k] - d[k][j]));
  }),
  'floyd warshall if': kernel([d], (d) => {
    for (const k of serially(range(5)))
      for (const i of serially(range(5)))
        for (const j of serially(range(5))) if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
  }),
  'prefix sums': kernel([x], (x) => {
    for (const k of serially(range(1, 5))) x[k] += x[k - 1];
  }),
  'prefix products': kernel([x], (x) => {
    for (const k of serially(range(1, 5))) x[k] *= x[k - 1];
  }),
  'prefix log sum': kernel([x], (x) => {
    for (const k of serially(range(1, 5))) x[k] = Math.log(Math.exp(x[k]) + Math.exp(x[k - 1]));
  }),
  dtw: kernel([A, d], (A, d) => {
    d[0][0] = A[0][0];
    for (const i of serially(range(1, 5))) d[i][0] = d[i - 1][0] + A[i][0];
    for (const j of serially(range(1, 5))) d[0][j] = d[0][j - 1] + A[0][j];
    for (const i of serially(range(1, 5)))
      for (const j of serially(range(1, 5)))
        d[i][j] = A[i][j] + Math.min(d[i - 1][j], Math.min(d[i][j - 1], d[i - 1][j - 1]));
  }),
  'dtw in place': kernel([d], (d) => {
    for (const i of serially(range(1, 5))) d[i][0] += d[i - 1][0];
    for (const j of serially(range(1, 5))) d[0][j] += d[0][j - 1];
    for (const i of serially(range(1, 5)))
      for (const j of serially(range(1, 5))) d[i][j] += Math.min(d[i - 1][j], Math.min(d[i][j - 1], d[i - 1][j - 1]));
  }),
  'soft dtw in place': kernel([d], (d) => {
    for (const i of serially(range(1, 5)))
      for (const j of serially(range(1, 5)))
        d[i][j] -= Math.log(Math.exp(-d[i - 1][j]) + Math.exp(-d[i][j - 1]) + Math.exp(-d[i - 1][j - 1]));
  }),
  'dtw with two rows': kernel([A, d], (A, d) => {
    for (const j of serially(range(5))) d[0][j] = A[0][j];
    for (const i of serially(range(1, 5))) {
      d[i % 2][0] = d[1 - (i % 2)][0] + A[i][0];
      for (const j of serially(range(1, 5)))
        d[i % 2][j] = 0.2 * A[i][j] + Math.sin(0.2 * d[1 - (i % 2)][j]) * d[i % 2][j - 1];
    }
  }),
  'gauss seidel': kernel([A], (A) => {
    for (const i of serially(range(1, 4)))
      for (const j of serially(range(1, 4)))
        A[i][j] = 0.3 * A[i][j] + 0.2 * Math.sin(A[i - 1][j] + A[i + 1][j]) * (A[i][j - 1] + A[i][j + 1]);
  }),
  'gauss seidel, many sweeps': kernel([A], (A) => {
    for (const _ of serially(range(3)))
      for (const i of serially(range(1, 4)))
        for (const j of serially(range(1, 4)))
          A[i][j] = 0.3 * A[i][j] + 0.2 * Math.sin(A[i - 1][j] + A[i + 1][j]) * (A[i][j - 1] + A[i][j + 1]);
  }),
  'jacobi rotation': kernel([A], (A) => {
    for (const _ of serially(range(2)))
      for (const p of serially(range(4)))
        for (const q of serially(range(p + 1, 5))) {
          const t = 0.5 * Math.atan2(2.0 * A[p][q], A[q][q] - A[p][p]);
          const c = Math.cos(t);
          const s = Math.sin(t);
          for (const r of serially(range(5))) {
            const a = A[r][p];
            const b = A[r][q];
            A[r][p] = c * a - s * b;
            A[r][q] = s * a + c * b;
          }
          for (const r of serially(range(5))) {
            const a = A[p][r];
            const b = A[q][r];
            A[p][r] = c * a - s * b;
            A[q][r] = s * a + c * b;
          }
        }
  }),
  thomas: kernel([A, x], (A, x) => {
    for (const k of serially(range(1, 5))) {
      const w = A[0][k] / A[1][k - 1];
      A[1][k] -= w * A[2][k - 1];
      x[k] -= w * x[k - 1];
    }
    x[4] /= A[1][4];
    for (const q of serially(range(4))) x[3 - q] = (x[3 - q] - A[2][3 - q] * x[4 - q]) / A[1][3 - q];
  }),
  'horner in place': kernel([x], (x) => {
    for (const k of serially(range(4)))
      for (const m of serially(range(k, 4))) x[3 - m + k] += 0.2 * x[4 - m + k] * x[0];
  }),
  'bubble sort': kernel([x], (x) => {
    for (const _ of serially(range(4)))
      for (const b of serially(range(4)))
        if (x[b] > x[b + 1]) {
          const t = x[b];
          x[b] = x[b + 1];
          x[b + 1] = t;
        }
  }),
  'elimination with pivots': kernel([A, x], (A, x) => {
    for (const k of serially(range(5))) {
      let p = k;
      for (const i of serially(range(k + 1, 5))) if (Math.abs(A[i][k]) > Math.abs(A[p][k])) p = i;
      for (const j of serially(range(5))) {
        const t = A[k][j];
        A[k][j] = A[p][j];
        A[p][j] = t;
      }
      const t = x[k];
      x[k] = x[p];
      x[p] = t;
      for (const i of serially(range(k + 1, 5))) {
        const f = A[i][k] / A[k][k];
        for (const j of serially(range(k, 5))) A[i][j] -= f * A[k][j];
        x[i] -= f * x[k];
      }
    }
  }),
  'what is outside of a field': kernel([x], (x) => {
    for (const _ of serially(range(2)))
      for (const k of serially(range(6))) x[k + 1] = Math.cos(x[k - 1]) * x[k] + Math.sin(x[k + 1]);
  }),
  'rows that know nothing of each other': kernel([A], (A) => {
    for (const s of range(5))
      for (const _ of serially(range(2)))
        for (const k of serially(range(1, 5))) A[s][k] = Math.sin(A[s][k]) * A[s][k - 1] + A[s][k] ** 2 * 0.1;
  }),
  'active rows': kernel([A, x], (A, x) => {
    for (const s of active(x))
      for (const _ of serially(range(2)))
        for (const k of serially(range(1, 5))) A[s][k] = Math.sin(A[s][k]) * A[s][k - 1] + x[s] * 0.1;
  }),
  'a loop that asks before each iteration': kernel([x], (x) => {
    let k = 0;
    while (x[k] > -5 && k < 4) {
      x[k + 1] += Math.sin(x[k]) * x[k + 1];
      k += 1;
    }
  }),
  'a loop that is left': kernel([x], (x) => {
    for (const _ of serially(range(3)))
      for (const k of serially(range(4))) {
        if (x[k] > 1.05) break;
        x[k + 1] += Math.sin(x[k]) * x[k + 1];
      }
  }),
  'a loop up to an argument': kernel([x, 'i32'], (x, many = 4) => {
    for (const _ of serially(range(2))) for (const k of serially(range(many))) x[k + 1] += Math.sin(x[k]) * x[k + 1];
  }),
  'counters without a sign': kernel([x], (x) => {
    for (const _ of serially(range(2))) for (let k = u32(1); k < 5; k++) x[k] = Math.sin(x[k - 1]) * x[k] + 0.1 * x[k];
  }),
  'long counters': kernel([x], (x) => {
    for (const _ of serially(range(2)))
      for (let k = i64(1); k < 5; k++) x[i32(k)] = Math.sin(x[i32(k) - 1]) * x[i32(k)] + 0.1 * x[i32(k)];
  }),
  'sweeps until little changes, in branches': kernel([A], (A) => {
    for (const s of serially(range(2))) {
      let change = 1.0;
      while (change > 0.3) {
        change = 0.0;
        for (const i of serially(range(1, 4))) {
          let j = 1;
          while (j < 4) {
            const before = A[i][j];
            if (before > 0.2) A[i][j] = 0.3 * before + 0.2 * Math.sin(A[i - 1][j] + A[i + 1][j]);
            else for (let m = 0; m < i + s; m++) A[i][j] = 0.2 * Math.cos(A[i][j - 1]) * A[i][j] + 0.01 * A[i][m];
            change += Math.abs(A[i][j] - before);
            j++;
          }
        }
      }
    }
  }),
  'loops that are left, in rows that run at once': kernel([A], (A) => {
    for (const s of range(5))
      for (const k of serially(range(1, 5))) {
        let m = k;
        while (m > 0 && A[s][m] < 4) {
          A[s][m] = 0.3 * Math.sin(A[s][m]) + 0.1 * A[s][m] * A[s][m - 1];
          m -= 1;
        }
      }
  }),
  'one iteration that may run beside others': kernel([x], (x) => {
    for (const _ of range(1))
      for (const t of serially(range(2)))
        for (const k of serially(range(1, 4))) x[k] = Math.sin(x[k - 1] + t) * x[k + 1];
  }),
  'stretches of a field': kernel([lines, x], (lines, x) => {
    for (const p of range(5)) {
      for (const _ of serially(range(2)))
        for (let k = 1; k < 4; k++) lines[4 * p + k] = Math.sin(lines[4 * p + k - 1]) * lines[4 * p + k] + 0.1 * x[p];
      for (let k = 2; k >= 0; k--) lines[4 * p + k] -= x[p] * lines[4 * p + k + 1] ** 2;
    }
    for (const p of range(5)) for (const k of serially(range(4))) x[p] += 0.1 * lines[4 * p + k] ** 2;
  }),
  'stretches, in loops that are left': kernel([lines, x], (lines, x) => {
    for (const p of range(5)) {
      for (const _ of serially(range(2)))
        for (let k = 3; k >= 1; k--) {
          if (lines[4 * p + k] > 0.62) break;
          lines[4 * p + k] = Math.sin(lines[4 * p + k - 1]) * lines[4 * p + k] + 0.3 * x[p];
        }
      let m = 0;
      while (m < 3 && lines[4 * p + m] > 0.1) {
        lines[4 * p + m + 1] += Math.cos(lines[4 * p + m]) * x[p];
        m += 1;
      }
    }
    for (const p of range(5)) for (const k of serially(range(4))) x[p] += 0.1 * lines[4 * p + k] ** 2;
  }),
  'what others add to': kernel([d, x], (d, x) => {
    for (const k of serially(range(1, 5))) {
      x[k] *= Math.sin(x[k - 1]);
      for (const j of serially(range(5))) d[k][j] += x[k] * d[k - 1][j] * d[k - 1][4 - j];
    }
    for (const j of range(5)) d[0][j] += x[j] * x[j];
  }),
  'what all add to, here and there and beyond the end, and iterations then change': kernel([d, x], (d, x) => {
    for (const e of range(12)) x[(3 * e) % 7] += 0.1 * d[e % 3][e % 5] ** 2;
    for (const p of range(5)) {
      x[p] = x[p] * x[p] + 0.3 * x[p];
      x[p] *= Math.sin(x[p]);
      if (x[p] < 0.2) x[p] *= -0.5;
    }
  }),
};

const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () =>
    layout(dense(ij, N).place(A, d), dense(i, N).place(x), dense(i, 20).place(lines), dense(i, 1).place(loss)),
  pointer: () =>
    layout(
      dense(ij, 2).pointer().dense(ij, 4).place(A, d),
      dense(i, 4).pointer().dense(i, 2).place(x),
      dense(i, 20).place(lines),
      dense(i, 1).place(loss),
    ),
  hash: () =>
    layout(
      hash(ij, 16).dense(ij, 2).place(A, d),
      hash(i, 16).place(x),
      dense(i, 20).place(lines),
      dense(i, 1).place(loss),
    ),
};

const targets = [
  ['dense', cpp(), 2],
  ['dense', wasm(), 1],
  ['pointer', wasm(), 1],
  ['hash', wasm(), 1],
] as const;

/** Values of which no kernel below makes what is singular. */
const begin = (set: (field: FieldDecl, at: readonly number[], value: number) => void): void => {
  for (let r = 0; r < 4 * N; r++) set(lines, [r], 0.5 + 0.2 * Math.sin(5 * r));
  for (let r = 0; r < N; r++) {
    set(x, [r], 0.4 + 0.7 * Math.sin(3 * r + 1));
    for (let c = 0; c < N; c++) {
      set(A, [r, c], (r === c ? 4 : 0) + (r === 1 ? 3 : 0) + 0.5 * Math.cos(r * c + 2 * r + c + 0.3 * r * r));
      set(d, [r, c], 0.6 + 0.5 * Math.sin(7 * r + 3 * c));
    }
  }
};

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

/* Below a hash table there is no end, so it must be certain how far loops go. */
const endless = [
  'a loop that asks before each iteration',
  'a loop that is left',
  'a loop up to an argument',
  'active rows',
  'counters without a sign',
  'elimination with pivots',
  'long counters',
  'loops that are left, in rows that run at once',
];

describe('what serial loops overwrite', () => {
  const cases = Object.entries(right).flatMap(([name, f]) =>
    targets
      .filter(([where]) => where !== 'hash' || !endless.includes(name))
      .map((t) => [name, t[0], t[1].name, f, t] as const),
  );
  it.each(cases)('has the derivatives that differences tell: %s, %s, %s', async (_name, _where, _on, f, target) => {
    const [where, backend, threads] = target;
    const sim = await made(program({ layout: layouts[where](), kernels: { f, total }, differentiate: true, backend, threads })); // prettier-ignore
    const forward = (): void => {
      sim.run.f();
      sim.run.f();
      sim.run.total();
    };
    begin((field, at, value) => sim.field(field).set(at, value));
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { A, d, x } });
    const places = [A, d, x].flatMap((field) =>
      Array.from({ length: field === x ? N : N * N }, (_, n) => {
        const at = field === x ? [n] : [Math.floor(n / N), n % N];
        return {
          field,
          at,
          found: Number((gradient[field.name as 'A'] as { get: (at: readonly number[]) => number }).get(at)),
        };
      }),
    );
    for (const { field, at, found } of places) {
      const along = (h: number): number => {
        begin((field, at, value) => sim.field(field).set(at, value));
        sim.field(field).set(at, Number(sim.field(field).get(at)) + h);
        forward();
        return sim.field(loss).get(0);
      };
      const h = 2e-4;
      const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
      expect(
        Math.abs(found - expected),
        `${field.name}[${at.join()}]: ${found}, by differences ${expected}`,
      ).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
    }
    sim.dispose();
  });

  /* What iterations write beyond the end of a field is nowhere, so that there are only so many of them. */
  it.each(endless)('is refused below a hash table where loops may go anywhere: %s', async (name) => {
    const sim = await made(program({ layout: layouts.hash(), kernels: { f: right[name], total }, differentiate: true, backend: wasm() })); // prettier-ignore
    begin((field, at, value) => sim.field(field).set(at, value));
    const gradient = (): unknown =>
      valueAndGradient(sim, () => (sim.run.f(), sim.run.total()), { loss, wrt: { A, d, x } });
    expect(codeOf(gradient)).toBe('adjoint/overwritten');
    sim.dispose();
  });

  const asFarAsTold: Readonly<Record<string, KernelDef>> = {
    rows: kernel([d, 'i32'], (d, m) => {
      for (const p of range(m))
        for (const k of serially(range(1, m))) d[p][k] = Math.sin(d[p][k]) + d[p][k - 1] * d[p][k];
    }),
    stretches: kernel([lines, d, 'i32'], (lines, d, m) => {
      for (const p of range(m)) {
        for (const _ of serially(range(2)))
          for (const k of serially(range(1, 4))) lines[4 * p + k] = Math.sin(lines[4 * p + k - 1]) * lines[4 * p + k] + d[p][k]; // prettier-ignore
        for (const k of serially(range(4))) d[p][k] += lines[4 * p + k] ** 2;
      }
    }),
    pairs: kernel([d, 'i32'], (d, m) => {
      for (const p of range(m)) for (const q of range(2)) d[p][2 * q] = d[p][2 * q] * d[p][2 * q + 1] ** 2;
    }),
  };
  const asFar = Object.entries(asFarAsTold).flatMap(([name, f]) =>
    [3, N, 9].flatMap((m) => targets.filter(([where]) => where === 'dense').map((t) => [name, m, t, f] as const)),
  );
  it.each(asFar)('has right derivatives in parallel loops up to an argument: %s, %i', async (_name, m, target, f) => {
    const [where, backend, threads] = target;
    const sim = await made(program({ layout: layouts[where](), kernels: { f, total }, differentiate: true, backend, threads })); // prettier-ignore
    const launch = sim.run.f as unknown as (m: number) => void;
    const forward = (): void => void (launch(m), launch(m), sim.run.total());
    begin((field, at, value) => sim.field(field).set(at, value));
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { d } });
    for (let n = 0; n < N * N; n++) {
      const at = [Math.floor(n / N), n % N];
      const found = Number(gradient.d.get(at));
      const along = (h: number): number => {
        begin((field, at, value) => sim.field(field).set(at, value));
        sim.field(d).set(at, Number(sim.field(d).get(at)) + h);
        forward();
        return sim.field(loss).get(0);
      };
      const h = 2e-4;
      const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
      expect(Math.abs(found - expected), `d[${at.join()}]`).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
    }
    sim.dispose();
  });

  it('is kept of steps that run again, and in debug mode', async () => {
    const f = right['elimination with pivots'];
    const place = layouts.dense();
    const sim = await made(program({ layout: place, kernels: { f, total }, differentiate: true, backend: wasm(), debug: true })); // prettier-ignore
    const gradients = ['all', 'root'].map((keep) => {
      begin((field, at, value) => sim.field(field).set(at, value));
      const forward = (): void => {
        if (keep === 'all') for (const _ of range(4)) sim.run.f();
        else steps(sim, 4, () => sim.run.f(), { state: [A, x], keep: 'root' });
        sim.run.total();
      };
      const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { A, x } });
      return [...gradient.A.toArray(), ...gradient.x.toArray()];
    });
    expect(gradients[1]).toEqual(gradients[0]);
    expect(Math.abs(gradients[0][7])).toBeGreaterThan(1e-3);
    sim.dispose();
  });

  it('says where a loop had more iterations than there is room for', async () => {
    const f = kernel([x, 'i32'], (x, many) => {
      let k = 0;
      while (k < many) {
        for (const m of serially(range(400))) x[1 + (m % 2)] = 0.3 * Math.sin(x[2 - (m % 2)]) + 0.1 * x[0];
        k += 1;
      }
    });
    const sim = await made(program({ layout: layouts.dense(), kernels: { f, total }, differentiate: true, backend: wasm() })); // prettier-ignore
    const gradientAfter = (many: number): number => {
      begin((field, at, value) => sim.field(field).set(at, value));
      const forward = (): void => void (sim.run.f(many), sim.run.total());
      return valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x.get([0]);
    };
    expect(Math.abs(gradientAfter(10))).toBeGreaterThan(0.01);
    expect(gradientAfter(2000)).toBeCloseTo(gradientAfter(10), 12);
    expect(codeOf(() => gradientAfter(12_000))).toBe('tape/history');
    sim.dispose();
  });

  const all = kernel([A, x, few, large, huge, loss], (A, x, few, large, huge, loss) => {
    for (const i of range(5)) {
      loss[0] += x[i] * x[i] + few[i] * few[i] + large[i] * large[i] + huge[i] * huge[i];
      for (const j of range(5)) loss[0] += A[i][j] * A[i][j];
    }
  });
  /* Each looks like one that is kept. */
  const wrong: Readonly<Record<string, KernelDef>> = {
    'iterations at once that find what others change': kernel([x], (x) => {
      for (const p of range(1, 5)) for (const _ of serially(range(2))) x[p] = Math.sin(x[p - 1]) * x[p];
    }),
    'columns of rows that run at once': kernel([A], (A) => {
      for (const s of range(1, 5)) for (const k of serially(range(1, 5))) A[s][k] = Math.sin(A[s][k]) * A[s - 1][k - 1];
    }),
    'rows that run at once, told by a number of elements': kernel([A, n], (A, n) => {
      for (const s of range(1, 5))
        for (const k of serially(range(1, 5))) A[n[s]][k] = Math.sin(A[n[s]][k]) * A[n[s]][k - 1];
    }),
    'a field of few digits': kernel([few], (few) => {
      for (const _ of serially(range(2))) for (const k of serially(range(1, 5))) few[k] = Math.sin(few[k]) * few[k - 1];
    }),
    'more than there is room for': kernel([large], (large) => {
      for (const _ of serially(range(9000)))
        for (const k of serially(range(1, 800))) large[k] = Math.sin(large[k]) * large[k - 1];
    }),
    'a larger field than there is room for': kernel([huge], (huge) => {
      for (const _ of serially(range(2)))
        for (const k of serially(range(1, 5))) huge[k] = Math.sin(huge[k]) * huge[k - 1];
    }),
    'a list that it appends to': kernel([x, listed], (x, listed) => {
      for (const _ of serially(range(2)))
        for (const k of serially(range(1, 5))) {
          x[k] = Math.sin(x[k]) * x[k - 1];
          append(listed, k);
        }
    }),
  };
  it.each(Object.entries(wrong))('is refused where it may not be kept: %s', async (_name, f) => {
    const place = layout(
      dense(ij, N).place(A, d),
      dense(i, N).place(x, n, bitStruct(32, stored(few, fixed(32, 8)))),
      dense(i, 800).place(large),
      dense(i, 2 ** 23).place(huge),
      dynamic(i, 64).place(listed),
      dense(i, 1).place(loss),
    );
    const sim = await made(program({ layout: place, kernels: { f, all }, differentiate: true, backend: wasm() }));
    const forward = (): void => {
      sim.run.f();
      sim.run.all();
    };
    const gradient = (): unknown => valueAndGradient(sim, forward, { loss, wrt: { A, x, few, large, huge } });
    expect(codeOf(gradient)).toBe('adjoint/overwritten');
    sim.dispose();
  });
});
