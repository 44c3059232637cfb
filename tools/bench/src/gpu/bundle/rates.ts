import {
  type Builder,
  type Module,
  type ScalarType,
  type Value,
  buildKernel,
  byteSize,
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
  /** What it writes, and what that is after one launch: exact in any type of floats. */
  readonly result: string;
  readonly expected: (k: number) => number;
}

/** The type of what is measured. */
export type Float = 'f32' | 'f64';

/** What is measured, on so many elements. */
export const rates = (elements: number, type: Float = 'f64'): readonly Rate[] => [
  saxpy(elements, type),
  stencil(elements, type),
  spmv(Math.ceil(elements / ROW), type),
];

const saxpy = (n: number, type: Float): Rate =>
  rate(
    'saxpy',
    3 * byteSize(type) * n,
    { x: [type, n], y: [type, n] },
    {
      fill: (b, i) => {
        b.store('x', small(b, i, type), i);
        b.store('y', b.constant(1, type), i);
      },
      run: (b, i) => b.store('y', b.add(b.mul(b.constant(0.5, type), b.load('x', i)), b.load('y', i)), i),
      expected: (k) => 0.5 * (k % PERIOD) + 1,
    },
  );

const stencil = (n: number, type: Float): Rate =>
  rate(
    'stencil',
    2 * byteSize(type) * n,
    { x: [type, n + 2], y: [type, n] },
    {
      fill: (b, i) => b.store('x', small(b, i, type), i),
      run: (b, i) => {
        const at = (k: number): Value => b.load('x', b.add(i, b.i32(k)));
        b.store('y', b.sub(b.add(at(0), at(2)), b.mul(b.constant(2, type), at(1))), i);
      },
      expected: (k) => {
        const at = (j: number): number => (j < n ? j % PERIOD : 0);
        return at(k) - 2 * at(k + 1) + at(k + 2);
      },
    },
  );

/* A band, as the rows of a mesh are whose numbering is good. */
const spmv = (rows: number, type: Float): Rate =>
  rate(
    'spmv',
    (ROW * (byteSize(type) + 4) + 2 * byteSize(type)) * rows,
    { x: [type, rows], y: [type, rows], a: [type, ROW * rows], column: ['i32', ROW * rows] },
    {
      fill: (b, i, n) => {
        b.store('x', small(b, i, type), i);
        b.for(b.i32(0), b.i32(ROW), b.i32(1), {}, [], (k) => {
          const at = b.add(b.mul(k, n), i);
          b.store('column', b.rem(b.add(i, k), n), at);
          b.store('a', b.constant(0.125, type), at);
        });
      },
      run: (b, i, n) => {
        const [sum] = b.for(b.i32(0), b.i32(ROW), b.i32(1), {}, [b.constant(0, type)], (k, [s]) => {
          const at = b.add(b.mul(k, n), i);
          return b.add(s, b.mul(b.load('a', at), b.load('x', b.load('column', at))));
        });
        b.store('y', sum, i);
      },
      expected: (k) => {
        let sum = 0;
        for (let j = 0; j < ROW; j++) sum += 0.125 * (((k + j) % rows) % PERIOD);
        return sum;
      },
    },
  );

/* Entries of a row, which lie behind those of the rows before in the same place. */
const ROW = 8;

interface Bodies extends Pick<Rate, 'expected'> {
  readonly fill: (b: Builder, i: Value, n: Value) => unknown;
  readonly run: (b: Builder, i: Value, n: Value) => unknown;
}

const rate = (
  name: string,
  bytes: number,
  arrays: Readonly<Record<string, readonly [ScalarType, number]>>,
  { fill, run, expected }: Bodies,
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
  return { name, module, fill: 'fill', kernel: name, elements: arrays.y[1], bytes, result: 'y', expected };
};

/* Numbers of which sums are exact. */
const small = (b: Builder, i: Value, type: Float): Value => b.cast(b.rem(i, b.i32(PERIOD)), type);

const PERIOD = 97;
