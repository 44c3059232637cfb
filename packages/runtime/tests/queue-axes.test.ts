import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { kernel, ndrange, range, type Grid2, type Grid3 } from '@filigree/lang/kernels';
import { program, type Kernels } from '@filigree/runtime';
import { dense, field, ij, ijk, layout, type Axes, type FieldDecl } from '@filigree/sparse/fields';

const N = 12;

const [x, y, z] = (['x', 'y', 'z'] as const).map((name) => field(name, 'f64'));
const scope = { N };

const on2 = (a: FieldDecl, b: FieldDecl, run: (a: Grid2, b: Grid2) => void) => kernel([a, b], { scope }, run);
const on3 = (a: FieldDecl, b: FieldDecl, run: (a: Grid3, b: Grid3) => void) => kernel([a, b], { scope }, run);

/** Two kernels each, and how many tasks they are. */
const pairs: readonly (readonly [what: string, axes: Axes, tasks: number, kernels: Kernels])[] = [
  [
    'the inside of a plane, without its edges',
    ij,
    1,
    {
      first: on2(x, y, (x, y) => {
        for (const [i, j] of ndrange([1, N - 1], [1, N - 1])) y[i][j] = x[i - 1][j] + x[i + 1][j];
      }),
      then: on2(y, z, (y, z) => {
        for (const [i, j] of ndrange([1, N - 1], [1, N - 1])) z[i][j] = y[i][j] * 0.3 + z[i][j];
      }),
    },
  ],
  [
    'rows, with stencils along them',
    ij,
    1,
    {
      first: on2(x, y, (x, y) => {
        for (const i of range(1, N - 1)) for (const j of range(1, N - 1)) y[i][j] = x[i][j] * 1.7;
      }),
      then: on2(y, z, (y, z) => {
        for (const i of range(1, N - 1)) for (const j of range(1, N - 1)) z[i][j] = y[i][j - 1] + y[i][j + 1];
      }),
    },
  ],
  [
    'rows, with stencils across them, which stay two',
    ij,
    2,
    {
      first: on2(x, y, (x, y) => {
        for (const i of range(1, N - 1)) for (const j of range(1, N - 1)) y[i][j] = x[i][j] * 1.7;
      }),
      then: on2(y, z, (y, z) => {
        for (const i of range(1, N - 1)) for (const j of range(1, N - 1)) z[i][j] = y[i - 1][j] + y[i + 1][j];
      }),
    },
  ],
  [
    'every other element of a box',
    ijk,
    1,
    {
      first: on3(x, y, (x, y) => {
        for (const i of range(N / 2)) for (const [j, k] of ndrange(N, N)) y[2 * i][j][k] = x[2 * i + 1][j][k];
      }),
      then: on3(y, z, (y, z) => {
        for (const i of range(N / 2)) for (const [j, k] of ndrange(N, N)) z[i][j][k] = y[2 * i][j][k] * 0.7;
      }),
    },
  ],
  [
    'halves, which two iterations have in common and which stay two',
    ij,
    2,
    {
      first: on2(x, y, (x, y) => {
        for (const [i, j] of ndrange(N, N)) y[i][j] = x[i][j] * 1.7;
      }),
      then: on2(y, z, (y, z) => {
        for (const i of range(N / 2)) for (const j of range(N)) z[i][j] = y[2 * i + 1][j];
      }),
    },
  ],
];

it.each(pairs)('loops over %s', async (_, axes, tasks, kernels) => {
  const make = async (queue: boolean) => {
    const made = await program({
      layout: layout(dense(axes, N).place(x, y, z)),
      kernels,
      fields: { x, z },
      backend: wasm(),
      fastMath: false,
      queue: queue && { workers: 0 },
    })();
    if (E.isLeft(made)) throw new DiagnosticError(made.left);
    const { fields } = made.right;
    const cells = N ** axes.length;
    for (let k = 0; k < cells; k++)
      fields.x.set(axes === ij ? [Math.floor(k / N), k % N] : [Math.floor(k / N / N), Math.floor(k / N) % N, k % N], k);
    return made.right;
  };
  const [eager, queued] = [await make(false), await make(true)];
  for (let time = 0; time < 3; time++) {
    const before = queued.queued()!.tasksLaunched;
    for (const p of [eager, queued]) for (const name of Object.keys(kernels)) p.run[name]();
    await queued.sync({ compiled: true });
    if (time > 0) expect(queued.queued()!.tasksLaunched - before).toBe(tasks);
    expect([...queued.fields.z.entries()]).toEqual([...eager.fields.z.entries()]);
  }
  expect(queued.queued()!.warnings).toEqual([]);
});
