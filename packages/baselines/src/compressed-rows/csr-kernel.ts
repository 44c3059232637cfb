import { buildKernel, constBuffer, declareBuffer, makeModule, type Module } from '@filigree/ir';
import type { CsrPattern } from '@filigree/sparse/formats';

/** y = A·x over compressed rows, Figure 1a of the paper as kernel IR: what is measured against where no C++ is at hand. */
export const csrKernel = (pattern: CsrPattern, dtype: 'f32' | 'f64'): Module => {
  const buffers = [
    constBuffer('pos', 'i32', pattern.rowPtr),
    constBuffer('cols', 'i32', pattern.colIdx),
    declareBuffer('A', dtype, pattern.colIdx.length, 'input'),
    declareBuffer('x', dtype, pattern.cols, 'input'),
    declareBuffer('y', dtype, pattern.rows, 'output'),
  ];
  const kernel = buildKernel(
    'csr',
    {},
    (b) => {
      const [zero, one] = [b.i32(0), b.i32(1)];
      b.for(zero, b.i32(pattern.rows), one, { parallel: true }, [], (i) => {
        const [first, end] = [b.load('pos', i), b.load('pos', b.add(i, one))];
        const [sum] = b.for(first, end, one, {}, [b.constant(0, dtype)], (j, [s]) => [
          b.add(s, b.mul(b.load('A', j), b.load('x', b.load('cols', j)))),
        ]);
        b.store('y', sum, i);
      });
    },
    buffers,
  );
  return makeModule('csr', buffers, [kernel]);
};
