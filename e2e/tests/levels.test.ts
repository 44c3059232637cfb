import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { dense, field, i, kernel, layout, program, range, type Grid1 } from 'filigree';
import { describe, expect, it } from 'vitest';

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = [['wasm', wasm()] as const, ...(hasCompiler ? [['cpp', cpp()] as const] : [])];

const n = 24;
const depth = 4;
const levels = Array.from({ length: depth }, (_, l) => field(`u${l}`, 'f64'));
const world = layout(...levels.map((u, l) => dense(i, n >> l).place(u)));

const restricted = (fine: Grid1, coarse: Grid1): void => {
  for (const k of range(coarse.length)) coarse[k] = (fine[2 * k] + fine[2 * k + 1]) / 2;
};
const prolonged = (coarse: Grid1, fine: Grid1): void => {
  for (const k of range(fine.length)) fine[k] += coarse[k >> 1];
};

/* Each goes through fields in an array by numbers that loops count. */
const cycle = (...levels: Grid1[]): void => {
  for (let l = 0; l + 1 < levels.length; l++) restricted(levels[l], levels[l + 1]);
  for (let l = levels.length - 1; l > 0; l--) prolonged(levels[l], levels[l - 1]);
};
const fromTheEnd = (...levels: Grid1[]): void => {
  for (let l = 0; l < levels.length - 1; l++) {
    const coarse = levels[levels.length - 1 - l];
    const fine = levels[levels.length - 2 - l];
    for (const k of range(fine.length)) fine[k] = 3 * fine[k] - coarse[k >> 1];
  }
};
const each = (a: Grid1, b: Grid1, c: Grid1, d: Grid1): number => {
  const levels = [a, b, c, d];
  for (const f of levels) for (const k of range(f.length)) f[k] *= 2;
  for (const l of range(depth)) levels[l][1] += l;
  let sum = 0;
  for (const k of range(3)) {
    for (let l = depth - 1; l >= 0; l -= 1) {
      const other = depth - 1 - l;
      if (k === l) continue;
      if (k > 0) levels[l][k] += 1 + l;
      sum += levels[other][k] * (k + 1);
      if (other === 2 && k === 2) break;
    }
  }
  return sum;
};
/* By a number that goes down and up again, and by one beside another. */
const down = (...levels: Grid1[]): number => {
  let l = 0;
  while (l + 1 < levels.length) {
    const [fine, coarse] = [levels[l], levels[l + 1]];
    restricted(fine, coarse);
    l++;
  }
  const smooth = (u: Grid1) => {
    for (const k of range(u.length)) {
      for (let q = 0; q < 5; q++) {
        if (q > k) break;
        u[k] += q;
      }
    }
  };
  const lowest = l;
  while (l > 0) smooth(levels[l--]);
  for (; l < lowest; l++) prolonged(levels[l + 1], levels[l]);
  do {
    l -= 2;
    if (l === 1) for (const k of range(levels[l].length)) levels[l][k] *= 2;
    else smooth(levels[Math.max(l, 0)]);
  } while (l > 0);
  for (let l = levels.length - 1, h = 1; l >= 0; l--, h *= 2) {
    for (const k of range(levels[l].length)) levels[l][k] += h * k;
  }
  return l;
};
const ofEach = (a: Grid1, b: Grid1, c: Grid1, d: Grid1): number => {
  const levels = [a, b, c, d];
  let sum = 0;
  for (const k of range(3)) {
    let l = depth;
    while (--l >= 0) sum += (l + 1) * levels[l][k];
  }
  return sum;
};
const all = { cycle, fromTheEnd, each, down, ofEach };

const options = { scope: { restricted, prolonged, depth } };
const kernels = {
  cycle: kernel(levels, options, cycle),
  fromTheEnd: kernel(levels, options, fromTheEnd),
  each: kernel(levels, options, each as (...levels: Grid1[]) => number),
  down: kernel(levels, options, down),
  ofEach: kernel(levels, options, ofEach as (...levels: Grid1[]) => number),
};

describe.each(backends)('fields in an array that a loop counts through, on %s', (_, backend) => {
  it.each([1, 2])('are those of plain TypeScript, on %d threads', async (threads) => {
    const sim = await program({ layout: world, kernels, backend, threads });
    const fields = levels.map((u) => sim.field(u));
    for (const [name, fn] of Object.entries(all)) {
      const rows = levels.map((_, l) => Array.from({ length: n >> l }, (_, k) => ((k * 37 + l * 11) % 29) / 4));
      rows.forEach((row, l) => row.forEach((x, k) => fields[l].set([k], x)));
      const expected = (fn as (...rows: unknown[]) => unknown)(...rows);
      const got = sim.run[name as keyof typeof all]();
      const held = fields.map((f, l) => Array.from({ length: n >> l }, (_, k) => f.get([k])));
      expect([name, got, held]).toEqual([name, expected, rows]);
    }
  });
});
