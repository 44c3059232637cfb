import * as E from 'fp-ts/lib/Either.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { coreDialects, DiagnosticError, type Module } from '@filigree/ir';
import { fieldProgram, type FieldProgram, type QueueOptions } from '@filigree/runtime';
import { fieldPipeline } from '@filigree/runtime/pipeline';
import { fieldDialect, storageOf, type Layout } from '@filigree/sparse/fields';
import { cutKernels } from '@filigree/sparse/tasks';
import { randomLayout, windowOf } from './field-model.js';
import { interpreter } from './interpreter.js';
import { launchesOf, randomKernels } from './random-kernels.js';

const programOf = async (tree: Layout, queue?: QueueOptions): Promise<FieldProgram> => {
  const storage = storageOf(tree, { budget: 2 ** 16 });
  const passes = fieldPipeline(storage, { omit: true });
  const right = <T>(result: E.Either<DiagnosticError['diagnostics'], T>): T => {
    if (E.isLeft(result)) throw new DiagnosticError(result.left);
    return result.right;
  };
  const module = randomKernels(tree);
  const lowered = right(passes.run(module));
  const cut = cutKernels(module, tree, [...coreDialects, fieldDialect(tree)], storage);
  const lower = (part: Pick<Module, 'kernels' | 'buffers'>): Module => right(passes.run({ ...module, ...part }));
  return right(
    await fieldProgram(
      storage,
      lowered,
      launchesOf(lowered),
      { backend: interpreter() },
      queue && { cut, queue, making: () => ({ lower }) },
    )(),
  );
};

const step = fc.record({
  what: fc.constantFrom('set', 'set', 'grow', 'grow', 'grow', 'drop', 'clear', 'append', 'empty', 'bump', 'host'),
  field: fc.constantFrom('u', 'v'),
  at: fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 }),
});

/** What a step did, or the code of why it did not. */
const take = (
  p: FieldProgram,
  tree: Layout,
  { what, field, at }: { what: string; field: string; at: number[] },
): unknown => {
  const { from, to } = windowOf(tree, field);
  const indices = from.map((x, a) => x + (at[a] % (to[a] - x)));
  try {
    if (what === 'host') return p.fields[field].set(indices, 5);
    const launch = p.run[`${what}_${field}`];
    if (!launch) return undefined;
    const { params } = p.instance.given.kernels.find((k) => k.name === `${what}_${field}`)!;
    return launch(...[...indices, 7].slice(0, params.length));
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
};

const contents = (p: FieldProgram): unknown => ['u', 'v'].map((name) => [...p.fields[name].entries()]);

it('the queue does what launches one by one do, on random layouts', async () => {
  const windows = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
  let [launched, tasks] = [0, 0];
  await fc.assert(
    fc.asyncProperty(randomLayout, windows, fc.constantFrom(2, 5, 128), async (tree, all, window) => {
      const [eager, queued] = [await programOf(tree), await programOf(tree, { window })];
      /* The second time what was planned is there. */
      for (let time = 0; time < 3; time++) {
        for (const steps of all) {
          const did = [eager, queued].map((p) => steps.map((s) => take(p, tree, s)));
          /* A failure is thrown later, and what waited behind it is gone. */
          fc.pre(did[0].every((code) => typeof code !== 'string'));
          expect(did[1]).toEqual(did[0]);
          queued.flush();
        }
        await queued.sync({ compiled: true });
        expect(contents(queued)).toEqual(contents(eager));
      }
      const report = queued.queued()!;
      expect(report.warnings).toEqual([]);
      launched += report.launches;
      tasks += report.tasksCompiled;
    }),
    { numRuns: 25 },
  );
  expect(launched).toBeGreaterThan(0);
  expect(tasks).toBeGreaterThan(0);
});
