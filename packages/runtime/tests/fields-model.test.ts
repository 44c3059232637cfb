import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { allocateBuffers, DiagnosticError } from '@filigree/ir';
import { hostField, openArena } from '@filigree/runtime';
import { initializeArena, storageOf } from '@filigree/sparse/fields';
import { allIndices, FieldModel, randomLayout, windowOf } from './field-model.js';

interface Step {
  readonly what: string;
  readonly field: string;
  readonly at: readonly number[];
  readonly value: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    'set',
    'set',
    'set',
    'get',
    'activate',
    'deactivate',
    'append',
    'length',
    'clear',
    'empty',
    'fill',
  ),
  field: fc.constantFrom('u', 'v'),
  at: fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
  value: fc.integer({ min: -100, max: 100 }),
});

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

it('fields on random layouts do as maps do', () => {
  fc.assert(
    fc.property(randomLayout, fc.array(step, { maxLength: 40 }), (tree, steps) => {
      const storage = storageOf(tree, { budget: 2 ** 16 });
      const arena = openArena(storage, allocateBuffers(storage.buffers));
      initializeArena(arena.storage, arena.words);
      const model = new FieldModel(tree);
      const host = (name: string) => hostField(arena, tree.fields.get(name)!.field);
      const all = (name: string) => allIndices(windowOf(tree, name));

      for (const { what, field, at, value } of steps) {
        const f = host(field);
        const { from, to } = windowOf(tree, field);
        const indices = from.map((x, a) => x + (at[a] % (to[a] - x)));
        const list = model.listOf(field);
        const axis = list && tree.fields.get(field)!.axes.indexOf(list.axes[0]);
        /* A list of this layout is within cells whose axes come first; of those that elements below it add, none is its own. */
        const around = list ? indices.slice(0, axis) : [];
        const sparse = model.sparse(field);
        if (what === 'set' || what === 'activate') {
          const fits = what === 'set' ? model.set(field, indices, value) : model.activate(field, indices);
          expect(codeOf(() => (what === 'set' ? f.set(indices, value) : f.activate(indices)))).toBe(
            fits ? '' : 'field/exhausted',
          );
        } else if (what === 'deactivate') {
          const expected = sparse.at(-1)?.kind === 'dynamic' ? 'field/in-list' : '';
          if (expected === '') model.deactivate(field, indices);
          expect(codeOf(() => f.deactivate(indices))).toBe(expected);
        } else if (what === 'append') {
          const leaf = tree.nodes[tree.nodes[tree.fields.get(field)!.path.at(-1)!].parent];
          const next = leaf.kind === 'dynamic' ? model.next(field, around) : undefined;
          if (next) {
            const fits = model.set(field, next, value);
            const place: { is?: number } = {};
            expect(codeOf(() => (place.is = f.append(around, value)))).toBe(fits ? '' : 'field/exhausted');
            if (fits) expect(place.is).toBe(next[axis!]);
          } else
            expect(codeOf(() => f.append(around, value))).toBe(
              leaf.kind === 'dynamic' ? 'field/list-full' : 'field/no-list',
            );
        } else if (what === 'length' || what === 'empty') {
          if (!list) expect(codeOf(() => f.length(around))).toBe('field/no-list');
          else {
            expect(f.length(around)).toBe(model.length(field, around));
            if (what === 'empty') model.clearList(field, around);
            if (what === 'empty') f.clear(around);
          }
        } else if (what === 'clear') {
          model.clear(field);
          f.clear();
        } else if (what === 'fill') {
          model.fill(field, value, all(field));
          f.fill(value);
        }
        expect(f.isActive(indices)).toBe(model.isActive(field, indices));
        expect(f.get(indices)).toBe(model.get(field, indices));
      }

      for (const name of ['u', 'v']) {
        const f = host(name);
        const expected = model.entries(name, all(name));
        expect(new Map([...f.entries()].map(([at, value]) => [String(at), value]))).toEqual(expected);
        const active = [...expected.keys()].map((at) => at.split(',').map(Number));
        const bounds = f.bounds();
        if (active.length === 0) expect(bounds).toBeUndefined();
        else
          expect(bounds).toEqual({
            from: f.extents.map((_, a) => Math.min(...active.map((at) => at[a]))),
            to: f.extents.map((_, a) => Math.max(...active.map((at) => at[a])) + 1),
          });
        expect([...f.toArray(windowOf(tree, name))]).toEqual([...all(name)].map((at) => model.get(name, at)));
      }
    }),
    { numRuns: 200 },
  );
});
