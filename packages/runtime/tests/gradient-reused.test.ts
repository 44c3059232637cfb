import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, range, type KernelDef } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, ij, layout, type FieldDecl, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Memory that is used again and again: by two kernels in turns, as a ring of states, and in place by colours. */
const N = 8;
const { a, b, x, u } = fields('f64', ij, ['a', 'b', 'x', 'u']);
const { loss } = fields('f64', i, ['loss']);

const there = kernel([a, b], (a, b) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7)) b[i][j] = a[i][j] + 0.1 * Math.sin(a[i - 1][j] + a[i + 1][j]);
});
const back = kernel([b, a], (b, a) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7)) a[i][j] = b[i][j] + 0.1 * Math.exp(-b[i - 1][j] * b[i + 1][j]);
});
const ring = kernel([x, 'i32'], (x, t) => {
  for (const p of range(1, 7))
    x[(t + 1) % 3][p] = 1.9 * x[t % 3][p] - 0.9 * x[(t + 2) % 3][p] + 0.1 * Math.sin(x[t % 3][p - 1] * x[t % 3][p + 1]);
});
/* Two states in turns, told by an argument in three ways. */
const other = kernel([x, 'i32'], (x, now) => {
  for (const p of range(1, 7)) x[1 - now][p] = x[now][p] + 0.3 * Math.sin(x[now][p - 1] * x[now][p + 1]);
});
const even = kernel([x, 'i32'], (x, t) => {
  for (const p of range(1, 7)) x[1 - (t % 2)][p] = x[t % 2][p] + 0.3 * Math.sin(x[t % 2][p - 1] * x[t % 2][p + 1]);
});
const bit = kernel([x, 'i32'], (x, t) => {
  for (const p of range(1, 7)) x[(t + 1) & 1][p] = x[t & 1][p] + 0.3 * Math.sin(x[t & 1][p - 1] * x[t & 1][p + 1]);
});
const byColor = kernel([u, 'i32'], (u, color) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7))
      if ((i + j) % 2 === color)
        u[i][j] = 0.3 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] + u[i + 1][j]) * (u[i][j - 1] + u[i][j + 1]);
});
/* The colour follows from the number of the sweep; elements of another one are passed over. */
const bySweep = kernel([u, 'i32'], (u, t) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7)) {
      if (((i - j) & 1) !== t % 2) continue;
      u[i][j] = 0.3 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] + u[i + 1][j]) * (u[i][j - 1] + u[i][j + 1]);
    }
});
/* Four colours, as stencils with diagonals need: rows and columns by a number each. */
const byTwo = kernel([u, 'i32', 'i32'], (u, row, column) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7))
      if (i % 2 === row && j % 2 === column)
        u[i][j] = 0.3 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] + u[i][j + 1]) * (u[i][j - 1] + u[i + 1][j - 1]);
});
/* The same of elements of which one by two numbers in the text has its turn; others are passed over. */
const byCorner = kernel([u], (u) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7)) {
      if (i % 2 !== 0 || (j & 1) !== 1) continue;
      u[i][j] = 0.4 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] * u[i + 1][j + 1]) + 0.1 * Math.exp(u[i][j - 1]);
    }
});
const byNested = kernel([u, 'i32'], (u, t) => {
  for (const i of range(1, 7))
    if (i % 2 === (t >> 1) % 2)
      for (const j of range(1, 7))
        if (j % 2 === t % 2) u[i][j] = Math.cos(u[i][j]) * u[i - 1][j - 1] + u[i][j + 1] ** 2;
});
/* Three colours, and five as stencils of five points have them that read neighbours of neighbours. */
const byThree = kernel([u, 'i32'], (u, color) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7))
      if ((i + j) % 3 === color)
        u[i][j] = 0.3 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] + u[i + 1][j]) * (u[i][j - 1] + u[i + 1][j + 1]);
});
const byFive = kernel([u, 'i32'], (u, t) => {
  for (const i of range(1, 7))
    for (const j of range(1, 7))
      if ((i + 2 * j) % 5 === t % 5)
        u[i][j] = 0.3 * u[i][j] + 0.2 * Math.sin(u[i - 1][j] + u[i + 1][j]) * (u[i][j - 1] + u[i - 1][j - 1]);
});
const total = kernel([a, b, x, u, loss], (a, b, x, u, loss) => {
  for (const i of range(8))
    for (const j of range(8))
      loss[0] += a[i][j] ** 2 * (i + j) + b[i][j] ** 2 * j + x[i][j] ** 2 * (i + 1) + u[i][j] ** 2 * (j + 2 * i + 1);
});
const zero = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

