import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import {
  active,
  atomicAdd,
  atomicMax,
  atomicMin,
  kernel,
  range,
  serially,
  type KernelDef,
} from '@filigree/lang/kernels';
import { fixed } from '@filigree/quant';
import { program, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { dense, fields, i, layout, stored } from '@filigree/sparse/fields';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, s, loss } = fields('f64', i, ['x', 'y', 's', 'loss']);
const { to } = fields('i32', i, ['to']);
const tree = layout(dense(i, 64).place(x, y, to), dense(i, 4).place(s), dense(i, 1).place(loss));
const all = [x, y, s, loss];

const total = kernel([x, y, s, loss], (x, y, s, loss) => {
  loss[0] = 0.0;
  for (const p of active(x)) loss[0] += (0.02 * p + 1) * (x[p] * x[p] + Math.sin(y[p]));
  for (const p of range(4)) loss[0] += (p + 1) * Math.sin(s[p]);
});

const told: Readonly<Record<string, KernelDef>> = {
  'a floor under sums of the loop before': kernel([x, s], (x, s) => {
    for (const p of active(x)) {
      s[2] += 0.01 * x[p] * x[p];
      s[3] += x[p];
    }
    for (const _ of active(x)) {
      atomicMax(s, 2, 0.9);
      atomicMax(s, 3, 0.3125);
    }
  }),
  'a floor and sums of the loop behind': kernel([x, s], (x, s) => {
    for (const _ of active(x)) {
      atomicMax(s, 2, 0.9);
      atomicMin(s, 3, -5);
    }
    for (const p of active(x)) {
      s[2] += 0.01 * x[p] * x[p];
      s[3] += x[p];
    }
  }),
  'sums into other elements beside a floor': kernel([x, y, s], (x, y, s) => {
    for (const p of active(x)) {
      s[1] += 0.1 * x[p];
      atomicMax(s, 2, 0.9);
      atomicMax(s, 3, x[p] * y[p]);
    }
  }),
  'from both sides': kernel([x, s], (x, s) => {
    for (const p of active(x)) {
      atomicMax(s, 2, x[p]);
      atomicMin(s, 3, 0.0625);
      atomicMax(s, 3, 0.03);
    }
  }),
  'one iteration after the other': kernel([x, s], (x, s) => {
    for (const p of serially(range(64))) {
      s[2] += 0.1 * x[p];
      atomicMax(s, 2, 0.3125);
      atomicAdd(s, 3, x[p]);
      atomicMin(s, 3, 0.5 * x[p] + 0.2);
    }
  }),
  'sums of zeros over a floor for each element': kernel([x, y, s], (x, y, s) => {
    for (const p of active(x)) {
      atomicMax(x, p, 0.6);
      atomicAdd(x, p, y[p]);
      atomicMax(s, 2, y[p] * 0.5 + 0.01 * p);
    }
  }),
};

const refused: Readonly<Record<string, KernelDef>> = {
  'sums beside a floor': kernel([x, s], (x, s) => {
    for (const p of active(x)) {
      s[2] += x[p];
      atomicMax(s, 2, 0.3125);
    }
  }),
  'sums behind a ceiling that changes': kernel([x, s], (x, s) => {
    for (const p of active(x)) {
      atomicMin(s, 2, x[p]);
      atomicAdd(s, 2, x[p]);
    }
  }),
  'sums of which nobody knows where they go': kernel([x, to, s], (x, to, s) => {
    for (const p of active(x)) {
      if (x[p] > 0) atomicMax(s, 2, 0.3125);
      s[to[p]] += x[p];
    }
  }),
};

const kernels = Object.fromEntries(Object.values({ ...told, ...refused }).map((k, n) => [`k${n}`, k]));
const nameOf = (what: string): string => `k${Object.keys({ ...told, ...refused }).indexOf(what)}`;

type Sim = Parameters<typeof valueAndTangent>[0] & {
  readonly run: Readonly<Record<string, () => unknown>>;
  readonly dispose: () => void;
};

