import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whyForbidden } from '../floors-rule.mjs';
import { floors } from '../floors.mjs';

let root = '';

/** A workspace of four packages, each with its package.json, and of one tool. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'filigree-floors-'));
  const offers = { '.': {}, './package.json': './package.json' };
  write('package.json', { devDependencies: { vitest: '1' } });
  write('packages/ir/package.json', { exports: offers, peerDependencies: { 'fp-ts': '2' } });
  write('packages/opt/package.json', {
    exports: offers,
    dependencies: { '@filigree/ir': '1', '@filigree/sparse': '1' },
  });
  write('packages/sparse/package.json', {
    exports: { ...offers, './formats': {}, './trace': {} },
    dependencies: { '@filigree/ir': '1' },
  });
  write('packages/backend-wasm/package.json', { exports: offers, dependencies: { '@filigree/ir': '1' } });
  write('packages/runtime/package.json', {
    exports: offers,
    imports: { '#platform': './src/node.ts' },
    dependencies: { '@filigree/ir': '1', '@filigree/sparse': '1' },
  });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(value));
};

/** What the rule says of one import in a file of that workspace. */
const complaint = (file: string, specifier: string): string | undefined =>
  whyForbidden(root, join(root, file), specifier);

test('a lower floor may not import a higher one', () => {
  expect(complaint('packages/opt/src/index.ts', '@filigree/sparse')).toContain(
    "'@filigree/opt' may not import '@filigree/sparse'",
  );
});

test('an import that the table allows passes', () => {
  expect(complaint('packages/opt/src/index.ts', '@filigree/ir')).toBeUndefined();
});

test('an allowed package that package.json does not name is flagged', () => {
  expect(complaint('packages/runtime/src/a.ts', '@filigree/opt')).toContain('not among the dependencies');
  expect(complaint('packages/ir/src/a.ts', 'lodash')).toContain('not among the dependencies');
  expect(complaint('packages/ir/src/a.ts', 'fp-ts/lib/Either.js')).toBeUndefined();
});

test('names that a package gives its own files are those of its package.json', () => {
  expect(complaint('packages/runtime/src/a.ts', '#platform')).toBeUndefined();
  expect(complaint('packages/runtime/src/a.ts', '#elsewhere')).toContain('not among the imports');
  expect(complaint('packages/ir/src/a.ts', '#platform')).toBeDefined();
});

test('development dependencies are for tests only', () => {
  expect(complaint('packages/ir/src/a.ts', 'vitest')).toBeDefined();
  expect(complaint('packages/ir/tests/a.test.ts', 'vitest')).toBeUndefined();
});

test('relative imports do not cross package borders', () => {
  const expected = "Import '@filigree/ir' by its name";
  expect(complaint('packages/opt/src/a.ts', '../../ir/src/index.js')).toContain(expected);
  expect(complaint('packages/opt/tests/a.test.ts', '../../ir/src/index.js')).toContain(expected);
  expect(complaint('tools/bench/src/a.ts', '../../../packages/ir/src/index.js')).toContain(expected);
  expect(complaint('e2e/src/a.ts', '../../packages/ir/dist/index.js')).toContain(expected);
  expect(complaint('packages/opt/src/a.ts', './fold/b.js')).toBeUndefined();
  expect(complaint('e2e/tests/a.test.ts', '../../packages/ir/tests/support.js')).toBeUndefined();
  expect(complaint('packages/opt/src/a.ts', '../../../tools/lib/run.mjs')).toBeDefined();
});

test('nobody reaches past what a package exports', () => {
  const reaches = 'reaches into the package';
  expect(complaint('packages/opt/src/a.ts', '@filigree/ir/src/kernel/op.js')).toContain(reaches);
  expect(complaint('packages/opt/tests/a.test.ts', '@filigree/ir/dist/index.js')).toContain(reaches);
  expect(complaint('tools/x/a.ts', '@filigree/ir/dist/index.js')).toContain(reaches);
  expect(complaint('packages/runtime/src/a.ts', '@filigree/sparse/formats')).toBeUndefined();
});

test('tests see their package as a user does', () => {
  expect(complaint('packages/ir/tests/a.test.ts', '../src/index.js')).toContain('Tests see what a user sees');
  expect(complaint('packages/ir/tests/a.test.ts', '@filigree/ir')).toBeUndefined();
  expect(complaint('packages/ir/tests/a.test.ts', './helper.js')).toBeUndefined();
  expect(complaint('packages/ir/src/a.ts', '@filigree/ir')).toContain('its own files by relative path');
});

test('wings of a package import only the wings that the table allows', () => {
  const relative = (from: string, to: string) => complaint(`packages/sparse/src/${from}`, to);
  expect(relative('trace/a.ts', '../formats/patterns/csr.js')).toBeUndefined();
  expect(relative('trace/a.ts', './b.js')).toBeUndefined();
  expect(relative('index.ts', './trace/index.js')).toBeUndefined();
  expect(relative('formats/a.ts', '../trace/b.js')).toContain('The wing formats may not import the wing trace');
  expect(relative('trace/a.ts', '../index.js')).toContain('outside of wings');
});

test('sources name the wing that they use', () => {
  expect(complaint('packages/runtime/src/a.ts', '@filigree/sparse/trace')).toBeUndefined();
  /* Of the wings that its package.json offers. */
  expect(complaint('packages/runtime/src/a.ts', '@filigree/sparse')).toMatch(
    /: import that which is used, of @filigree\/sparse\/formats, @filigree\/sparse\/trace\.$/,
  );
  expect(complaint('packages/runtime/tests/a.test.ts', '@filigree/sparse')).toBeUndefined();
});

test("Node's modules stay where the table allows them", () => {
  expect(complaint('packages/ir/src/a.ts', 'node:fs')).toContain("'node:fs' is Node's own");
  expect(complaint('packages/ir/src/a.ts', 'fs')).toBeDefined();
  expect(complaint('packages/ir/tests/a.test.ts', 'node:fs')).toBeUndefined();
  expect(complaint('packages/runtime/src/a.ts', 'node:fs')).toBeUndefined();
  expect(complaint('packages/backend-wasm/src/emit.ts', 'node:fs')).toContain('src/node/ only');
  expect(complaint('packages/backend-wasm/src/node/threads.ts', 'node:fs')).toBeUndefined();
  expect(complaint('tools/x/a.ts', 'node:fs')).toBeUndefined();
});

test('a package without a row in the table is asked for one', () => {
  expect(complaint('packages/unheard-of/src/a.ts', '@filigree/ir')).toContain('give it a floor there');
});

test('the table itself has no cycle', () => {
  const reach = (folder: string, path: readonly string[]): void => {
    expect(path, `cycle through ${folder}`).not.toContain(folder);
    for (const next of floors[folder]?.imports ?? []) reach(next, [...path, folder]);
  };
  for (const folder of Object.keys(floors)) reach(folder, []);
});
