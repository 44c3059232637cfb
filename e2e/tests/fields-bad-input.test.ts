import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { cpp } from '@filigree/backend-cpp';
import {
  active,
  append,
  dense,
  DiagnosticError,
  field,
  formatDiagnostic,
  hash,
  i,
  j,
  kernel,
  layout,
  program,
  range,
  vectorField,
  type Diagnostic,
  type Grid1,
  type Grid2,
  type KernelDef,
} from 'filigree';
import { describe, expect, it } from 'vitest';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const smoke = field('smoke', 'f32');
const bubbles = field('bubbles', 'i32');
const seeds = field('seeds', 'f32');
const tree = layout(
  dense(i, 64).pointer({ cells: 8 }).dense(i, 4).place(smoke),
  dense(i, 4).dynamic(j, 3).place(bubbles),
  hash(i, 64, { cells: 6 }).place(seeds),
);

const refusal = async (f: () => unknown): Promise<DiagnosticError> => {
  try {
    await f();
  } catch (e) {
    if (e instanceof DiagnosticError) return e;
    throw e;
  }
  throw new Error('nothing was refused');
};

/** Where a text stands first in this file, as messages name it. */
const placeOf = (text: string): { readonly file: string; readonly line: number } => {
  const line = source.split('\n').findIndex((l) => l.includes(text)) + 1;
  return { file: relative(process.cwd(), import.meta.filename), line };
};
const source = readFileSync(import.meta.filename, 'utf8');

/** Says which field, which kernel and which line, with the text of the line. */
const pointsAt = (d: Diagnostic, field: string, line: string): void => {
  expect(d.message).toContain(`'${field}'`);
  expect(d.loc).toBeDefined();
  expect(d.remedy).toEqual(expect.any(String));
  const shown = formatDiagnostic(d)
    .split('\n')
    .find((text) => text.startsWith('>'));
  /* What runs the tests writes functions in its own way: other spaces, and `(0, module.append)` for what is imported. */
  const plain = shown?.replace(/\(0,\s*\w+\.(\w+)\)/g, '$1').replace(/\s/g, '');
  expect(plain).toContain(line.replace(/\s/g, ''));
};

describe('fields of layouts', () => {
  it('are placed once: the error names the field and is thrown where the layout is made', async () => {
    const error = await refusal(() => layout(dense(i, 4).place(smoke), dense(i, 8).place(smoke)));
    expect(error.diagnostics).toMatchObject([
      { code: 'layout/placed-twice', message: expect.stringContaining("'smoke'") },
    ]);
    expect(error.stack).toContain('fields-bad-input.test.ts');
  });

  it('have names of their own, those of the components of vectors too', async () => {
    const error = await refusal(() =>
      layout(dense(i, 4).place(vectorField('x', 'f32', 2)), dense(i, 8).place(field('x_1', 'f32'))),
    );
    expect(error.diagnostics).toMatchObject([
      { code: 'layout/placed-twice', message: expect.stringContaining("'x_1'") },
    ]);
  });
});