const targets = [cpp(), wasm()].flatMap((backend) =>
  [1, 2].map((threads) => [backend.name, threads, backend] as const),
);

describe.each(targets)('extrema in forward mode: %s, %i threads', (_name, threads, backend) => {
  let sim: Sim;
  beforeAll(async () => {
    const options = { layout: tree, kernels: { ...kernels, total }, backend, threads, tangents: all, fastMath: false };
    sim = (await made(program(options as never))) as unknown as Sim;
  }, 120_000);
  afterAll(() => sim.dispose());

  const at = [...range(64)];
  const start = (p: number): readonly number[] => [0.9 * Math.sin(2.3 * p + 0.4), 0];
  const way = (p: number): readonly number[] => [0.7 - 0.02 * p, 0.4 + 0.01 * p];
  const [sums, sumsWay] = [
    [0.1, 0.2, 0.45, 0.05],
    [0.3, -0.8, 1.2, 0.7],
  ];
  const set = (t: number): void => {
    for (const p of at) {
      const [a, b] = start(p).map((u, m) => u + t * way(p)[m]);
      sim.field(x).set(p, a);
      sim.field(y).set(p, b);
      sim.field(to).set(p, p % 4);
    }
    sums.forEach((u, p) => sim.field(s).set(p, u + t * sumsWay[p]));
  };
  const along = (what: string): number => {
    set(0);
    const forward = (): void => void (sim.run[nameOf(what)](), sim.run.total());
    const { tangent } = valueAndTangent(sim, forward, {
      of: { loss },
      along: (t) => {
        for (const p of at) {
          t(x).set(p, way(p)[0]);
          t(y).set(p, way(p)[1]);
        }
        sumsWay.forEach((u, p) => t(s).set(p, u));
      },
    });
    return tangent.loss.get(0);
  };

  it.each(Object.keys(told))('%s: as differences tell', (what) => {
    const found = along(what);
    const moved = (t: number): number => {
      set(t);
      sim.run[nameOf(what)]();
      sim.run.total();
      return sim.field(loss).get(0);
    };
    const h = 1e-5;
    const expected = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    expect(Math.abs(found - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
  });

  it.each(Object.keys(refused))('%s: refused', (what) => {
    try {
      along(what);
      expect.unreachable();
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
      const [{ code, message, loc, remedy }] = e.diagnostics;
      expect(code).toBe('tangent/extremum');
      expect(message).toContain("the element [2] of field 's'");
      expect(loc?.file).toMatch(/tangent-extrema\.test\.ts$/);
      expect(remedy).toContain('a loop of its own');
    }
  });
});

it('extrema of numbers that are stored in few bits are refused where they are told by what they are in the end', async () => {
  const coarse = layout(dense(i, 64).place(x), dense(i, 4).place(stored(s, fixed(12, 4))), dense(i, 1).place(loss));
  const most = kernel([x, s], (x, s) => {
    for (const p of active(x)) atomicMax(s, 1, x[p]);
  });
  const first = kernel([x, s, loss], (x, s, loss) => {
    atomicMax(s, 1, x[3]);
    loss[0] = s[1];
  });
  const sim = await made(
    program({ layout: coarse, kernels: { most, first }, backend: wasm(), tangents: true, differentiate: true }),
  );
  sim.field(x).set(3, 0.7);
  const alone = (): void => void sim.run.first();
  const { tangent } = valueAndTangent(sim, alone, { of: { loss }, along: (t) => t(x).set(3, 1.5) });
  expect(tangent.loss.get(0)).toBe(1.5);
  const codeOf = (act: () => unknown): string => {
    try {
      act();
      return '';
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
      return e.diagnostics[0].code;
    }
  };
  const all = (): void => void (sim.run.most(), sim.run.first());
  expect(codeOf(() => valueAndTangent(sim, all, { of: { loss } }))).toBe('tangent/extremum');
  expect(codeOf(() => valueAndGradient(sim, all, { loss, wrt: { x } }))).toBe('adjoint/extremum');
  sim.dispose();
});
