import {
  type Builder,
  type Module,
  type ScalarType,
  type Value,
  buildKernel,
  declareBuffer,
  makeModule,
} from '@filigree/ir';

/** A kernel that waits for memory, and what it moves. */
export interface Rate {
  readonly name: string;
  readonly module: Module;
  /** Fills the inputs, on the device. */
  readonly fill: string;
  /** The kernel that is measured; like `fill` it takes the number of results. */
  readonly kernel: string;
  readonly elements: number;
  /** Bytes that it must read and write, each element once. */
  readonly bytes: number;
  /** What it writes. */
  readonly result: string;
}

/** What is measured, on so many elements. */
export const rates = (elements: number): readonly Rate[] => [
  saxpy(elements),
  stencil(elements),
  spmv(Math.ceil(elements / ROW)),
];

const saxpy = (n: number): Rate =>
  rate(
    'saxpy',
    3 * 8 * n,
    { x: ['f64', n], y: ['f64', n] },
    {
      fill: (b, i) => {
        b.store('x', small(b, i), i);
        b.store('y', b.f64(1), i);
      },
      run: (b, i) => b.store('y', b.add(b.mul(b.f64(0.5), b.load('x', i)), b.load('y', i)), i),
    },
  );

const stencil = (n: number): Rate =>
  rate(
    'stencil',
    2 * 8 * n,
    { x: ['f64', n + 2], y: ['f64', n] },
    {
      fill: (b, i) => b.store('x', small(b, i), i),
      run: (b, i) => {
        const at = (k: number): Value => b.load('x', b.add(i, b.i32(k)));
        b.store('y', b.sub(b.add(at(0), at(2)), b.mul(b.f64(2), at(1))), i);
      },
    },
  );

/* A band, as the rows of a mesh are whose numbering is good. */
const spmv = (rows: number): Rate =>
  rate(
    'spmv',
    (ROW * (8 + 4) + 2 * 8) * rows,
    { x: ['f64', rows], y: ['f64', rows], a: ['f64', ROW * rows], column: ['i32', ROW * rows] },
    {
      fill: (b, i, n) => {
        b.store('x', small(b, i), i);
        b.for(b.i32(0), b.i32(ROW), b.i32(1), {}, [], (k) => {
          const at = b.add(b.mul(k, n), i);
          b.store('column', b.rem(b.add(i, k), n), at);
          b.store('a', b.f64(0.125), at);
        });
      },
      run: (b, i, n) => {
        const [sum] = b.for(b.i32(0), b.i32(ROW), b.i32(1), {}, [b.f64(0)], (k, [s]) => {
          const at = b.add(b.mul(k, n), i);
          return b.add(s, b.mul(b.load('a', at), b.load('x', b.load('column', at))));
        });
        b.store('y', sum, i);
      },
    },
  );

/* Entries of a row, which lie behind those of the rows before in the same place. */
const ROW = 8;

interface Bodies {
  readonly fill: (b: Builder, i: Value, n: Value) => unknown;
  readonly run: (b: Builder, i: Value, n: Value) => unknown;
}

const rate = (
  name: string,
  bytes: number,
  arrays: Readonly<Record<string, readonly [ScalarType, number]>>,
  { fill, run }: Bodies,
): Rate => {
  const buffers = Object.entries(arrays).map(([array, [type, length]]) => declareBuffer(array, type, length, 'inout'));
  const kernel = (called: string, body: Bodies['run']) =>
    buildKernel(
      called,
      { n: 'i32' },
      (b, { n }) => void b.for(b.i32(0), n, b.i32(1), { parallel: true }, [], (i) => void body(b, i, n)),
      buffers,
    );
  const module = makeModule(name, buffers, [kernel('fill', fill), kernel(name, run)]);
  return { name, module, fill: 'fill', kernel: name, elements: arrays.y[1], bytes, result: 'y' };
};

/* Numbers of which sums are exact. */
const small = (b: Builder, i: Value): Value => b.cast(b.rem(i, b.i32(97)), 'f64');
