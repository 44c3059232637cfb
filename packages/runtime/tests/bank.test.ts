import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import type { Backend } from '@filigree/backend';
import { DiagnosticError, printModule } from '@filigree/ir';
import { active, kernel, type Grid1 } from '@filigree/lang/kernels';
import { fixed } from '@filigree/quant';
import { program, type ProgramOptions, type ScalarHostField } from '@filigree/runtime';
import { bitStruct, dense, field, i, layout, stored, type Format } from '@filigree/sparse/fields';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const usable = async (b: Backend): Promise<boolean> => (await b.probe()).usable;
const backends: readonly (readonly [string, () => Backend])[] = [
  ...((await usable(cpp())) || process.env.CI === 'true' ? [['cpp', () => cpp()] as const] : []),
  ['wasm', () => wasm()],
];

interface Change {
  readonly n?: number;
  readonly factor?: number;
  readonly text?: boolean;
  readonly type?: 'f32' | 'f64';
  readonly ambient?: number;
  readonly helper?: (x: number) => number;
  readonly options?: Partial<ProgramOptions>;
}

const same = (x: number): number => x;

/** A program as a process makes it: all of it anew. */
const made = async (
  cache: string | false,
  backend: Backend,
  { n = 64, factor = 3, text, type = 'f64', ambient = 0, helper = same, options }: Change = {},
) => {
  const x = field('x', type);
  const y = field('y', type, { ambient });
  const scope = { active, factor, helper };
  const step = text
    ? kernel([x, y], { scope }, (x: Grid1, y: Grid1) => {
        for (const p of active(x)) y[p] = helper(factor * x[p]) - 1;
      })
    : kernel([x, y], { scope }, (x: Grid1, y: Grid1) => {
        for (const p of active(x)) y[p] = helper(factor * x[p]) + 1;
      });
  const places = layout(
    dense(i, n / 16)
      .pointer()
      .dense(i, 16)
      .place(x, y),
  );
  const done = await program({ layout: places, kernels: { step }, backend, cache: cache as string, ...options })();
  if (E.isLeft(done)) throw new DiagnosticError(done.left);
  return done.right;
};

/** What the program computes, which tells texts and scopes apart. */
const outcome = async (p: Awaited<ReturnType<typeof made>>): Promise<number> => {
  (p.fields.x as ScalarHostField).set([5], 7);
  p.run.step();
  return Number((p.fields.y as ScalarHostField).get([5]));
};

