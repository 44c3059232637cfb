import { codeFrame } from '@filigree/ir';
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

it('of a long line the part around the place is shown', () => {
  const frame = codeFrame(`${'a'.repeat(500)}here${'b'.repeat(500)}\nshort`, { file: 'f', line: 1, column: 501 });
  const [line, caret] = frame.split('\n');
  expect(line.length).toBeLessThan(140);
  expect(line.slice(caret.indexOf('^'), caret.indexOf('^') + 4)).toBe('here');
});
