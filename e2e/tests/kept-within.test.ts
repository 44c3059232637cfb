import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { array, dense, field, i, kernel, layout, program, range, type Grid1 } from 'filigree';
import { describe, expect, it } from 'vitest';

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = [['wasm', wasm()] as const, ...(hasCompiler ? [['cpp', cpp()] as const] : [])];

const n = 41;
const b = field('b', 'u8');
const s = field('s', 'i16');
const t = field('t', 'i8');
const shown = layout(dense(i, n).place(b, s, t));

const clamp8 = (v: number): number => {
  if (v < 0) return 0;
  if (v > 255) return 255;
  return v;
};
const saturate = (x: number): number => {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  return x;
};
const clamp01 = (x: number): number => Math.min(1, Math.max(0, x));

/* Each stores into fields of few bits what is kept within ends before, without a cast. */
const byStatements = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, _: Float64Array) => {
  for (const p of range(n)) {
    let v = 3 * k[p] - 7;
    if (v > 255) v = 255;
    if (v < 0) v = 0;
    b[p] = v;
    let w = 40 * k[p];
    if (w > 32767) w = 32767;
    else if (w < -32768) w = -32768;
    s[p] = w;
    const u = k[p];
    if (u < -128) t[p] = -128;
    else if (u > 127) t[p] = 127;
    else t[p] = u;
  }
};
const byFunctions = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, x: Float64Array) => {
  const half = (v: number) => {
    if (v > 120) v = 120;
    else if (v < -100) v = -100;
    return v >> 1;
  };
  for (const p of range(n)) {
    b[p] = clamp8(2 * k[p]);
    s[p] = 128 * clamp8(Math.round(x[p])) - clamp8(k[p]);
    t[p] = half(k[p]);
  }
};
const ofFloats = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, x: Float64Array) => {
  for (const p of range(n)) {
    const v = x[p] / 100;
    b[p] = k[p] % 2 ? Math.round(255 * clamp01(v)) : Math.floor(256 * Math.min(0.999, Math.max(0, v)));
    s[p] = k[p] % 3 ? (saturate(v) * 32767) | 0 : ~~(300 * Math.sin(v)) - Math.trunc(saturate(v) ** 0.45 * 255);
    let f = x[p];
    if (f > 127) f = 127;
    if (f < -128) f = -128;
    t[p] = Math.floor(f);
  }
};
const inLoops = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, x: Float64Array) => {
  for (const p of range(n)) {
    /* How long a point takes to leave a circle. */
    let steps = 0;
    let z = x[p] / 200;
    while (steps < 255 && z * z < 4) {
      z = z * z + 0.26;
      steps++;
    }
    b[p] = steps;
    /* A sum that stays at an end. */
    let heat = 0;
    for (let q = 0; q < 9; q++) {
      heat += k[(p + q) % n];
      if (heat > 1000) heat = 1000;
      if (heat < -1000) heat = -1000;
    }
    s[p] = heat;
    let least = 0;
    for (let q = 1; q < n; q++) if (k[q] < k[least]) least = q;
    for (let q = 0; ; q++) {
      if (q >= n || k[q] > 2 * k[p]) break;
      least = q;
    }
    t[p] = least;
  }
};
const where = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, x: Float64Array) => {
  for (const p of range(n)) {
    const v = k[p];
    const r = Math.round(x[p]);
    if (v >= 0 && v < 256) b[p] = v;
    if (!(v < -300 || v > 400)) s[p] = 3 * v;
    if (r < -128) continue;
    if (r <= 127) t[p] = r;
  }
};
/* The least number of each type, which has no negative there, is among them. */
const turned = (b: Grid1, s: Grid1, t: Grid1, k: Int32Array, _: Float64Array) => {
  for (const p of range(n)) {
    t[p] = Math.max(-128, Math.min(127, k[p]));
    s[p] = -32768 + 255 * (t[p] + 128);
    if (k[p] % 3 === 0) t[p] = -t[p];
    else if (p % 2) t[p] = t[p] * -1;
    else t[p] = Math.clz32(t[p]);
    if (k[p] % 2) s[p] = -s[p];
    b[p] = Math.clz32(k[p]);
  }
};
const options = { float: 'f64', scope: { n, clamp8, saturate, clamp01 } } as const;
const args = [b, s, t, array('i32', n), array('f64', n)] as const;
const all = { byStatements, byFunctions, ofFloats, inLoops, where, turned };

/* Ends, what is beside them, what is no number, and others. */
const integers = Int32Array.from({ length: n }, (_, p) =>
  p < 12 ? [0, 1, -1, 255, 256, 127, 128, -128, -129, 87, 88, 1000][p] : ((p * 7919) % 1300) - 650,
);
const floats = Float64Array.from({ length: n }, (_, p) =>
  p < 14
    ? [0, -0.4, 0.5, 99.9, 100, 100.1, NaN, Infinity, -Infinity, 127.9, -128.9, 255.5, 1e10, -1e10][p]
    : ((p * 104729) % 4001) / 10 - 200,
);

const kernels = {
  byStatements: kernel(args, options, byStatements),
  byFunctions: kernel(args, options, byFunctions),
  ofFloats: kernel(args, options, ofFloats),
  inLoops: kernel(args, options, inLoops),
  where: kernel(args, options, where),
  turned: kernel(args, options, turned),
};

describe.each(backends)('numbers that are kept within ends, on %s', (_, backend) => {
  it.each([1, 2])('are stored without a cast, as in plain TypeScript, on %d threads', async (threads) => {
    const sim = await program({ layout: shown, kernels, backend, threads });
    const { b, s, t } = sim.fields;
    for (const [name, fn] of Object.entries(all)) {
      const expected = [new Uint8Array(n), new Int16Array(n), new Int8Array(n)] as const;
      fn(...(expected as unknown as [Grid1, Grid1, Grid1]), integers, floats);
      for (let p = 0; p < n; p++) for (const of of [b, s, t]) of.set([p], 0);
      sim.run[name as keyof typeof all](integers, floats);
      const got = [b, s, t].map((of) => Array.from({ length: n }, (_, p) => of.get([p])));
      expect([name, ...got]).toEqual([name, ...expected.map((of) => [...of])]);
    }
  });
});