describe.each(backends)('what is kept of programs on %s', (_, backend) => {
  let cache = '';
  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), 'filigree-bank-'));
    const first = await made(cache, backend());
    expect(first.instance.kept).toBe(false);
    first.dispose();
  });
  afterAll(() => rm(cache, { recursive: true, force: true }));

  it('is found before anything is lowered, computes the same, and shows its code to who asks', async () => {
    const [again, anew] = [await made(cache, backend()), await made(false, backend())];
    expect(again.instance).toMatchObject({ kept: true, keptBy: 'texts' });
    expect(anew.instance.kept).toBe(false);
    expect(await outcome(again)).toBe(22);
    expect(printModule(again.instance.module)).toBe(printModule(anew.instance.module));
    expect(again.instance.sources.files).toEqual(anew.instance.sources.files);
  });

  it.each<readonly [string, Change, number]>([
    ['the text of a kernel', { text: true }, 20],
    ['a value in its scope', { factor: 5 }, 36],
    ['the extents of the layout', { n: 128 }, 22],
    ['the type of fields', { type: 'f32' }, 22],
    ['what inactive elements are', { ambient: 3 }, 22],
    ['a function that is called', { helper: (x: number): number => x - 2 }, 20],
    ['the budget', { options: { budget: 2 ** 20 } }, 22],
    ['fast arithmetic', { options: { fastMath: false } }, 22],
    ['debugging', { options: { debug: true } }, 22],
    ['lanes', { options: { lanes: false } }, 22],
    ['a pass that is left out', { options: { omit: ['licm'] } }, 22],
    ['a part of the lowering', { options: { lowering: { simplify: false } } }, 22],
    ['threads', { options: { threads: 2 } }, 22],
  ])('another for %s', async (_, change, value) => {
    const one = await made(cache, backend(), change);
    expect(one.instance.kept).toBe(false);
    expect(await outcome(one)).toBe(value);
    const two = await made(cache, backend(), change);
    expect(two.instance).toMatchObject({ kept: true, keptBy: change.options?.debug ? 'module' : 'texts' });
    expect(await outcome(two)).toBe(value);
  });

  it('says of kernels what was said when they were read', async () => {
    const racing = async () => {
      const x = field('x', 'f64');
      const step = kernel([x], { scope: { active } }, (x: Grid1) => {
        for (const p of active(x)) x[0] = x[p];
      });
      const made = await program({
        layout: layout(dense(i, 16).place(x)),
        kernels: { step },
        backend: backend(),
        cache,
      })();
      if (E.isLeft(made)) throw new DiagnosticError(made.left);
      return made.right;
    };
    const [first, second] = [await racing(), await racing()];
    expect(second.instance.keptBy).toBe('texts');
    expect(first.warnings.map((w) => w.code)).toEqual(['lang/race']);
    expect(first.warnings[0].loc?.file).toBe('packages/runtime/tests/bank.test.ts');
    expect(second.warnings).toEqual(first.warnings);
  });

  it('is not that of a backend with parts of its own, of watched passes, or of a pipeline of its own', async () => {
    const own = backend();
    const changed: Backend = { ...own, emit: { ...own.emit } };
    const watching: Backend = {
      ...own,
      watch: { before: () => undefined } as unknown as NonNullable<Backend['watch']>,
    };
    for (const b of [changed, watching]) expect((await made(cache, b)).instance.kept).toBe(false);
  });

  it('is not that of a format of somebody else, which may know a number that stands nowhere', async () => {
    /* Codes are tenths, or whatever a step is. */
    const inSteps = (step: number): Format => ({
      name: 'steps',
      attrs: {},
      bits: 16,
      refuses: () => undefined,
      encode: (value) => Math.round(Number(value) / step),
      decode: (code) => Number(code) * step,
      emitEncode: (b, value) => b.cast(b.math('round', b.div(value, b.f64(step))), 'u16'),
      emitDecode: (b, code) => b.mul(b.cast(code, 'f64'), b.f64(step)),
    });
    const [x, y] = [field('x', 'f64'), field('y', 'f64')];
    const copy = kernel([x, y], { scope: { active } }, (x: Grid1, y: Grid1) => {
      for (const p of active(x)) y[p] = x[p];
    });
    for (const queue of [false, true])
      for (const step of [0.5, 0.25, 0.5]) {
        const places = layout(dense(i, 4).place(stored(x, inSteps(step)), y));
        const done = await program({ layout: places, kernels: { copy }, backend: backend(), cache, queue })();
        if (E.isLeft(done)) throw new DiagnosticError(done.left);
        const sim = done.right;
        (sim.fields.x as ScalarHostField).set([1], 7.25);
        sim.run.copy();
        expect((sim.fields.y as ScalarHostField).get([1])).toBe(step === 0.5 ? 7.5 : 7.25);
        expect(sim.instance.kept).toBe(false);
        sim.dispose();
      }
  });

  it('is that of fields in few bits, too, whose axes were declared', async () => {
    const again = async (): Promise<boolean> => {
      const [x, y] = ['x', 'y'].map((name) => field(name, 'f64', { axes: i }));
      const copy = kernel([x, y], { scope: { active } }, (x: Grid1, y: Grid1) => {
        for (const p of active(x)) y[p] = x[p];
      });
      const places = layout(dense(i, 4).place(bitStruct(32, stored(x, fixed(16, 8)), stored(y, fixed(16, 8)))));
      const done = await program({ layout: places, kernels: { copy }, backend: backend(), cache })();
      if (E.isLeft(done)) throw new DiagnosticError(done.left);
      done.right.dispose();
      return done.right.instance.kept;
    };
    expect([await again(), await again()]).toEqual([false, true]);
  });

  it('is made anew where it is broken, with a warning, or has lost its artifact', async () => {
    const entries = await readdir(cache, { recursive: true });
    for (const name of entries.filter((e) => e.endsWith('lowered.json'))) {
      const text = await readFile(join(cache, name), 'utf8');
      await writeFile(join(cache, name), text.replace(/[0-9]/g, '1'));
    }
    const one = await made(cache, backend());
    expect(one.instance.kept).toBe(false);
    expect(one.warnings.map((w) => w.code)).toContain('cache/broken');
    expect(await outcome(one)).toBe(22);
    expect((await made(cache, backend())).instance.kept).toBe(true);

    for (const name of entries.filter((e) => /kernels\.(so|wasm)$/.test(e))) await rm(join(cache, name));
    const two = await made(cache, backend());
    expect(two.instance.kept).toBe(false);
    expect(await outcome(two)).toBe(22);
  });

  it('is not kept where the folder cannot be written, with one warning', async () => {
    const p = await made('/proc/filigree', backend());
    expect(p.instance.kept).toBe(false);
    expect(p.warnings.filter((w) => w.code === 'cache/unwritable')).toHaveLength(1);
    expect(await outcome(p)).toBe(22);
  });
});
