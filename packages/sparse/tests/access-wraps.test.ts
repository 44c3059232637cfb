import { ArenaStore } from '@filigree/sparse/meaning';
import { dense, field, i, layout, storageOf } from '@filigree/sparse/fields';
import { simplifyAccess, lowerAccess } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { after, moduleFrom } from './access-text.js';
import { contentsOf, runInArena, runOnFields, stages } from './field-meaning.js';

const a = field('a', 'i32');
const b = field('b', 'i32');

/** `b[j] = a[(j + by) % extent] + …` for j from `from` to `to`. */
const kernelOf = (
  from: number,
  to: number,
  terms: readonly { readonly by: number; readonly extent: number }[],
): string => `
  kernel @k() {
    %from = arith.constant {value = ${from}} : i32
    %to = arith.constant {value = ${to}} : i32
    %one = arith.constant {value = 1} : i32
    ${terms.map(({ by, extent }, n) => `%by${n} = arith.constant {value = ${by}} : i32\n%extent${n} = arith.constant {value = ${extent}} : i32`).join('\n')}
    scf.for %from, %to, %one {
    ^(%j: i32):
      %sum0 = field.load %j {field = "a"} : i32
      ${terms
        .map(
          (_, n) => `%s${n} = arith.add %j, %by${n} : i32
      %r${n} = arith.rem %s${n}, %extent${n} : i32
      %x${n} = field.load %r${n} {field = "a"} : i32
      %sum${n + 1} = arith.sub %x${n}, %sum${n} : i32`,
        )
        .join('\n')}
      field.store %sum${terms.length}, %j {field = "b"}
      scf.yield
    }
    scf.yield
  }`;

describe('loops whose indices go round', () => {
  it('are split where they do, and find neighbours side by side in between', () => {
    const ring = layout(dense(i, 64).place(a, b));
    const text = after(ring, kernelOf(0, 64, [{ by: 1, extent: 64 }, { by: 63, extent: 64 }]), (s) => [lowerAccess(s), simplifyAccess(s)]); // prettier-ignore
    expect(text.match(/scf\.for .*/g)).toEqual(['scf.for 0, 1, 1 {', 'scf.for 1, 63, 1 {', 'scf.for 63, 64, 1 {']);
    expect(text).not.toMatch(/arith\.rem|snode\.clamp/);
  });

  it('do the same when they are split', () => {
    const term = fc.record({ by: fc.integer({ min: 0, max: 150 }), extent: fc.integer({ min: 2, max: 80 }) });
    const loop = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 30, max: 80 }));
    fc.assert(
      fc.property(loop, fc.array(term, { minLength: 1, maxLength: 3 }), fc.boolean(), ([from, to], terms, whole) => {
        const shape = layout(whole ? dense(i, 80).place(a, b) : dense(i, 10).dense(i, 8).place(a, b));
        const storage = storageOf(shape, { budget: 1 << 12 });
        const module = moduleFrom(storage, kernelOf(from, to, terms));
        const fill = (store: FieldStore | ArenaStore): void => {
          for (let k = 0; k < 80; k++) store.store('a', [k], (37 * k * k) % 101);
        };
        const maps = new FieldStore(shape);
        fill(maps);
        runOnFields({ ...module, buffers: [] }, maps, {}, 'k', []);
        for (const [step, stage] of stages(module, storage, ['lower-access', 'split-loops', 'resolve-digits']).slice(
          2,
        )) {
          const store = new ArenaStore(storage);
          fill(store);
          runInArena(stage, store, {}, 'k', []);
          expect(contentsOf(shape, store), step).toEqual(contentsOf(shape, maps));
        }
      }),
      { numRuns: 20 },
    );
  });
});
