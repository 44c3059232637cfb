import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DiagnosticError } from '@filigree/ir';
import { fieldProgram, type FieldProgram } from '@filigree/runtime';
import { fieldPipeline } from '@filigree/runtime/pipeline';
import { storageOf, type Layout } from '@filigree/sparse/fields';
import { allIndices, FieldModel, randomLayout, windowOf } from './field-model.js';
import { interpreter } from './interpreter.js';
import { launchesOf, randomKernels } from './random-kernels.js';

const programOf = async (tree: Layout, optimize: boolean, apart: boolean): Promise<FieldProgram> => {
  const storage = storageOf(tree, { budget: 2 ** 16 });
  const lowered = fieldPipeline(storage, optimize ? {} : { omit: true }).run(randomKernels(tree));
  if (E.isLeft(lowered)) throw new DiagnosticError(lowered.left);
  const made = await fieldProgram(storage, lowered.right, launchesOf(lowered.right), {
    backend: interpreter({ apart }),
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

it.each([
  ['see one memory', false],
  ['agree on a memory that the host does not see', true],
])('kernels and the host %s, on random layouts', async (_, apart) => {
  const step = fc.record({
    what: fc.constantFrom('kernel', 'kernel', 'host', 'deactivate', 'append', 'clear', 'empty', 'reload', 'bump'),
    field: fc.constantFrom('u', 'v'),
    at: fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
    value: fc.integer({ min: -100, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(randomLayout, fc.boolean(), fc.array(step, { maxLength: 40 }), async (tree, optimize, steps) => {
      const program = await programOf(tree, optimize, apart);
      const model = new FieldModel(tree);
      for (const { what, field, at, value } of steps) {
        const f = program.fields[field];
        const { from, to } = windowOf(tree, field);
        const indices = from.map((x, a) => x + (at[a] % (to[a] - x)));
        const list = model.listOf(field);
        if (what === 'kernel') {
          const fits = model.set(field, indices, value);
          expect(codeOf(() => program.run[`set_${field}`](...indices, value))).toBe(fits ? '' : 'launch/exhausted');
        } else if (what === 'host') {
          const fits = model.set(field, indices, value);
          expect(codeOf(() => f.set(indices, value))).toBe(fits ? '' : 'field/exhausted');
        } else if (what === 'append' && program.run[`append_${field}`]) {
          const around = indices.slice(0, tree.fields.get(field)!.axes.indexOf(list.axes[0]));
          const next = model.next(field, around);
          const pointers = list.pointer;
          if (next && !pointers) {
            const fits = model.activate(field, next);
            expect(codeOf(() => program.run[`append_${field}`](...around))).toBe(fits ? '' : 'launch/exhausted');
          } else if (!next) expect(codeOf(() => program.run[`append_${field}`](...around))).toBe('launch/list-full');
        } else if (what === 'deactivate' && model.sparse(field).at(-1)?.kind !== 'dynamic') {
          model.deactivate(field, indices);
          if (value < 0) f.deactivate(indices);
          else program.run[`drop_${field}`](...indices);
        } else if (what === 'clear') {
          model.clear(field);
          if (value < 0) f.clear();
          else program.run[`clear_${field}`]();
        } else if (what === 'empty' && list) {
          const around = indices.slice(0, tree.fields.get(field)!.axes.indexOf(list.axes[0]));
          model.clearList(field, around);
          if (value < 0) f.clear(around);
          else program.run[`empty_${field}`](...around);
        } else if (what === 'bump') {
          const active = model.entries(field, allIndices(windowOf(tree, field)));
          for (const [at, x] of active) model.set(field, at.split(',').map(Number), x + 1);
          expect(program.run[`bump_${field}`]()).toBe(active.size);
        } else if (what === 'reload') program.load(program.save());
        expect(program.run[`get_${field}`](...indices)).toBe(model.get(field, indices));
        expect(f.get(indices)).toBe(model.get(field, indices));
        expect(f.isActive(indices)).toBe(model.isActive(field, indices));
      }
      for (const name of ['u', 'v'])
        expect(new Map([...program.fields[name].entries()].map(([at, value]) => [String(at), value]))).toEqual(
          model.entries(name, allIndices(windowOf(tree, name))),
        );
    }),
    { numRuns: 25 },
  );
});
