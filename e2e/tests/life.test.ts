import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpp } from '@filigree/backend-cpp';
import { active, i8, kernel, range } from '@filigree/lang/kernels';
import { int } from '@filigree/quant';
import { bitArray, dense, fields, i, ij, j, layout, stored } from '@filigree/sparse/fields';
import { program } from 'filigree';
import { afterAll, describe, expect, it } from 'vitest';
import { gallery } from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const folder = mkdtempSync(join(tmpdir(), 'life-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const GLIDER = 'x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n';
const patterns = {
  glider: file('glider.rle', GLIDER),
  older: file('older.rle', 'x = 3, y = 3, rule = 23/3\nbob$2bo$3o!\n'),
  newer: file('newer.rle', 'x = 3, y = 3, rule = b3s23\nbob$2bo$3o!\n'),
  pentomino: file('pentomino.rle', '#N R-pentomino\nx = 3, y = 3\nb2o$2o$bo!\n'),
  /* Two gliders, one 16 cells further down and to the right. */
  gliders: file('gliders.mc', '[M2] (ours)\n#R B3/S23\n.*$..*$***$\n4 1 0 0 0\n5 2 0 0 2\n'),
};

const run = (args: Readonly<Record<string, string>>, backend: string, ablate: readonly string[] = []) =>
  gallery['game-of-life'].run({
    args,
    backend,
    dtype: 'f32',
    threads: 2,
    seed: 1,
    bench: false,
    ablate,
    progress: () => undefined,
  });

describe.each(backends)('the Game of Life on %s', (backend) => {
  it.each([
    ['a glider', { pattern: patterns.glider, steps: '101' }, 5],
    ['two gliders of a macrocell file', { pattern: patterns.gliders, steps: '64', storage: 'dense' }, 10],
    ['the R-pentomino when it has settled', { pattern: patterns.pentomino, steps: '1103' }, 116],
    ['a glider whose file writes the rule as older ones do', { pattern: patterns.older, steps: '33' }, 5],
    ['a glider whose file writes the rule as newer ones do', { pattern: patterns.newer, steps: '33' }, 5],
    ['a glider of bytes', { pattern: patterns.glider, steps: '33', quant: 'off' }, 5],
  ] as const)('has as many cells as is known: %s', async (_name, args, population) => {
    const { check, metrics } = await run(args, backend);
    expect(check.passed).toBe(true);
    expect(metrics).toMatchObject({ population, checkedSteps: Number(args.steps), wrong: 0 });
    expect(Number(metrics.linesChanged) / Number(metrics.lines)).toBeLessThanOrEqual(0.03);
  });

  it.each([{}, { rule: 'B36/S125' }, { storage: 'sparse' }])(
    'is that of a plain program for a soup, %o',
    async (args) => {
      const whole = await run({ ...args, steps: '24' }, backend);
      expect(whole.check.passed).toBe(true);
      expect(whole.metrics.bytesPerElement).toBeLessThan(1.1 / 8);
      const scalar = await run({ ...args, steps: '3' }, backend, ['vectorize-bits']);
      expect(scalar.check.passed).toBe(true);
    },
  );

  it('two threads that write elements of one word lose no bit', async () => {
    const n = 4096;
    const { x, y } = fields('i8', i, ['x', 'y']);
    const kernels = {
      fill: kernel([x, y], { scope: { range, n, i8 } }, (x, y) => {
        for (const p of range(n)) {
          x[(p * 5) % n] = i8(p & 1);
          y[(p * 7) % n] += i8(p & 3);
        }
      }),
    };
    const sim = await program({
      layout: layout(
        bitArray(i, n, 64).place(stored(x, int(1, { signed: false }))),
        bitArray(i, n, 32).place(stored(y, int(4))),
      ),
      kernels,
      fields: { x, y },
      backend,
      threads: 2,
    });
    sim.run.fill();
    sim.run.fill();
    const box = { from: [0], to: [n] };
    const [xs, ys] = [new Int8Array(n), new Int8Array(n)];
    for (let p = 0; p < n; p++) {
      xs[(p * 5) % n] = p & 1;
      ys[(p * 7) % n] = 2 * (p & 3);
    }
    expect(sim.fields.x.toArray(box)).toEqual(xs);
    expect(sim.fields.y.toArray(box)).toEqual(ys);
    const saved = sim.save();
    sim.fields.x.fill(1);
    expect(sim.fields.x.toArray(box)).toEqual(new Int8Array(n).fill(1));
    sim.load(saved);
    expect(sim.fields.x.toArray(box)).toEqual(xs);
    expect(() => sim.fields.x.view()).toThrow(/field\/not-dense/);
    sim.dispose();
  });

  it('words of two and four bits compute what numbers do', async () => {
    const [rows, columns] = [24, 128];
    const { a, b, c } = fields('i32', ij, ['a', 'b', 'c']);
    for (const bits of [2, 4]) {
      const formats = [a, b, c].map((f) => stored(f, int(bits)));
      const step = kernel([a, b, c, 'i32'], { scope: { active } }, (a, b, c, limit) => {
        for (const [i, j] of active(a)) {
          const sum = a[i - 1][j] + 3 * b[i][j + 5] - a[i + 2][j - 17];
          if (sum > limit) c[i][j] = sum - b[i][j];
          else if ((sum & 1) === 0) c[i][j] = i + j;
        }
      });
      const given = (f: number, y: number, x: number): number =>
        ((y * 31 + x * 17 + f * 7) % 2 ** bits) - 2 ** (bits - 1);
      const sim = await program({
        layout: layout(dense(i, rows).fork(...formats.map((f) => bitArray(j, columns, 64).place(f)))),
        kernels: { step },
        fields: { a, b, c },
        backend,
        threads: 2,
      });
      const at = (f: number, y: number, x: number): number =>
        y < 0 || y >= rows || x < 0 || x >= columns ? 0 : given(f, y, x);
      const expected: number[] = [];
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < columns; x++) {
          [sim.fields.a, sim.fields.b, sim.fields.c].forEach((f, n) => f.set([y, x], given(n, y, x)));
          const sum = at(0, y - 1, x) + 3 * at(1, y, x + 5) - at(0, y + 2, x - 17);
          const c = sum > 3 ? sum - at(1, y, x) : sum % 2 === 0 ? y + x : at(2, y, x);
          expected.push(Number(BigInt.asIntN(bits, BigInt(c))));
        }
      sim.run.step(3);
      expect([...sim.fields.c.toArray({ from: [0, 0], to: [rows, columns] })]).toEqual(expected);
      sim.dispose();
    }
  });
});

describe('the film', () => {
  it('is a page with a frame for each generation', async () => {
    const { metrics } = await run({ pattern: patterns.glider, steps: '8', out: folder }, 'wasm');
    const page = readFileSync(String(metrics.film), 'utf8');
    expect(page).toContain('<canvas width="5" height="5">');
    expect(page.match(/\[\d+,"[^"]*"\]/g)).toHaveLength(9);
  });
});

describe('patterns and rules that there are not', () => {
  it.each([
    ['no header', 'bob$2bo$3o!', 'life/rle', 'no header'],
    ['no end', 'x = 3, y = 3\nbob$2bo$3o', 'life/rle', "'!' is missing"],
    ['another cell', 'x = 3, y = 3\nbqb!', 'life/rle', "line 2: 'q' is no cell"],
    ['an endless run', 'x = 3, y = 3\n99999999999o!', 'life/rle', 'too long'],
    ['a node that comes later', '[M2]\n4 1 0 0 0\n', 'life/macrocell', "'1' is no node of level 3"],
    ['a line that is no node', '[M2]\nhello\n', 'life/macrocell', 'is no node'],
    ['a leaf of nine rows', '[M2]\n$$$$$$$$*$\n', 'life/macrocell', '8 × 8'],
    ['nothing', '[M2]\n', 'life/macrocell', 'no node'],
    ['a torus', 'x = 3, y = 3, rule = B3/S23:T9,9\n3o!', 'life/rule', "'B3/S23:T9,9' is no rule"],
  ])('%s', async (name, text, code, message) => {
    const pattern = file(`${name.replaceAll(' ', '-')}.rle`, text);
    await expect(run({ pattern }, 'wasm')).rejects.toMatchObject({
      diagnostics: [{ code, message: expect.stringContaining(message) as string }],
    });
  });

  it.each([
    [{ rule: 'S23' }, 'life/rule'],
    [{ rule: 'B03/S23' }, 'life/rule'],
    [{ size: '700' }, 'example/argument'],
  ])('%o', async (args, code) => {
    await expect(run(args, 'wasm')).rejects.toMatchObject({ diagnostics: [{ code }] });
  });
});
