/** What is replayed: every entry of the gallery and every command that emits sources, at sizes that take a second or two. */
export interface Cases {
  /** Gallery entries with their arguments; each is emitted for every backend, unless it says for which, and so are all others, at their small sizes. */
  readonly examples: readonly Example[];
  /** Commands of the command line without `--emit` and `--backend`. */
  readonly commands: readonly (readonly string[])[];
}

/** A gallery entry at a size. */
export interface Example {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly dtype?: 'f32' | 'f64';
  readonly ablate?: readonly string[];
  readonly threads?: number;
  /** The backend that it is emitted for, where another case of the entry shows what the other makes of it. */
  readonly on?: 'cpp' | 'wasm';
}

const MATRIX = 'e2e/cmake/stiffness.mtx';

export const cases: Cases = {
  examples: [
    { name: 'start', args: { mesh: 'e2e/data/spot.obj' } },
    { name: 'numeric-0', args: { n: '200' } },
    { name: 'numeric-1', args: { n: '200' } },
    { name: 'numeric-2', args: { n: '200' } },
    { name: 'power', args: { k: '2', n: '100' } },
    { name: 'power', args: { k: '3', n: '100' }, dtype: 'f32' },
    { name: 'power', args: { k: '4', n: '64' }, on: 'wasm' },
    { name: 'lmlt-plus-k', args: { n: '100' } },
    {
      name: 'lmlt-plus-k',
      args: { n: '64' },
      ablate: ['blocks', 'simplify', 'coherence', 'narrow', 'roll'],
      on: 'wasm',
    },
    { name: 'cotan', args: { n: '100' } },
    { name: 'dual-laplacian', args: { n: '27' } },
    { name: 'arap', args: { n: '36' } },
    { name: 'cloth-hessian', args: { n: '36', mode: 'hand' } },
    { name: 'cloth-hessian', args: { n: '36', blocks: 'tagged' }, dtype: 'f32', on: 'cpp' },
    { name: 'mpm2d', args: { size: '32', steps: '2' }, dtype: 'f32' },
    { name: 'mpm2d', args: { size: '32', steps: '2', layout: 'hash' }, dtype: 'f32', threads: 2, on: 'cpp' },
    { name: 'mpm2d', args: { size: '32', steps: '2', layout: 'vdb' }, dtype: 'f32', on: 'wasm' },
    { name: 'mpm3d', args: { size: '16', steps: '1' }, dtype: 'f32' },
    { name: 'mpm3d', args: { size: '16', steps: '1', layout: 'bitmasked' }, dtype: 'f64', on: 'cpp' },
    { name: 'fem', args: { size: '16', steps: '20' }, dtype: 'f32' },
    { name: 'mgpcg', args: { size: '16' }, dtype: 'f32' },
    { name: 'sparse-cnn', args: { size: '32' }, dtype: 'f32' },
    { name: 'path-tracer', args: { size: '32', cells: '16', steps: '2' }, dtype: 'f32' },
    { name: 'structures', args: { size: '64' }, dtype: 'f32' },
    /* Dozens of programs that differ by the formats of their fields. */
    { name: 'quant-search', args: { size: '8', steps: '1' }, dtype: 'f32', on: 'cpp' },
    { name: 'seissol', args: { order: '3', size: '1' } },
    { name: 'seissol', args: { order: '3', size: '1', fused: '4' }, dtype: 'f32', on: 'cpp' },
    { name: 'lina', args: { dim: '2', order: '4', size: '4' } },
    { name: 'lina', args: { dim: '3', order: '3', size: '3' }, dtype: 'f32', on: 'wasm' },
  ],
  commands: [
    ['trace', MATRIX],
    ['trace', MATRIX, '--order', 'best', '--max-dims', '3'],
    ['regions', 'gemm', '--bind', `A=${MATRIX}`, '--bind', `B=${MATRIX}`],
    ['regions', 'trisolve', '--bind', `A=${MATRIX}`],
    ['regions', 'jacobi2d', '--bind', `A=${MATRIX}`],
    ['expr', "A'*A + A", '--bind', `A=${MATRIX}`],
    ['einsum', 'Q[kp] += dt*K[kl]*I[lq]*A[qp]', '--shape', 'I=20,9', '--shape', 'k=20', '--shape', 'p=9'],
  ],
};
