import { numpy as np, blockUntilReady, defaultDevice, init, jit, type Array as JaxArray } from '@jax-js/jax';
import {
  active,
  dense,
  einsum,
  field,
  i,
  ij,
  kernel,
  layout,
  ndrange,
  program,
  range,
  type Grid1,
  type Grid2,
} from 'filigree';
import { seeded } from '../seeded.js';

/** One way to do the work of a case. */
export interface PageContender {
  readonly name: string;
  readonly run: () => void | Promise<unknown>;
  /** What the last run came to, to be compared with that of the others. */
  readonly result: () => ArrayLike<number> | Promise<ArrayLike<number>>;
}

/** A case: its name, and who does it; the last is the one that is compared with. */
export interface PageCase {
  readonly name: string;
  readonly contenders: () => Promise<readonly PageContender[]>;
}

export const cases = (): readonly PageCase[] => [
  { name: 'Gray–Scott, a step on 512 × 512', contenders: () => grayScott(512) },
  { name: 'a million square roots', contenders: () => roots(1_000_000) },
  { name: 'a product of matrices, 256 × 256', contenders: () => product(256) },
  { name: 'a product of matrices, 512 × 512', contenders: () => product(512) },
];

const FEED = 0.03;
const KILL = 0.062;

const grayScott = async (n: number): Promise<readonly PageContender[]> => {
  const [u, v, un, vn] = ['u', 'v', 'un', 'vn'].map((name) => field(name, 'f32'));
  const args = [u, v, un, vn, 'f32', 'f32'] as const;
  const byBox = kernel([...args], (u: Grid2, v: Grid2, un: Grid2, vn: Grid2, feed: number, kill: number) => {
    for (const [i, j] of ndrange([1, n - 1], [1, n - 1])) {
      const lu = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
      const lv = v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4 * v[i][j];
      const reaction = u[i][j] * v[i][j] * v[i][j];
      un[i][j] = u[i][j] + 0.2 * lu - reaction + feed * (1 - u[i][j]);
      vn[i][j] = v[i][j] + 0.1 * lv + reaction - (feed + kill) * v[i][j];
    }
  });
  const byActive = kernel([...args], (u: Grid2, v: Grid2, un: Grid2, vn: Grid2, feed: number, kill: number) => {
    for (const [i, j] of active(u)) {
      const lu = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
      const lv = v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4 * v[i][j];
      const reaction = u[i][j] * v[i][j] * v[i][j];
      un[i][j] = u[i][j] + 0.2 * lu - reaction + feed * (1 - u[i][j]);
      vn[i][j] = v[i][j] + 0.1 * lv + reaction - (feed + kill) * v[i][j];
    }
  });
  const grid = layout(...[u, v, un, vn].map((f) => dense(ij, n).place(f)));
  const sim = await program({ layout: grid, kernels: { byBox, byActive } });
  const [first, second] = [random(n * n, 1), random(n * n, 2)];
  sim.field(u).fromArray(first);
  sim.field(v).fromArray(second);
  const ours = (name: string, step: (feed: number, kill: number) => void): PageContender => ({
    name,
    run: () => void step(FEED, KILL),
    result: () => inside(sim.field(vn).toArray(), n),
  });

  const shifted = (x: JaxArray, rows: readonly [number, number], columns: readonly [number, number]): JaxArray =>
    x.slice(rows as [number, number], columns as [number, number]);
  const step = jit((u: JaxArray, v: JaxArray) => {
    const around = (x: JaxArray): JaxArray => {
      const middle = shifted(x.ref, [1, n - 1], [1, n - 1]);
      return shifted(x.ref, [0, n - 2], [1, n - 1])
        .add(shifted(x.ref, [2, n], [1, n - 1]))
        .add(shifted(x.ref, [1, n - 1], [0, n - 2]))
        .add(shifted(x, [1, n - 1], [2, n]))
        .sub(middle.mul(4));
    };
    const [lu, lv] = [around(u.ref), around(v.ref)];
    const [a, b] = [shifted(u, [1, n - 1], [1, n - 1]), shifted(v, [1, n - 1], [1, n - 1])];
    const reaction = a.ref.mul(b.ref).mul(b.ref);
    const gone = a.ref.mul(-FEED).add(FEED);
    return [
      a.add(lu.mul(0.2)).sub(reaction.ref).add(gone),
      b.ref
        .add(lv.mul(0.1))
        .add(reaction)
        .sub(b.mul(FEED + KILL)),
    ];
  });
  const [ju, jv] = [np.array(first).reshape([n, n]), np.array(second).reshape([n, n])];
  const held: { out: readonly JaxArray[] } = { out: [] };

  const [plainUn, plainVn] = [new Float32Array(n * n), new Float32Array(n * n)];
  return [
    ours('Filigree, `ndrange`', sim.run.byBox),
    ours('Filigree, `active`', sim.run.byActive),
    {
      name: 'jax-js',
      run: () => {
        for (const x of held.out) x.dispose();
        held.out = step(ju.ref, jv.ref) as unknown as readonly JaxArray[];
        return blockUntilReady(held.out as never);
      },
      result: () => held.out[1]!.ref.data() as Promise<Float32Array>,
    },
    {
      name: 'plain TypeScript',
      run: () => plainStep(first, second, plainUn, plainVn, n),
      result: () => inside(plainVn, n),
    },
  ];
};

