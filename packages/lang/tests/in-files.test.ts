import { codeFrame, type Loc } from '@filigree/ir';
import { filigreeEsbuild } from '@filigree/lang/plugin';
import { build, type BuildOptions } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* A folder as users have: no `"type": "module"`, helpers in a folder of their own, run by tsx, which prints each file in one line. */
const here = fileURLToPath(new URL('.', import.meta.url));
let folder = '';

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true }',
  'helpers/half.ts': `/** Half of it. */
export const half = (x: number): number => x / 2;
export function wrong(x: number): number {
  const y: number = half(x);
  return (y as any).missing;
}
`,
  'kernels.ts': `import { array, kernel, lowerKernel, range } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { half, wrong } from './helpers/half';

const k = 5;
const tree = layout(dense(i, 1).place(field('unused', 'f32')));
const fine = kernel([array('f32', 4)], { scope: { half } }, (o: Float32Array): void => {
  for (const k of range(4)) o[k] = half(k);
});
const bad = kernel([array('f32', 4)], { name: 'bad', scope: { half, wrong } }, (o: Float32Array): void => {
  for (const k of range(4)) {
    o[k] = wrong(k);
  }
});
console.log(lowerKernel(fine, tree)._tag, k);
const made = lowerKernel(bad, tree);
if (made._tag === 'Left') console.log(JSON.stringify(made.left));
`,
  'inner.ts': `import { array, kernel, lowerKernel, range } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';

enum Side { Left = 1, Up = 8 }
const made = lowerKernel(kernel([array('f32', 4)], (o: Float32Array): void => {
  const square = (x: number): number => x * x;
  function same(x: number): number { return x; }
  for (const k of range(4)) {
    const twice = (x: number): number => x * 2;
    o[k] = square(same(twice(k))) + Side.Up + missing;
  }
}), layout(dense(i, 1).place(field('unused', 'f32'))));
if (made._tag === 'Left') console.log(JSON.stringify(made.left));
`,
  'traced.ts': `import { Graph, Sym, DiagnosticError } from '@filigree/ir';
import { symbolic } from '@filigree/lang';
import { half } from './helpers/half';

class Point {
  static unit = half(4);
  constructor(readonly x: number, readonly y: number) {}
  static along(x: number): Point { return new Point(x, Point.unit); }
  get norm(): number { return Math.sqrt(half(this.x) * this.x + this.y * this.y); }
}
const scope = { Point, half };
const length = symbolic((x: number) => Point.along(x).norm, { scope });
console.log(length(2) === Math.sqrt(6));
const graph = new Graph();
const x = new Sym(graph, graph.variable());
console.log(length(x) instanceof Sym);
const branches = (x: number): number => {
  if (x > 0) return half(x);
  return x;
};
try {
  symbolic(branches, { scope })(x);
} catch (e) {
  console.log(JSON.stringify((e as DiagnosticError).diagnostics));
}
`,
  'throws.ts': `import { symbolic, thrownAt } from '@filigree/lang';

interface Row { readonly x: number }
const rows: readonly Row[] = [{ x: 1 }];
const at = ({ k }: { k: number }): number => {
  const each = <T>(given: T, f: (given: T) => number): number => f(given);
  return each({ k }, ({ k }) => {
    return rows[k].x;
  });
};
const run = symbolic(({ k }: { k: number }): number => 2 * at({ k }), { scope: { at, rows } });
try {
  run({ k: 7 });
} catch (e) {
  console.log(JSON.stringify([(e as Error).message, thrownAt(run, e)]));
}
`,
};

