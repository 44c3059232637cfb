import type { Ring } from './ring.js';

/** Ordinary double-precision arithmetic. Sums begin with their first term and run in the order given. */
export const numberRing: Ring<Float64Array> = {
  allocate: (n) => new Float64Array(n),
  copy: (out, o, a, i) => {
    out[o] = a[i];
  },
  add: (out, o, a, i, b, j) => {
    out[o] = a[i] + b[j];
  },
  sub: (out, o, a, i, b, j) => {
    out[o] = a[i] - b[j];
  },
  neg: (out, o, a, i) => {
    out[o] = -a[i];
  },
  scale: (out, o, s, a, i) => {
    out[o] = s * a[i];
  },
  dot: (out, o, a, ai, b, bi, n) => {
    let s = n > 0 ? a[ai[0]] * b[bi[0]] : 0;
    for (let t = 1; t < n; t++) s += a[ai[t]] * b[bi[t]];
    out[o] = s;
  },
  sum: (out, o, a, ai, n) => {
    let s = n > 0 ? a[ai[0]] : 0;
    for (let t = 1; t < n; t++) s += a[ai[t]];
    out[o] = s;
  },
};

/** Single-precision arithmetic: every product and every partial sum is rounded to f32, as a scalar f32 kernel does. */
export const float32Ring: Ring<Float32Array> = {
  allocate: (n) => new Float32Array(n),
  copy: (out, o, a, i) => {
    out[o] = a[i];
  },
  add: (out, o, a, i, b, j) => {
    out[o] = a[i] + b[j];
  },
  sub: (out, o, a, i, b, j) => {
    out[o] = a[i] - b[j];
  },
  neg: (out, o, a, i) => {
    out[o] = -a[i];
  },
  scale: (out, o, s, a, i) => {
    out[o] = Math.fround(s) * a[i];
  },
  dot: (out, o, a, ai, b, bi, n) => {
    let s = n > 0 ? Math.fround(a[ai[0]] * b[bi[0]]) : 0;
    for (let t = 1; t < n; t++) s = Math.fround(s + Math.fround(a[ai[t]] * b[bi[t]]));
    out[o] = s;
  },
  sum: (out, o, a, ai, n) => {
    let s = n > 0 ? a[ai[0]] : 0;
    for (let t = 1; t < n; t++) s = Math.fround(s + a[ai[t]]);
    out[o] = s;
  },
};
