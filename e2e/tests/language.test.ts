import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  active,
  append,
  dense,
  field,
  hostGrid,
  i,
  i32,
  ij,
  isActive,
  j,
  kernel,
  layout,
  length,
  ndrange,
  program,
  range,
  serially,
  sparseGrid,
  unrolled,
  vec,
  vectorField,
  type Grid1,
  type Grid2,
  type KernelDef,
  type VecGrid1,
} from 'filigree';
import { describe, expect, it } from 'vitest';

const n = 16;
const base = [1, 2, 3];
const a = field('a', 'f64');
const b = field('b', 'f64');
const c = field('c', 'i32');
const small = field('small', 'u8');
const short = field('short', 'i16');
const x = vectorField('x', 'f64', 2);
const w = field('w', 'f64');
const bits = field('bits', 'f64');
const list = field('list', 'i32');

const place = layout(
  dense(i, n).place(a, b, c, small, short, x),
  dense(ij, 4).pointer().dense(ij, 4).place(w),
  dense(ij, 16).bitmasked().place(bits),
  dense(i, n).dynamic(j, 8).place(list),
);

/** The same fields as grids of the host. */
const grids = () => ({
  a: hostGrid([n], (p) => p * 0.5 - 3),
  b: hostGrid([n], (p) => ((p * 7) % 5) - 2),
  c: hostGrid([n], (p) => ((p * 11) % 9) - 4),
  small: hostGrid([n], (p) => p),
  short: hostGrid([n], (p) => -p),
  x: hostGrid([n], (p) => vec(p, 1 - p)),
  w: sparseGrid([n, n], 0, { cells: [4] }),
  bits: sparseGrid([n, n], 0, { cells: [1] }),
  list: sparseGrid([n, { most: 8 }], 0, { cells: [1] }),
});
type Grids = ReturnType<typeof grids>;

/** What is active before each kernel. */
const start = ({ w, bits, list }: Grids): void => {
  for (const [p, q] of [
    [1, 2],
    [5, 6],
    [13, 0],
    [2, 14],
  ]) {
    w[p][q] = p + q / 16;
    bits[q][p] = p * q + 1;
  }
  for (const p of range(n)) for (const k of range(p % 4)) append(list[p], 10 * p + k);
};

