import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import {
  active,
  backends,
  bitArray,
  dense,
  field,
  hash,
  i,
  idiv,
  int,
  kernel,
  layout,
  program,
  range,
  stored,
} from 'filigree';
import type { Grid1 } from 'filigree';
import { cudaInterleaved, metalInterleaved } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const bits = field('bits', 'i32');
const pairs = field('pairs', 'i32');
const below = field('below', 'i32');
const coarse = field('coarse', 'i32');
const rows = field('rows', 'i32');
const N = 1024;

const shape = () =>
  layout(
    bitArray(i, N, 64).place(stored(bits, int(1, { signed: false }))),
    bitArray(i, N, 32).place(stored(pairs, int(4))),
    hash(i, 256)
      .bitArray(i, 16, 32)
      .place(stored(below, int(2))),
    hash(i, 256).dense(i, 4).place(coarse),
    dense(i, N).place(rows),
  );

const kernels = {
  /* A loop over words, of which one element of another field takes several. */
  gather: kernel([bits, rows], (bits: Grid1, rows: Grid1) => {
    for (const a of active(bits)) rows[idiv(a, 4)] += bits[a] + 1;
  }),
  /* Each element of one iteration, and each word of two tasks. */
  apart: kernel([pairs], (pairs: Grid1) => {
    for (const a of active(pairs)) {
      if (a % 2 === 0) pairs[a] += 1;
      else pairs[a + 8] += 1;
    }
  }),
  fill: kernel([below], (below: Grid1) => {
    for (const p of range(-60, 60)) below[p] = 1;
  }),
  /* Division truncates, so that 0 is of two blocks. */
  signed: kernel([below, coarse], (below: Grid1, coarse: Grid1) => {
    for (const p of active(below)) coarse[idiv(p, 16)] += below[p];
  }),
};

const seed = { seed: 20281 };

const named = (name: string): Backend => backends().find((b) => b.name === name)!;

describe.skipIf(!usable).each<readonly [string, () => Backend]>([
  ['cpp', () => named('cpp')],
  ['wasm', () => named('wasm')],
  ['cuda, threads that take turns at memory', () => cudaInterleaved(seed)],
  ['metal, threads that take turns at memory', () => metalInterleaved(seed)],
])('updates of elements on %s', (_, make) => {
  it('are plain only where no other iteration, and no other lane, sees them', async () => {
    const sim = await program({ layout: shape(), kernels, backend: make(), threads: 2 });
    try {
      sim.run.gather();
      sim.run.apart();
      sim.run.fill();
      sim.run.signed();
      const { rows, pairs, coarse } = sim.fields;
      expect(Array.from({ length: N / 4 }, (_, k) => rows.get([k]))).toEqual(new Array(N / 4).fill(4));
      expect(Array.from({ length: N }, (_, k) => pairs.get([k]))).toEqual(
        Array.from({ length: N }, (_, k) => (k % 2 === 0 || k > 8 ? 1 : 0)),
      );
      expect([-3, -2, -1, 0, 1, 2, 3].map((k) => coarse.get([k]))).toEqual([13, 16, 16, 31, 16, 16, 12]);
    } finally {
      sim.dispose();
    }
  });
});
