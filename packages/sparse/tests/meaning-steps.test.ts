import { ArenaStore } from '@filigree/sparse/meaning';
import { dense, field, ij, layout, STATUS, storageOf, type Layout } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, logOf, moduleOf } from './access-model.js';
import { moduleFrom } from './access-text.js';
import { contentsOf, ownBuffers, runInArena, runOnFields, stages, statusOf } from './field-meaning.js';

/** Few enough elements to look at each, many times. */
const small = ({ fields }: Layout): boolean =>
  [...fields.values()].every((f) => f.extents.reduce((n, extent) => n * extent, 1) <= 2048);

describe('the interpreter gives the same after every pass on fields', () => {
  it('on random layouts and programs', () => {
    fc.assert(
      fc.property(cases(), ({ shape, program, args }) => {
        fc.pre(small(shape));
        const storage = storageOf(shape, { budget: 1 << 16 });
        const module = moduleOf(shape, program);
        const maps = new FieldStore(shape);
        const log = ownBuffers(module);
        runOnFields(module, maps, log, 'main', args);
        const wanted = { contents: contentsOf(shape, maps), log: logOf(log), status: statusOf(maps) };
        for (const [step, stage] of stages(module, storage)) {
          const store = new ArenaStore(storage);
          const buffers = ownBuffers(stage);
          runInArena(stage, store, buffers, 'main', args);
          /* Maps have room for everything. */
          fc.pre(store.status !== STATUS.exhausted);
          const got = { contents: contentsOf(shape, store), log: logOf(buffers), status: store.status };
          expect(got, step).toEqual(wanted);
        }
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});

it('the number of an element outside of a Z-order curve is found in the end, though nobody uses it', () => {
  const shape = layout(dense(ij, 8).morton().place(field('u', 'i32')));
  const storage = storageOf(shape);
  const module = moduleFrom(
    storage,
    `
  kernel @k() {
    %outside = arith.constant {value = -1} : i32
    %inside = arith.constant {value = 7} : i32
    %number = snode.linearize %outside, %inside {node = "up.u"} : i32
    %value = arith.constant {value = 3} : i32
    field.store %value, %inside, %inside {field = "u"}
    scf.yield
  }`,
  );
  const store = new ArenaStore(storage);
  runInArena(module, store, {}, 'k', []);
  expect(store.load('u', [7, 7])).toBe(3);
});