const kernels = {
  there,
  back,
  ring,
  other,
  even,
  bit,
  byColor,
  bySweep,
  byTwo,
  byCorner,
  byNested,
  byThree,
  byFive,
  total,
  zero,
};

const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () => layout(...[a, b, x, u].map((f) => dense(ij, N).place(f)), dense(i, 1).place(loss)),
  pointer: () => layout(dense(ij, 2).pointer().dense(ij, 4).place(a, b, x, u), dense(i, 1).place(loss)),
};

const cases = Object.entries(layouts).flatMap(([name, make]) =>
  [
    { backend: cpp(), threads: 2 },
    { backend: wasm(), threads: 1 },
    { backend: wasm(), threads: 1, debug: true },
  ].map((how) => [name, how.backend.name, how.debug === true, make, how] as const),
);

describe('gradients through memory that is used again', () => {
  it.each(cases)('are those that differences tell: %s, %s, debug %s', async (_layout, _backend, _debug, make, how) => {
    const sim = await made(program({ layout: make(), kernels, differentiate: true, ...how }));
    const { run } = sim;
    const start = (): void => {
      for (const [n, f] of [a, b, x, u].entries())
        for (let k = 0; k < N * N; k++) sim.field(f).set([Math.floor(k / N), k % N], Math.sin(k * (n + 1) + 1));
    };
    const check = (f: FieldDecl, places: readonly (readonly [number, number])[], launches: () => void): void => {
      const forward = (): void => {
        run.zero();
        launches();
        run.total();
      };
      start();
      const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { f } });
      const found = places.map((at) => Number(gradient.f.get(at)));
      places.forEach((at, n) => {
        const along = (h: number): number => {
          start();
          sim.field(f).set(at, Number(sim.field(f).get(at)) + h);
          forward();
          return sim.field(loss).get(0);
        };
        const h = 1e-3;
        const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
        expect(Math.abs(found[n] - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
        expect(found[n]).not.toBe(0);
      });
    };
    const places = [[2, 3], [2, 4], [5, 1]] as const; // prettier-ignore
    check(a, places, () => [0, 1, 2].forEach(() => (run.there(), run.back())));
    check(x, [[1, 3], [0, 6], [2, 7]], () => [1, 2, 3, 4, 5, 6].forEach((t) => run.ring(t))); // prettier-ignore
    const turns = [[0, 3], [0, 6], [1, 7]] as const; // prettier-ignore
    check(x, turns, () => [0, 1, 0, 1].forEach((now) => run.other(now)));
    check(x, turns, () => [0, 1, 2, 3].forEach((t) => run.even(t)));
    check(x, turns, () => [0, 1, 2, 3].forEach((t) => run.bit(t)));
    check(u, places, () => [0, 1, 0, 1].forEach((color) => run.byColor(color)));
    check(u, places, () => [0, 1, 2, 3].forEach((t) => run.bySweep(t)));
    check(u, places, () => [0, 1, 2, 3].forEach((t) => run.byTwo(t % 2, t >> 1)));
    check(u, places, () => [0, 1].forEach(() => run.byCorner()));
    check(u, places, () => [0, 1, 2, 3].forEach((t) => run.byNested(t)));
    check(u, places, () => [0, 1, 2, 0].forEach((color) => run.byThree(color)));
    check(u, places, () => [0, 1, 2, 3, 4].forEach((t) => run.byFive(t)));
    sim.dispose();
  });

  /* Each reads what it may have written. */
  const wrong: Readonly<Record<string, KernelDef>> = {
    'a state of the ring that is the one written': kernel([x, 'i32'], (x, t) => {
      for (const p of range(1, 7)) x[(t + 1) % 3][p] = Math.sin(x[(t + 4) % 3][p + 1]);
    }),
    'a state that is outside at first': kernel([x, 'i32'], (x, t) => {
      for (const p of range(1, 7)) x[t % 3][p] = Math.sin(x[(t - 1) % 3][p + 1]);
    }),
    'a state that is the other one taken from two': kernel([x, 'i32'], (x, now) => {
      for (const p of range(1, 7)) x[2 - now][p] = Math.sin(x[now][p + 1]);
    }),
    'a state that is the last of three taken from two': kernel([x, 'i32'], (x, t) => {
      for (const p of range(1, 7)) x[2 - (t % 3)][p] = Math.sin(x[t % 3][p + 1]);
    }),
    'rings of other lengths': kernel([x, 'i32'], (x, t) => {
      for (const p of range(1, 7)) x[(t + 1) % 3][p] = Math.sin(x[t % 2][p + 1]);
    }),
    'a neighbour of the same colour': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if ((i + j) % 2 === color) u[i][j] = Math.sin(u[i - 1][j - 1]);
    }),
    'a neighbour of the same row and column of colours': kernel([u, 'i32'], (u, color) => {
      for (const i of range(2, 6))
        for (const j of range(2, 6))
          if (i % 2 === color && j % 2 === color) u[i][j] = Math.sin(u[i - 2][j] + u[i - 1][j + 1]);
    }),
    'a neighbour of the same row of colours alone': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if (i % 2 === color) u[i][j] = Math.sin(u[i - 1][j] + u[(i + 2) % 8][j]);
    }),
    'a neighbour where one of two colours is enough': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if (i % 2 === color || j % 2 === 1) u[i][j] = Math.sin(u[i - 1][j - 1]);
    }),
    'a neighbour where it has not both colours': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) {
          if (i % 2 === color && j % 2 === 1) continue;
          u[i][j] = Math.sin(u[i - 1][j]);
        }
    }),
    'a neighbour of the same of three colours': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(2, 7)) if ((i + j) % 3 === color) u[i][j] = Math.sin(u[i - 1][j - 2]);
    }),
    'a neighbour of one of three colours of sums that may wrap around': kernel([u, 'i32'], (u, t) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if ((i + j + t) % 3 === 0) u[i][j] = Math.sin(u[i - 1][j]);
    }),
    'a neighbour of three colours of products that do': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if ((i * 1073741825 + j) % 3 === color) u[i][j] = Math.sin(u[i - 1][j]);
    }),
    'a neighbour of one of five colours that is five away': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(2, 7)) if ((i + 2 * j) % 5 === color) u[i][j] = Math.sin(u[i - 1][j - 2]);
    }),
    'a neighbour whose colour is another of other sums': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7))
          if (i % 2 === color && i % 4 === color) u[i][j] = Math.sin(u[i - 1][j + 1] + u[(i + 4) % 8][j]);
    }),
    'a neighbour beyond the border, which is the element itself': kernel([u, 'i32'], (u, color) => {
      for (const i of range(8)) for (const j of range(8)) if ((i + j) % 2 === color) u[i][j] = Math.sin(u[i - 1][j]);
    }),
    'a neighbour whatever the colour': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) {
          const next = Math.sin(u[i - 1][j]);
          if ((i + j) % 2 === color || next > 2) u[i][j] = next;
        }
    }),
    'a colour that differs from iteration to iteration': kernel([u, 'i32'], (u, color) => {
      for (const i of range(1, 7))
        for (const j of range(1, 7)) if ((i + j) % 2 === (color + i) % 2) u[i][j] = Math.sin(u[i - 1][j]);
    }),
  };
  it.each(Object.entries(wrong))('are refused where a kernel reads %s', async (_name, kernel) => {
    const sim = await made(
      program({ layout: layouts.dense(), kernels: { kernel, total }, differentiate: true, backend: wasm() }),
    );
    const forward = (): void => {
      (sim.run.kernel as (t: number) => void)(0);
      sim.run.total();
    };
    const code = (): string => {
      try {
        valueAndGradient(sim, forward, { loss, wrt: { x, u } });
      } catch (e) {
        if (e instanceof DiagnosticError) return e.diagnostics[0].code;
        throw e;
      }
      return '';
    };
    expect(code()).toBe('adjoint/overwritten');
    sim.dispose();
  });
});
