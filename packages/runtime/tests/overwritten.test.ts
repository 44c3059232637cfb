import { wasm } from '@filigree/backend-wasm';
import { active, deactivate, kernel, range } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { afterAll, describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, a, y, loss } = fields('f64', i, ['x', 'a', 'y', 'loss']);
const { cells } = fields('f64', i, ['cells']);

const sim = await made(
  program({
    layout: layout(...[x, a, y, loss].map((f) => dense(i, 1).place(f)), dense(i, 8).pointer().dense(i, 1).place(cells)),
    kernels: {
      add: kernel([x, a, loss], (x, a, loss) => {
        for (const p of range(1)) loss[0] += x[p] * a[p];
      }),
      set: kernel([a], (a) => {
        for (const p of range(1)) a[p] = 100.0;
      }),
      other: kernel([y], (y) => {
        for (const p of range(1)) y[p] = 1.0;
      }),
      count: kernel([cells, x, loss], (cells, x, loss) => {
        for (const p of active(cells)) loss[0] += x[0] * cells[p];
      }),
      remove: kernel([cells], (cells) => {
        for (const p of range(8)) deactivate(cells, p);
      }),
    },
    backend: wasm(),
    differentiate: true,
  }),
);
afterAll(() => sim.dispose());
const { add, set, other, count, remove } = sim.run;

/** The derivative of the loss by the one element of `x`, or the code of why there is none. */
const found = (forward: () => void): number | string => {
  sim.field(x).set(0, 2);
  sim.field(a).set(0, 3);
  sim.field(loss).set(0, 0);
  for (let p = 0; p < 8; p++) sim.field(cells).set(p, 1);
  try {
    return valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x.get(0);
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
};

describe.each(['all', 'root'] as const)('what is needed and overwritten outside of a state, keep %s', (keep) => {
  const state = (f: typeof x, n: number, step: () => void): void => steps(sim, n, () => step(), { state: [f], keep });
  it('by steps with another state, though later steps have it', () => {
    /* What runs again keeps its state and nothing else. */
    const kept = (gradient: number) => (keep === 'all' ? gradient : 'tape/overwritten');
    expect(found(() => (add(), state(x, 2, set), state(a, 1, other)))).toBe(kept(3));
    expect(found(() => (state(x, 2, () => (add(), set())), state(a, 1, other)))).toBe(kept(103));
    expect(found(() => (add(), state(x, 1, other), set(), state(a, 1, other)))).toBe(3);
  });

  it('after steps: those that run again begin with their state', () => {
    expect(found(() => (state(a, 1, add), set()))).toBe(3);
    expect(found(() => (state(a, 1, add), set(), state(a, 1, other)))).toBe(3);
  });

  it('by steps with that state it is put back', () => {
    expect(found(() => (add(), state(a, 2, () => (set(), add()))))).toBe(203);
  });
});

describe('what changes which elements there are', () => {
  it('changes no derivative of a launch over them before it', () => {
    expect(found(count)).toBe(8);
    expect(found(() => (count(), remove()))).toBe(8);
  });
});