describe.each(backends)('bad input of kernels on %s', (backend) => {
  const make = <K extends Readonly<Record<string, KernelDef>>>(
    kernels: K,
    options: { readonly debug?: boolean } = {},
  ) => program({ layout: tree, kernels, backend, ...options });

  it('a field that is placed nowhere', async () => {
    const lost = field('lost', 'f32');
    const { diagnostics } = await refusal(() =>
      make({
        fill: kernel([lost], (lost: Grid1) => {
          for (const k of range(4)) lost[k] = 1;
        }),
      }),
    );
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code: 'lang/not-placed', loc: placeOf('lost[k] = 1') });
    pointsAt(diagnostics[0], 'lost', 'lost[k] = 1');
    const ofHost = await refusal(() => program({ layout: tree, kernels: {}, fields: { lost }, backend }));
    expect(ofHost.diagnostics).toMatchObject([{ code: 'field/unknown', message: expect.stringContaining("'lost'") }]);
  });

  it('a field of another program, even of the same name', async () => {
    const other = field('smoke', 'f32');
    layout(dense(i, 16).place(other));
    const { diagnostics } = await refusal(() =>
      make({
        copy: kernel([smoke, other], (smoke: Grid1, other: Grid1) => {
          for (const k of range(4)) smoke[k] = other[k];
        }),
      }),
    );
    expect(diagnostics).toMatchObject([{ code: 'lang/not-placed', loc: placeOf('smoke[k] = other[k]') }]);
    pointsAt(diagnostics[0], 'smoke', 'smoke[k] = other[k]');
    const sim = await make({});
    const ofHost = await refusal(() => sim.field(other).get(0));
    expect(ofHost.diagnostics).toMatchObject([{ code: 'field/foreign', message: expect.stringContaining("'smoke'") }]);
    sim.dispose();
  });

  it('an index outside of a field, and of a list: in debug mode a diagnostic, otherwise dropped', async () => {
    const kernels = {
      write: kernel([smoke, 'i32'], (smoke: Grid1, from: number) => {
        for (const k of range(4)) smoke[from + k] = 7;
      }),
      read: kernel([bubbles, 'i32'], (bubbles: Grid2, at: number) => {
        let sum = 0;
        for (const k of range(1)) sum += bubbles[k][at];
        return sum;
      }),
    };
    const debug = await make(kernels, { debug: true });
    for (const [from, index] of [
      [254, 256],
      [-3, -3],
      [2 ** 31 - 4, 2 ** 31 - 4],
    ]) {
      const [d] = (await refusal(() => debug.run.write(from))).diagnostics;
      expect(d).toMatchObject({ code: 'launch/out-of-bounds', loc: placeOf('smoke[from + k] = 7') });
      if (from !== -3) expect(d.message).toContain(`[${index}]`);
      expect(d.remedy).toContain('i from 0 to 255');
      pointsAt(d, 'smoke', 'smoke[from + k] = 7');
    }
    const [d] = (await refusal(() => debug.run.read(3))).diagnostics;
    expect(d).toMatchObject({ code: 'launch/out-of-bounds', loc: placeOf('sum += bubbles[k][at]') });
    pointsAt(d, 'bubbles', 'sum += bubbles[k][at]');
    debug.dispose();

    const release = await make(kernels);
    const status = release.storage.status / 4;
    for (const from of [1 << 20, -(1 << 20), 2 ** 31 - 4, -(2 ** 31)]) release.run.write(from);
    const words = release.instance.buffers[`${release.storage.memory}_i32`] as Int32Array;
    expect(words[status]).toBe(0);
    const written = [...release.fields.smoke.entries()].filter(([, x]) => x !== 0);
    expect(written).toEqual([]);
    expect([...release.fields.bubbles.entries()]).toEqual([]);
    release.dispose();
  });

  it('a list that is full', async () => {
    const sim = await make({
      push: kernel([bubbles, 'i32'], (bubbles: Grid2, n: number) => {
        for (const k of range(n)) append(bubbles[2], k);
      }),
    });
    sim.run.push(3);
    const [d] = (await refusal(() => sim.run.push(5))).diagnostics;
    expect(d).toMatchObject({ code: 'launch/list-full', loc: placeOf('append(bubbles[2], k)') });
    expect(d.message).toContain('dynamic(j: 3)');
    pointsAt(d, 'bubbles', 'append(bubbles[2], k)');
    expect([...sim.fields.bubbles.entries()].map(([, x]) => x).sort()).toEqual([0, 1, 2]);
    sim.dispose();
  });

  it('an append to lists in the loop over their elements', async () => {
    const { diagnostics } = await refusal(() =>
      make({
        split: kernel([bubbles], (bubbles: Grid2) => {
          for (const [c, k] of active(bubbles)) {
            if (bubbles[c][k] > 1) append(bubbles[c], 1);
          }
        }),
      }),
    );
    expect(diagnostics).toMatchObject([{ code: 'lang/list-in-loop', loc: placeOf('append(bubbles[c], 1)') }]);
    pointsAt(diagnostics[0], 'bubbles', 'append(bubbles[c], 1)');
  });

  it('memory that is exhausted in the middle of a kernel: what found room stays, and the program goes on', async () => {
    const sim = await make({
      grow: kernel([smoke, 'i32'], (smoke: Grid1, n: number) => {
        for (const k of range(n)) smoke[4 * k] = k + 1;
      }),
      sow: kernel([seeds, 'i32'], (seeds: Grid1, n: number) => {
        for (const k of range(n)) {
          seeds[-7 * k] += 1;
        }
      }),
    });
    const [grown] = (await refusal(() => sim.run.grow(64))).diagnostics;
    expect(grown).toMatchObject({ code: 'launch/exhausted', loc: placeOf('smoke[4 * k] = k + 1') });
    expect(grown.message).toContain('all 8 cells of dense(i: 64).pointer()');
    pointsAt(grown, 'smoke', 'smoke[4 * k] = k + 1');
    const kept = [...sim.fields.smoke.entries()].filter(([, x]) => x !== 0);
    expect(kept).toHaveLength(8);
    for (const [[at], x] of kept) expect(x).toBe(at / 4 + 1);

    const [sown] = (await refusal(() => sim.run.sow(20))).diagnostics;
    expect(sown).toMatchObject({ code: 'launch/exhausted', loc: placeOf('seeds[-7 * k] += 1') });
    pointsAt(sown, 'seeds', 'seeds[-7 * k] += 1');
    expect([...sim.fields.seeds.entries()]).toHaveLength(6);

    sim.fields.smoke.clear();
    sim.run.grow(8);
    expect([...sim.fields.smoke.entries()].reduce((sum, [, x]) => sum + x, 0)).toBe(36);
    sim.dispose();
  });

  it('what a kernel cannot say', async () => {
    const { diagnostics } = await refusal(() =>
      make({
        careful: kernel([smoke], (smoke: Grid1) => {
          for (const k of range(4)) {
            try {
              smoke[k] = 1;
            } catch {
              smoke[k] = 0;
            }
          }
        }),
        labelled: kernel([smoke], (smoke: Grid1) => {
          for (const k of range(4)) smoke[k] = `${k}`.length;
        }),
      }),
    );
    expect(diagnostics).toMatchObject([
      { code: 'lang/unsupported-syntax', loc: placeOf('            try {') },
      { code: 'lang/unsupported-syntax', loc: placeOf('`${k}`.length') },
    ]);
    for (const d of diagnostics) expect(formatDiagnostic(d)).toMatch(/^>.*(try|length)/m);
  });

  it('names the file and line of a kernel where they are known', async () => {
    const at = { file: 'plume.ts', line: 40, column: 9 };
    const sim = await make({
      grow: kernel([smoke], { at }, (smoke: Grid1) => {
        for (const k of range(64)) smoke[4 * k] = 1;
      }),
    });
    const [d] = (await refusal(() => sim.run.grow())).diagnostics;
    expect(formatDiagnostic(d)).toMatch(/^plume\.ts:41:\d+: error\[launch\/exhausted\]/);
    expect(formatDiagnostic(d)).toContain('> 41 |');
    sim.dispose();
  });
});
