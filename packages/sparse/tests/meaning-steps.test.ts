import { ArenaStore, FieldStore, STATUS, storageOf, type Layout } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, logOf, moduleOf } from './access-model.js';
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
