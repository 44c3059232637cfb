import type { Graph } from '@filigree/ir';
import type { Ring } from '@filigree/sparse/formats';

/** Sparse algebra on symbolic entries: values are node ids of `graph`. */
export const symbolicRing = (graph: Graph): Ring<Int32Array> => ({
  allocate: (n) => new Int32Array(n).fill(graph.constant(0)),
  copy: (out, o, a, i) => {
    out[o] = a[i];
  },
  add: (out, o, a, i, b, j) => {
    out[o] = graph.add(a[i], b[j]);
  },
  sub: (out, o, a, i, b, j) => {
    out[o] = graph.sub(a[i], b[j]);
  },
  neg: (out, o, a, i) => {
    out[o] = graph.neg(a[i]);
  },
  scale: (out, o, s, a, i) => {
    out[o] = graph.mul(graph.constant(s), a[i]);
  },
  dot: (out, o, a, ai, b, bi, n) => {
    out[o] = graph.dot(a, ai, b, bi, n);
  },
  dots: (out, o, a, ai, b, bi, ptr, count) => graph.dots(out, o, a, ai, b, bi, ptr, count),
  sum: (out, o, a, ai, n) => {
    out[o] = graph.sum(gather(a, ai, n), n);
  },
});

const gather = (a: Int32Array, ai: Int32Array, n: number): Int32Array => {
  const out = new Int32Array(n);
  for (let t = 0; t < n; t++) out[t] = a[ai[t]];
  return out;
};