beforeAll(() => {
  folder = mkdtempSync(join(here, 'in-files-'));
  mkdirSync(join(folder, 'helpers'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const linesOf = (file: string): readonly string[] =>
  execFileSync(process.execPath, [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), file], {
    encoding: 'utf8',
    cwd: folder,
  })
    .trim()
    .split('\n');

it('helpers of kernels are bound by their imports, and errors in them name file, line, and the call', () => {
  const [fine, diagnostics] = linesOf('kernels.ts');
  expect(fine).toBe('Right 5');
  const [found] = JSON.parse(diagnostics) as readonly Record<string, unknown>[];
  expect(found.loc).toEqual({ file: 'helpers/half.ts', line: 5, column: 21 });
  expect(found.message).toBe(
    "a number has no `missing` in a kernel (`wrong` is called by kernel 'bad' at kernels.ts:12:12)",
  );
  expect(found.frame).toContain('> 5 |   return (y as any).missing;');
});

it('inner functions, whose names the loader keeps, and members of enums, which it writes as numbers, are no hindrance', () => {
  const [found] = JSON.parse(linesOf('inner.ts')[0]) as readonly Record<string, unknown>[];
  expect(found).toMatchObject({ code: 'lang/unbound', loc: { file: 'inner.ts', line: 10, column: 47 } });
});

it('so it is in traced programs, where classes come with what bundlers put into them', () => {
  const [same, symbols, diagnostics] = linesOf('traced.ts');
  expect([same, symbols]).toEqual(['true', 'true']);
  const [found] = JSON.parse(diagnostics) as readonly Record<string, unknown>[];
  expect(found).toMatchObject({ code: 'lang/symbolic-branch', loc: { file: 'traced.ts', line: 18 } });
  expect(found.frame).toContain('> 18 |   if (x > 0) return half(x);');
});

const thrown = (file: string): readonly [message: string, at: { loc: Loc; frame?: string }] =>
  JSON.parse(linesOf(file)[0]) as never;

it('what a traced program throws has its place, also where the loader gave names a number', () => {
  const [message, at] = thrown('throws.ts');
  expect(message).toContain("reading 'x'");
  expect(at.loc).toEqual({ file: 'throws.ts', line: 8, column: 20 });
  expect(at.frame).toContain('> 8 |     return rows[k].x;');
});

const bundled = async (name: string, options: BuildOptions): Promise<string> => {
  const external = ['@filigree/*'];
  await build({
    entryPoints: [join(folder, 'throws.ts')],
    outfile: join(folder, name),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external,
    logLevel: 'silent',
    ...options,
  });
  return name;
};

it.each<readonly [string, BuildOptions, string]>([
  ['a bundle', {}, 'throws-0.mjs'],
  ['a bundle with a source map', { sourcemap: true }, 'throws.ts'],
  ['a bundle with a source map inside', { sourcemap: 'inline' }, 'throws.ts'],
  ['a minified bundle with a source map', { sourcemap: true, minifyWhitespace: true }, 'throws.ts'],
  ['a module of the plugin', { plugins: [filigreeEsbuild()] }, 'throws-4.mjs'],
  ['a module of the plugin with a source map', { sourcemap: true, plugins: [filigreeEsbuild()] }, 'throws.ts'],
  ['one of the plugin with a source map inside', { sourcemap: 'inline', plugins: [filigreeEsbuild()] }, 'throws.ts'],
])('so it has in %s', async (_, options, expected) => {
  const made = await bundled(`throws-${bundles++}.mjs`, options);
  const { loc, frame } = thrown(made)[1];
  expect(loc.file).toBe(expected);
  expect(frame).toMatch(/^> *\d+ \| .*rows\[.*\.x/m);
  if (expected === 'throws.ts') expect(loc.line).toBe(8);
});

let bundles = 0;

it('of a long line the part around the place is shown', () => {
  const frame = codeFrame(`${'a'.repeat(500)}here${'b'.repeat(500)}\nshort`, { file: 'f', line: 1, column: 501 });
  const [line, caret] = frame.split('\n');
  expect(line.length).toBeLessThan(140);
  expect(line.slice(caret.indexOf('^'), caret.indexOf('^') + 4)).toBe('here');
});
