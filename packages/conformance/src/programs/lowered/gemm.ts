import { buildKernel, coreDialects, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { buildGemm, gemmTargets, linalg, lowerGemm } from '@filigree/tensor/linalg';
import type { Program } from '../../program.js';

/** What `tensor` makes of products of small matrices, one for each iteration of a parallel loop. Numbers are whole, so that sums are exact in any order. */
export const gemmPrograms = (): readonly Program[] => [product('f32', 9, 5, 7), product('f64', 8, 4, 6)];

const BATCH = 20;

const product = (type: 'f32' | 'f64', m: number, n: number, k: number): Program => {
  const lengths = { A: m * k, B: k * n, C: m * n };
  const buffers = Object.entries(lengths).map(([name, length]) =>
    declareBuffer(name, type, BATCH * length, name === 'C' ? 'inout' : 'input'),
  );
  const dense = (rows: number) => ({ kind: 'dense' as const, rowStride: 1, columnStride: rows });
  const kernel = buildKernel(
    'multiply',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(BATCH), b.i32(1), { parallel: true }, [], (e) => {
        const matrix = (buffer: keyof typeof lengths) => ({ buffer, at: b.mul(e, b.i32(lengths[buffer])) });
        buildGemm(
          b,
          { type, m, n, k, a: dense(m), b: dense(k), c: dense(m), alpha: 1, beta: 1 },
          { a: matrix('A'), b: matrix('B'), c: matrix('C') },
        );
      }),
    buffers,
    { dialects: [...coreDialects, linalg] },
  );
  const module = orThrow(lowerGemm(gemmTargets.avx2).run(makeModule('product', buffers, [kernel])));
  const numbers = (length: number, from: number) => {
    const values = Array.from({ length }, (_, x) => ((x * 7 + from) % 19) - 9);
    return type === 'f32' ? Float32Array.from(values) : Float64Array.from(values);
  };
  const inputs = Object.fromEntries(buffers.map((b, x) => [b.name, numbers(b.length, x)]));
  return { name: `products of small matrices of ${type}, lowered`, module, inputs };
};
