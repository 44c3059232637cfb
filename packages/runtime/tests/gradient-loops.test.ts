import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, kernel, math, range } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { DiagnosticError } from '@filigree/ir';
import { dense, fields, hash, i, ij, layout, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { checkGradient, made } from './gradient-check.js';

const { x, y } = fields('f64', i, ['x', 'y']);
const { count } = fields('i32', i, ['count']);
const { loss } = fields('f64', i, ['loss']);

const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

/** Newton's iteration for the cube root: how often it runs depends on the value. */
const newton = kernel([x, loss], (x, loss) => {
  for (const p of active(x)) {
    let r = 1.5;
    while (math.abs(r * r * r - x[p]) > 1e-13) r = r - (r * r * r - x[p]) / (3.0 * r * r);
    loss[0] += r * (p + 1);
  }
});

/** A loop with a break on what it carries, in one whose length is not known, and branches. */
const nested = kernel([x, y, count, loss], (x, y, count, loss) => {
  for (const p of active(x)) {
    let a = x[p];
    for (const k of range(count[p])) {
      let b = a;
      for (const m of range(6)) {
        b = math.sin(b) * y[p] + 0.1 * m;
        if (b > 0.9) break;
        if (b < 0.2) b += a * a;
      }
      a = a * 0.9 + b * b * (k + 1) * 0.1;
    }
    loss[0] += a * a;
  }
});

/** More iterations than are kept whole, so that states between are computed again. */
const long = kernel([x, loss, 'i32'], (x, loss, n) => {
  for (const p of active(x)) {
    let a = x[p];
    let b = 0.3;
    for (const k of range(n)) {
      const next = a + 0.01 * b * math.cos(0.1 * k);
      b = b - 0.01 * math.sin(a);
      a = next;
    }
    loss[0] += a * b;
  }
});

/** Serial code, where nothing runs at once. */
const serial = kernel([x, loss], (x, loss) => {
  let a = x[0];
  let steps = 0;
  while (a < 40.0) {
    a = a * a * 0.5 + x[1];
    steps++;
    if (steps > 12) break;
  }
  loss[0] += a * x[2];
});

const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () => layout(dense(i, 8).place(x, y, count), dense(i, 1).place(loss)),
  pointer: () => layout(dense(i, 4).pointer().dense(i, 2).place(x, y, count), dense(i, 1).place(loss)),
  hash: () => layout(hash(i, 4).dense(i, 2).place(x, y, count), dense(i, 1).place(loss)),
};

const at = [0, 1, 2, 5];

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))(
  'loops that carry what derivatives need: %s',
  (_name, backend) => {
    it.each(Object.entries(layouts))('a while loop of Newton: %s', async (_layout, make) => {
      /* Dense elements that are not set are zero, and their root is not smooth. */
      const everywhere = [0, 1, 2, 3, 4, 5, 6, 7];
      const values = everywhere.map((p) => [x, [p], 2.3 + 0.8 * p] as const);
      const { gradient } = await checkGradient({ layout: make(), f: newton, reset, loss, values, backend });
      const roots = everywhere.map((p) => ((p + 1) / 3) * (2.3 + 0.8 * p) ** (-2 / 3));
      (gradient as unknown as number[]).forEach((g, n) => expect(Math.abs(g - roots[n])).toBeLessThan(1e-9));
    });

    it('hundreds of iterations, of a number that is not known', async () => {
      const values = at.map((p) => [x, [p], 0.4 + 0.3 * p] as const);
      const sparse = layouts.pointer();
      await checkGradient({ layout: sparse, f: long, reset, loss, values, args: [777], backend });
    });

    it('serial code', async () => {
      const values = [0, 1, 2].map((p) => [x, [p], 1.4 + 0.3 * p] as const);
      await checkGradient({ layout: layouts.dense(), f: serial, reset, loss, values, backend });
    });
  },
);

