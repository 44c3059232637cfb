import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { active, dense, field, i, idiv, kernel, layout, program, range, sum, type Grid1 } from 'filigree';
import { metalInPairsOnCpu, type Order } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const [dense1, blocks] = [field('dense1', 'f32'), field('blocks', 'f32')];
const COUNT = 20_000;
const BLOCK = 64;

/* Every third block is there; squares of these have up to 30 bits, and their sums more than a single's 24. */
const value = (k: number): number => ((k * 7919) % 32_749) - 9000;

const kernels = {
  begin: kernel([dense1, blocks], { scope: { COUNT, BLOCK } }, (dense1: Grid1, blocks: Grid1) => {
    for (const k of range(COUNT)) {
      const x = ((k * 7919) % 32749) - 9000;
      dense1[k] = x;
      if (idiv(k, BLOCK) % 3 === 0) blocks[k] = x;
    }
  }),
  ofAll: kernel([dense1], (dense1: Grid1) => sum(active(dense1), (k) => dense1[k] * dense1[k])),
  ofBlocks: kernel([blocks], (blocks: Grid1) => sum(active(blocks), (k) => blocks[k])),
  ofSome: kernel(['i32', dense1], (n: number, dense1: Grid1) => sum(range(n), (k) => dense1[k])),
};

describe.skipIf(!usable).each<Order>(['forward', 'backward', { seed: 20269 }])(
  'sum() in singles on Metal, %j',
  (order) => {
    it('is what doubles add up, of plain loops and of sparse blocks', async () => {
      const sim = await program({
        layout: layout(
          dense(i, COUNT).place(dense1),
          dense(i, Math.ceil(COUNT / BLOCK))
            .pointer()
            .dense(i, BLOCK)
            .place(blocks),
        ),
        kernels,
        backend: metalInPairsOnCpu(order),
      });
      try {
        sim.run.begin();
        const all = Array.from({ length: COUNT }, (_, k) => value(k));
        const total = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0);
        expect(sim.run.ofAll()).toBe(total(all.map((x) => Math.fround(x * x))));
        expect(sim.run.ofBlocks()).toBe(total(all.filter((_, k) => Math.floor(k / BLOCK) % 3 === 0)));
        for (const n of [0, 1, 257, COUNT]) expect(sim.run.ofSome(n)).toBe(total(all.slice(0, n)));
      } finally {
        sim.dispose();
      }
    });
  },
);
