import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@filigree/lang';
import { transformSync } from 'esbuild';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** The texts that the build plugin keeps of the kernels of a module that was printed anew, from what its author wrote. */
const kept = (
  source: string,
  minified: boolean,
  original = source,
): readonly (readonly [text: string, sure: boolean])[] => {
  const { code, map } = transformSync(source, { loader: 'ts', minifyWhitespace: minified, sourcemap: 'external' });
  const result = transform(code, 'kernels.ts', { original: { map, text: original } });
  return [...result!.code.matchAll(/, ("(?:[^"\\\n]|\\.)*"), \{ [^\n]*?\}, (true|false), /g)].map(
    ([, text, sure]) => [JSON.parse(text) as string, sure === 'true'] as const,
  );
};

describe('numerals of a function that was printed anew', () => {
  const numeral = fc.constantFrom('1.0', '1', '1000', '1e3', '2.5', '0x10', '1_000', '5.', '1e9', '3n');
  const body = fc.array(fc.tuple(numeral, fc.constantFrom('+', '*', '-'), numeral), { minLength: 1, maxLength: 12 });
  const written = body.map((lines) =>
    [
      '(u: Grid2, dt: number): void => {',
      ...lines.map(([a, op, b], k) => `  const x${k}: number = ${a} ${op} f<Vec<3>>(${b}, u) /* 7 */; // 8.0`),
      '}',
    ].join('\n'),
  );

  it('are those of the source', () =>
    fc.assert(
      fc.property(written, written, (text, other) => {
        fc.pre(text !== other);
        const source = `import { kernel } from '@filigree/lang';\nexport const h = kernel([], ${other})\nexport const g = kernel([], ${text})\n`;
        const numerals = (code: string): readonly string[] =>
          [...code.replace(/\/\*.*?\*\/|\/\/.*|x\d+|Grid2|Vec<3>/g, '').matchAll(/\d[\w.]*/g)].map(([n]) => n);
        for (const minified of [false, true]) {
          const [first, second] = kept(source, minified);
          expect([first[1], second[1]]).toEqual([true, true]);
          expect(numerals(first[0])).toEqual(numerals(other));
          expect(numerals(second[0])).toEqual(numerals(text));
        }
      }),
      { numRuns: 60 },
    ));

  it('are those of each of several functions that stand in one line', () => {
    const texts = ['300', '300.0', '300', '3e2'].map((n) => `(x) => { for (const p of range(4)) x[p] = u8(${n}); }`);
    const source = `import { kernel } from '@filigree/lang';\nexport const of = [${texts.map((t) => `kernel([x], ${t})`).join(', ')}];\n`;
    for (const minified of [false, true])
      expect(kept(source, minified).map(([text, sure]) => [/u8\((.*?)\)/.exec(text)![1], sure])).toEqual([
        ['300', true],
        ['300.0', true],
        ['300', true],
        ['3e2', true],
      ]);
  });

  it('are those of a function whose parameters have types longer than what it does', () => {
    const types = [
      'VecGrid1<3>',
      'MatGrid1<3, 3>',
      'Vec<3>',
      'Mat<3, 3>',
      'MatGrid2<2, 2>',
      'VecGrid2<2>',
      'Mat<2, 2>',
    ];
    const parameters = types.map((type, k) => `${'abcdefg'[k]}: ${type}`).join(', ');
    const source = `import { kernel } from '@filigree/lang';\nexport const k = kernel([], (${parameters}) => { for (const p of range(4)) a[p] = c.mul(u8(300.0)); });\n`;
    for (const minified of [false, true])
      expect(kept(source, minified)[0]).toEqual([expect.stringContaining('300.0'), true]);
  });

  it('are those of the source beside members of enums and `undefined`, which are printed as numbers', () => {
    const source = `import { kernel } from '@filigree/lang';
      enum Side { Left = 1, Up = 8 }
      const enum Other { P = 3 }
      export const g = kernel([], (u: Grid1, o: { k?: number }) => {
        let n = 100000.0 * Side.Up - Other.P;
        if (o.k === undefined) n = n * 2.0 + Side['Left'] / 4.0;
        u[Other.P] = Side.Up;
      });`;
    for (const minified of [false, true]) {
      const [[text, sure]] = kept(source, minified);
      expect(sure).toBe(true);
      expect(text.replace(/\/\*.*?\*\//g, '').match(/\d[\d.]*/g)).toEqual(
        ['100000.0', '8', '3', '0', '2.0', '1', '4.0', '3', '8'], // the 0 is that of void 0
      );
    }
  });

  it('are left as they are where the source says something else', () => {
    const source = (body: string): string =>
      `import { kernel } from '@filigree/lang';\nexport const g = kernel([], ${body});\n`;
    const body = '(u, k) => { u[k] = 1 + k; u[k + 1] = 1e3 * u[k]; }';
    const other = '(v: Grid2, dt: number) => { for (const i of range(4)) v[i] = dt * 2.0; }';
    const [[text, sure]] = kept(source(body), true, source(other));
    expect([text.includes('1e3'), sure]).toEqual([true, false]);
  });
});

/** What a module prints that is run as tsx loads it. */
const printedBy = (source: string): string => {
  const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), 'written-'));
  try {
    const file = join(folder, 'kernels.ts');
    writeFileSync(file, source);
    return execFileSync(process.execPath, [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), file], {
      encoding: 'utf8',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

it('kernels that tsx loads have the numerals of their file, and its names of what they are given', () => {
  const text = printedBy(`import { array, kernel, lowerKernel, range } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { printKernel } from '@filigree/ir';

const o = 4;
const double = kernel([array('f32', o)], (o: Float32Array): void => {
  for (const k of range(4)) {
    let s: number = 1.0;
    let t: number = 1000;
    s = s * 2;
    t = t * 2;
    o[k] = s + t;
  }
});
const made = lowerKernel(double, layout(dense(i, 1).place(field('unused', 'f32'))));
if (made._tag === 'Left') throw new Error('refused');
console.log(printKernel(made.right.kernel));
`);
  expect(text).toMatch(/1(\.0)?\b.*f32/);
  expect(text).toMatch(/1000\b.*i32/);
  expect(text).toContain('%o_length');
});

it('names of a scope are those of its author where tsx numbers what is called as something around it', () => {
  const text = printedBy(`import { kernel, kernelKey, lowerKernel, range, symbolic, type Grid1 } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { printKernel } from '@filigree/ir';

const [n, n2, by] = [8, 9, 10];
const u = field('u', 'f64');
const fill = (n: number, n2: number) =>
  kernel([u], { scope: { n, n2 } }, (u: Grid1) => {
    for (const i of range(n)) u[i] = 100 * n2 + n;
  });
const on = layout(dense(i, n).place(u));
const made = lowerKernel(fill(5, 7), on);
if (made._tag === 'Left') throw new Error('refused');
console.log(printKernel(made.right.kernel).includes('705'));
console.log(new Set([fill(5, 7), fill(5, 7), fill(6, 7), fill(5, 6)].map((k) => kernelKey(k, on)!.text)).size);
const times = (by: number) => symbolic((x: number): number => x * by, { scope: { by } });
console.log(times(3)(2));
const lost = (by: number) => kernel([u], (u: Grid1) => {
  for (const i of range(4)) u[i] = by;
});
const refused = lowerKernel(lost(3), on);
console.log(refused._tag === 'Left' && refused.left[0].message, refused._tag === 'Left' && refused.left[0].remedy);
const product = kernel([u], (u: Grid1): number => {
  let by = 1;
  for (const i of range(4)) by *= u[i];
  return by;
});
const written = lowerKernel(product, on);
console.log(written._tag === 'Left' && written.left[0].message);
`);
  expect(text.split('\n').slice(0, 3)).toEqual(['true', '3', '6']);
  expect(text.split('\n')[3]).toMatch(/^`by` is neither .* scope: \{ by \}/);
  expect(text.split('\n')[4]).toMatch(/^`by` lives outside/);
});