describe('loops one after the other within an iteration', () => {
  /* Systems with three diagonals: what is eliminated going down is read going up. */
  const { low, mid, high, right, factor, part, result } = fields('f64', ij, [
    'low',
    'mid',
    'high',
    'right',
    'factor',
    'part',
    'result',
  ]);
  const rows = 6;
  const all = [low, mid, high, right, factor, part, result] as const;
  const options = { scope: { rows } };
  const each = kernel([...all, loss], options, (low, mid, high, right, factor, part, result, loss) => {
    for (const s of range(3)) {
      factor[s][0] = high[s][0] / mid[s][0];
      part[s][0] = right[s][0] / mid[s][0];
      for (let r = 1; r < rows; r++) {
        const scale = 1 / (mid[s][r] - low[s][r] * factor[s][r - 1]);
        factor[s][r] = high[s][r] * scale;
        part[s][r] = (right[s][r] - low[s][r] * part[s][r - 1]) * scale;
      }
      result[s][rows - 1] = part[s][rows - 1];
      for (let r = rows - 2; r >= 0; r--) result[s][r] = part[s][r] - factor[s][r] * result[s][r + 1];
      for (let r = 0; r < rows; r++) loss[0] += (r + 1) * result[s][r] * result[s][r];
    }
  });
  const one = kernel([...all, loss], options, (low, mid, high, right, factor, part, result, loss) => {
    factor[0][0] = high[0][0] / mid[0][0];
    part[0][0] = right[0][0] / mid[0][0];
    for (let r = 1; r < rows; r++) {
      const scale = 1 / (mid[0][r] - low[0][r] * factor[0][r - 1]);
      factor[0][r] = high[0][r] * scale;
      part[0][r] = (right[0][r] - low[0][r] * part[0][r - 1]) * scale;
    }
    result[0][rows - 1] = part[0][rows - 1];
    for (let r = rows - 2; r >= 0; r--) result[0][r] = part[0][r] - factor[0][r] * result[0][r + 1];
    for (let r = 0; r < rows; r++) loss[0] += (r + 1) * result[0][r] * result[0][r];
  });
  /* Of a symmetric matrix: what a column reads, columns before it wrote. */
  const cholesky = kernel([low, factor, loss], options, (low, factor, loss) => {
    for (let c = 0; c < rows; c++) {
      let square = 4 + low[c][c];
      for (let k = 0; k < c; k++) square -= factor[c][k] ** 2;
      factor[c][c] = Math.sqrt(square);
      for (let r = c + 1; r < rows; r++) {
        let product = low[r][c];
        for (let k = 0; k < c; k++) product -= factor[r][k] * factor[c][k];
        factor[r][c] = product / factor[c][c];
      }
    }
    for (let r = 0; r < rows; r++) loss[0] += Math.log(factor[r][r]) + factor[rows - 1][r] ** 2;
  });
  const indices = (systems: number) =>
    [...Array(systems * rows).keys()].map((n) => [Math.floor(n / rows), n % rows] as const);
  it.each([
    ['of a parallel loop', each, 3],
    ['of serial code', one, 1],
  ] as const)('read what those before them wrote: %s', async (_where, f, systems) => {
    const values = [low, mid, high, right].flatMap((of, n) =>
      indices(systems).map(([s, r]) => [of, [s, r], (n === 1 ? 3 : 0.4) + Math.sin(5 * n + 3 * s + r)] as const),
    );
    const tree = layout(dense(ij, [3, rows]).place(...all), dense(i, 1).place(loss));
    await checkGradient({ layout: tree, f, reset, loss, values, backend: wasm() });
  });

  it('read what earlier iterations of a loop around them wrote', async () => {
    const values = indices(rows).map(([r, c]) => [low, [r, c], Math.sin(3 * r + 5 * c)] as const);
    const tree = layout(dense(ij, rows).place(low, factor), dense(i, 1).place(loss));
    await checkGradient({ layout: tree, f: cholesky, reset, loss, values, backend: wasm() });
  });
});

describe('nests of loops', () => {
  const counting = kernel([count], (count) => {
    for (const p of range(8)) count[p] = (p * 5) % 4;
  });
  it.each(Object.entries(layouts))('with breaks and branches: %s', async (_layout, make) => {
    const sim = await made(
      program({ layout: make(), kernels: { nested, reset, counting }, backend: wasm(), differentiate: true }),
    );
    sim.run.counting();
    const start = at.map((p) => [0.3 + 0.21 * p, 0.9 - 0.13 * p]);
    const forward = (): void => {
      sim.run.reset();
      sim.run.nested();
    };
    const set = (values: readonly (readonly number[])[]): void =>
      at.forEach((p, n) => {
        sim.field(x).set([p], values[n][0]);
        sim.field(y).set([p], values[n][1]);
      });
    set(start);
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x, y } });
    const found = at.map((p) => [gradient.x.get([p]), gradient.y.get([p])]);
    for (const n of at.keys())
      for (const c of [0, 1]) {
        const moved = (t: number): number => {
          set(start.map((v, m) => v.map((e, k) => (m === n && k === c ? e + t : e))));
          forward();
          return sim.field(loss).get(0);
        };
        const h = 1e-5;
        const expected = (moved(h) - moved(-h)) / (2 * h);
        expect(Math.abs(found[n][c] - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
      }
    sim.dispose();
  });

  it('report a loop that is longer than there is room for', async () => {
    const sim = await made(
      program({ layout: layouts.dense(), kernels: { long, reset }, backend: wasm(), differentiate: true }),
    );
    const gradient = (n: number) => () => {
      try {
        valueAndGradient(sim, () => sim.run.long(n), { loss, wrt: { x } });
        return '';
      } catch (e) {
        if (!(e instanceof DiagnosticError)) return String(e);
        const [{ code, loc }] = e.diagnostics;
        return `${code} ${loc?.file.replace(/.*\//, '')}`;
      }
    };
    expect(gradient(65_536)()).toBe('');
    expect(gradient(65_537)()).toBe('tape/history gradient-loops.test.ts');
    sim.dispose();
  });
});
