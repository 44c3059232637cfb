import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  DiagnosticError,
  makeModule,
  pipeline,
  type Kernel,
  type Module,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { fieldProgram, type FieldProgram, type Launchable } from '@filigree/runtime';
import { fieldDialect, lowerAccess, lowerSNodes, storageOf, type Layout } from '@filigree/sparse';
import { allIndices, FieldModel, randomLayout, windowOf } from './field-model.js';
import { interpreter } from './interpreter.js';

/** Kernels that write, read and activate one element of each field, and append to the list that holds it. */
const kernelsOf = (tree: Layout): Module => {
  const dialects = [...coreDialects, fieldDialect(tree)];
  const buffers = [...tree.fields.values()].map(({ field }) =>
    declareBuffer(`get_${field.name}_result`, field.type, 1, 'output'),
  );
  const kernels = [...tree.fields.values()].flatMap(({ field: { name, type }, axes, path }) => {
    const params = Object.fromEntries(axes.map((a) => [`x${a}`, 'i32' as const]));
    const at = (p: Readonly<Record<string, Value>>): Value[] => axes.map((a) => p[`x${a}`]);
    const list = tree.nodes[tree.nodes[path.at(-1)!].parent];
    return [
      buildKernel(
        `set_${name}`,
        { ...params, value: type },
        (b, p) => void b.op('field.store', [(p as never)['value'], ...at(p as never)], { field: name }),
        buffers,
        { dialects },
      ),
      buildKernel(
        `get_${name}`,
        params,
        (b, p) => b.store(`get_${name}_result`, b.value('field.load', at(p), { field: name }), b.i32(0)),
        buffers,
        { dialects },
      ),
      ...(list.kind === 'dynamic'
        ? [
            buildKernel(
              `append_${name}`,
              Object.fromEntries(axes.filter((a) => !list.axes.includes(a)).map((a) => [`x${a}`, 'i32' as const])),
              (b, p) =>
                void b.op(
                  'field.append',
                  axes.filter((a) => !list.axes.includes(a)).map((a) => p[`x${a}`]),
                  { node: list.id },
                ),
              buffers,
              { dialects },
            ),
          ]
        : []),
    ];
  });
  return makeModule('random', buffers, kernels);
};

/* All parameters are scalars. */
const launchable = (module: Module, kernel: Kernel): Launchable => {
  const result = module.buffers.find((b) => b.name === `${kernel.name}_result`);
  return {
    kernel,
    signature: {
      launch: kernel.params.map((p) => ({ is: 'scalar', name: p.hint!, type: p.type as ScalarType })),
      result: result && { type: result.type, buffer: result.name },
      seed: false,
    },
  };
};

const programOf = async (tree: Layout): Promise<FieldProgram> => {
  const storage = storageOf(tree, { budget: 2 ** 16 });
  const lowered = pipeline([lowerAccess(storage), lowerSNodes(storage)]).run(kernelsOf(tree));
  if (E.isLeft(lowered)) throw new DiagnosticError(lowered.left);
  const launches = Object.fromEntries(lowered.right.kernels.map((k) => [k.name, [launchable(lowered.right, k)]]));
  const made = await fieldProgram(storage, lowered.right, launches, { backend: interpreter() })();
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

it('kernels and the host see one memory, on random layouts', async () => {
  const step = fc.record({
    what: fc.constantFrom('kernel', 'kernel', 'host', 'deactivate', 'append', 'clear', 'reload'),
    field: fc.constantFrom('u', 'v'),
    at: fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
    value: fc.integer({ min: -100, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(randomLayout, fc.array(step, { maxLength: 40 }), async (tree, steps) => {
      const program = await programOf(tree);
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
        } else if (
          what === 'deactivate' &&
          model.sparse(field).length > 0 &&
          model.sparse(field).at(-1)!.kind !== 'dynamic'
        ) {
          model.deactivate(field, indices);
          f.deactivate(indices);
        } else if (what === 'clear' && model.sparse(field).length > 0) {
          model.clear(field);
          f.clear();
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
    { numRuns: 100 },
  );
});