/* eslint-disable prefer-const -- constructs that people write */
const kernels = {
  components: kernel([x], (x: VecGrid1<2>) => {
    for (const p of active(x)) {
      x[p].y += 4;
      let v = vec(x[p]);
      v.x = v.y * 2;
      v.yx = v.xy;
      x[p] = v.xx.add(v.yx);
    }
  }),
  conditions: kernel([a, c], (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      if (c[p] % 2) a[p] += 1;
      else if (!c[p]) a[p] = c[p] || a[p] > 0 ? 7 : 9;
      switch (c[p] & 3) {
        case 0:
          a[p] += 10;
          break;
        case 1:
          a[p] += 100;
          break;
        default:
          a[p] += 1000;
      }
    }
  }),
  narrow: kernel([c, small, short], { scope: { n } }, (c: Grid1, small: Grid1, short: Grid1) => {
    for (const p of range(n)) {
      small[p] = c[p] > 0 ? 1 : 200;
      short[p] = p;
    }
  }),
  swappedElements: kernel([a], (a: Grid1) => {
    for (const p of range(8)) [a[2 * p], a[2 * p + 1]] = [a[2 * p + 1], a[2 * p]];
  }),
  swappedFields: kernel([a, b], { scope: { n } }, (a: Grid1, b: Grid1) => {
    for (const _ of unrolled(range(3))) {
      for (const p of range(1, n - 1)) b[p] = a[p - 1] + 2 * a[p + 1];
      [a, b] = [b, a];
    }
    let last = b;
    last = a;
    for (const p of range(n)) last[p] += 1;
  }),
  activeInOrder: kernel([w, bits, c], (w: Grid2, bits: Grid2, c: Grid1) => {
    let before = 1;
    for (const [p, q] of serially(active(w))) {
      w[p][q] += before * 0.5;
      before = p + q / 16;
    }
    for (const [p, q] of serially(active(bits))) {
      if (p === 2) continue;
      bits[p][q] *= before;
      before += 1;
      if (p > 12) break;
    }
    c[0] = i32(before);
  }),
  activeWithin: kernel([a, w, bits], (a: Grid1, w: Grid2, bits: Grid2) => {
    for (const p of active(a)) {
      for (const [q, r] of active(w)) a[p] += w[q][r] * (p - q);
      for (const [q, r] of active(bits)) if (isActive(w, q, r)) a[p] += bits[q][r] * r;
    }
  }),
  listsWithin: kernel([c, list], (c: Grid1, list: Grid2) => {
    for (const p of active(c)) for (const [q, k] of active(list)) c[p] += list[q][k] * (k + 1) + length(list[q]);
  }),
  mapped: kernel([a], { scope: { base } }, (a: Grid1) => {
    const weights = base.map((v) => v / 2);
    for (const p of active(a)) {
      const terms = weights.map((v, k) => v * a[p] + k);
      a[p] = terms.reduce((s, t) => s * 2 + t) + weights.reduce((s, v) => s + v, 0.5);
      [1, p].forEach((v) => {
        a[p] += v;
      });
    }
  }),
  functions: kernel([a], { float: 'f64' }, (a: Grid1) => {
    for (const p of active(a)) a[p] = Math.asinh(a[p]) + Math.acosh(p + 1) + Math.atanh(p / 20) + Math.fround(a[p] / 3);
  }),
} as const;
/* eslint-enable prefer-const */

const fieldsOf = { a, b, c, small, short, x, w, bits, list };

describe.each([
  ['cpp', cpp(), 1],
  ['cpp', cpp(), 2],
  ['wasm', wasm(), 1],
  ['wasm', wasm(), 2],
] as const)('what kernels say, on %s with threads', (_, backend, threads) => {
  it(`means the same on ${threads} as in plain TypeScript`, { timeout: 120_000 }, async () => {
    const sim = await program({ layout: place, kernels, fields: fieldsOf, backend, threads });
    for (const [name, def] of Object.entries(kernels) as unknown as readonly [keyof typeof kernels, KernelDef][]) {
      const host = grids();
      start(host);
      for (const f of [sim.fields.w, sim.fields.bits]) f.clear();
      for (const at of ['w', 'bits'] as const)
        for (const [p, q] of active(host[at])) sim.fields[at].set([p, q], host[at][p][q]);
      for (const p of range(n)) {
        sim.fields.list.clear([p]);
        for (const k of range(length(host.list[p]))) sim.fields.list.append([p], host.list[p][k]);
      }
      for (const at of ['a', 'b', 'c', 'small', 'short'] as const)
        for (const p of range(n)) sim.fields[at].set([p], host[at][p]);
      for (const p of range(n)) sim.fields.x.set([p], [host.x[p].x, host.x[p].y]);
      const names = def.args.map((arg) => (arg as { name: keyof Grids }).name);
      (def.fn as (...args: unknown[]) => unknown)(...names.map((of) => host[of]));
      (sim.run[name] as () => number)();
      for (const at of ['a', 'b', 'c', 'small', 'short'] as const)
        for (const p of range(n)) expect(sim.fields[at].get([p]), `${name}: ${at}[${p}]`).toBeCloseTo(host[at][p], 9);
      for (const p of range(n)) expect(sim.fields.x.get([p])).toEqual([host.x[p].x, host.x[p].y]);
      for (const at of ['w', 'bits'] as const)
        for (const [p, q] of ndrange(n, n)) expect(sim.fields[at].get([p, q]), `${name}: ${at}`).toBe(host[at][p][q]);
    }
    sim.dispose();
  });
});
