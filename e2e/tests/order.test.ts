import { explore, type Protocol, withoutEachFence } from '@filigree/conformance';
import { buildKernel, coreDialects, makeModule, type Module } from '@filigree/ir';
import { ArenaStore } from '@filigree/sparse/meaning';
import { HANDS, fieldDialect, hash, i, layout, field, storageOf } from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

/* Threads that add to one element of a hash table, which none of them finds active and for which there is memory once. */
const u = field('u', 'i32');
const shape = layout(hash(i, 64, { cells: 1 }).place(u));
const storage = storageOf(shape, { budget: 1 << 14 });
const pool = storage.nodes.find((n) => n.pool?.table)!.pool!;
const AT = 5;

const written: Module = makeModule(
  'm',
  [],
  [
    buildKernel(
      'add',
      { at: 'i32' },
      (b, { at }) => void b.op('field.atomic', [b.i32(1), at], { field: 'u', kind: 'add' }),
      [],
      {
        dialects: [...coreDialects, fieldDialect(shape)],
      },
    ),
  ],
);

const protocol = (fences: boolean, hands: number): Protocol => {
  const lowered = lowerFields(storage, { fences, grain: { tasks: 64, least: 1024, most: 16384, hands } }).run(written);
  if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
  return {
    module: lowered.right,
    threads: [AT, AT].map((at) => ({ kernel: 'add', args: [at] })),
    inputs: new ArenaStore(storage).buffers as Readonly<Record<string, ArrayLike<number>>>,
    wrong: (memory) => {
      const word = (byte: number): number => memory('arena_i32', byte / 4);
      const cells = Array.from({ length: pool.table!.size }, (_, k) => word(pool.table!.slots + 4 * k)).filter(
        (n) => n > 0,
      );
      const found = cells.filter((n) => word(pool.coordinates + 4 * pool.axes.length * n) === AT);
      if (word(storage.status) !== 0) return 'memory is said to be exhausted';
      if (found.length !== 1) return `${found.length} cells of the table are at ${AT}, of ${cells.length}`;
      return undefined;
    },
  };
};

describe.each([
  ['each from a lot of its own', HANDS],
  ['all from one lot', 1],
])('cells that threads take %s and publish', (_, hands) => {
  const bounds = { switches: 2, delays: 1 };

  it('are found by others as they are, in every order and with every delay', { timeout: 120_000 }, () => {
    const { runs, wrong } = explore(protocol(true, hands), bounds);
    expect(wrong).toBeUndefined();
    expect(runs).toBeGreaterThan(100);
  });

  it('are not without any one of the fences', { timeout: 120_000 }, () => {
    const mutants = withoutEachFence(protocol(true, hands));
    const said = mutants.map((p) => explore(p, bounds).wrong?.message);
    expect(said).toEqual(
      ['that of the search', 'that of the claim', 'that of who publishes'].map(() => expect.any(String)),
    );
  });
});