const plainStep = (u: Float32Array, v: Float32Array, un: Float32Array, vn: Float32Array, n: number): void => {
  for (let i = 1; i < n - 1; i++)
    for (let k = i * n + 1; k < i * n + n - 1; k++) {
      const lu = u[k - n] + u[k + n] + u[k - 1] + u[k + 1] - 4 * u[k];
      const lv = v[k - n] + v[k + n] + v[k - 1] + v[k + 1] - 4 * v[k];
      const reaction = u[k] * v[k] * v[k];
      un[k] = u[k] + 0.2 * lu - reaction + FEED * (1 - u[k]);
      vn[k] = v[k] + 0.1 * lv + reaction - (FEED + KILL) * v[k];
    }
};

/** The elements that have four neighbours. */
const inside = (values: ArrayLike<number>, n: number): Float32Array =>
  Float32Array.from({ length: (n - 2) ** 2 }, (_, k) => values[(Math.floor(k / (n - 2)) + 1) * n + (k % (n - 2)) + 1]);

const roots = async (n: number): Promise<readonly PageContender[]> => {
  const [x, y] = [field('x', 'f32'), field('y', 'f32')];
  const byRange = kernel([x, y], (x: Grid1, y: Grid1) => {
    for (const i of range(n)) y[i] = Math.sqrt(x[i]);
  });
  const sim = await program({ layout: layout(dense(i, n).place(x), dense(i, n).place(y)), kernels: { byRange } });
  const values = random(n, 3);
  sim.field(x).fromArray(values);
  const sqrt = jit((x: JaxArray) => np.sqrt(x));
  const jx = np.array(values);
  const held: { out?: JaxArray } = {};
  const plain = new Float32Array(n);
  return [
    { name: 'Filigree, `range`', run: () => void sim.run.byRange(), result: () => sim.field(y).toArray() },
    {
      name: 'jax-js',
      run: () => {
        held.out?.dispose();
        held.out = sqrt(jx.ref);
        return held.out.blockUntilReady();
      },
      result: () => held.out!.ref.data() as Promise<Float32Array>,
    },
    {
      name: 'plain TypeScript',
      run: () => {
        for (let k = 0; k < n; k++) plain[k] = Math.sqrt(values[k]);
      },
      result: () => plain,
    },
  ];
};

const product = async (n: number): Promise<readonly PageContender[]> => {
  const [a, b] = [random(n * n, 4), random(n * n, 5)];
  /* The first index of a tensor is the fastest, so this is the product of the transposed. */
  const ours = await einsum('C[ij] = B[ik]*A[kj]', { shapes: { B: [n, n], A: [n, n] }, dtype: 'f32' });
  ours.tensors.A!.set(a);
  ours.tensors.B!.set(b);
  const multiply = jit((a: JaxArray, b: JaxArray) => np.matmul(a, b));
  const [ja, jb] = [np.array(a).reshape([n, n]), np.array(b).reshape([n, n])];
  const held: { out?: JaxArray } = {};
  const plain = new Float32Array(n * n);
  return [
    { name: 'Filigree, `einsum`', run: () => ours.run(), result: () => ours.tensors.C!.get() },
    {
      name: 'jax-js',
      run: () => {
        held.out?.dispose();
        held.out = multiply(ja.ref, jb.ref);
        return held.out.blockUntilReady();
      },
      result: () => held.out!.ref.data() as Promise<Float32Array>,
    },
    { name: 'plain TypeScript', run: () => plainProduct(a, b, plain, n), result: () => plain },
  ];
};

const plainProduct = (a: Float32Array, b: Float32Array, c: Float32Array, n: number): void => {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
};

/** Numbers from 0 to 1, the same for a seed. */
const random = (n: number, seed: number): Float32Array => Float32Array.from({ length: n }, seeded(seed * 2654435761));

/** What jax-js needs before its first array: WebAssembly, on one thread as all here. */
export const prepare = async (): Promise<void> => {
  await init('wasm');
  defaultDevice('wasm');
};
