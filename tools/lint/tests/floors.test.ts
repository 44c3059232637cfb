import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorsRule } from '../floors-rule.mjs';
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

/** The rule's complaints about one file of that workspace. */
const complaints = (file: string, code: string): string[] => {
  const linter = new Linter({ cwd: root, configType: 'flat' });
  const messages = linter.verify(
    code,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser },
        plugins: { filigree: { rules: { floors: floorsRule } } },
        rules: { 'filigree/floors': ['error', { root }] },
      },
    ],
    join(root, file),
  );
  return messages.map((m) => m.message);
};

const forms = (name: string): string[] => [
  `import { x } from '${name}';`,
  `import type { X } from '${name}';`,
  `import '${name}';`,
  `export { x } from '${name}';`,
  `export * from '${name}';`,
  `const x = await import('${name}');`,
  `type X = import('${name}').X;`,
];

test.each(forms('@filigree/sparse'))('a lower floor may not import a higher one: %s', (code) => {
  expect(complaints('packages/opt/src/index.ts', code)).toEqual([
    expect.stringContaining("'@filigree/opt' may not import '@filigree/sparse'"),
  ]);
});

test.each(forms('@filigree/ir'))('an import that the table allows passes: %s', (code) => {
  expect(complaints('packages/opt/src/index.ts', code)).toEqual([]);
});

test('an allowed package that package.json does not name is flagged', () => {
  expect(complaints('packages/runtime/src/a.ts', "import '@filigree/opt';")).toEqual([
    expect.stringContaining('not among the dependencies'),
  ]);
  expect(complaints('packages/ir/src/a.ts', "import 'lodash';")).toEqual([
    expect.stringContaining('not among the dependencies'),
  ]);
  expect(complaints('packages/ir/src/a.ts', "import 'fp-ts/lib/Either.js';")).toEqual([]);
});

test('names that a package gives its own files are those of its package.json', () => {
  expect(complaints('packages/runtime/src/a.ts', "import '#platform';")).toEqual([]);
  expect(complaints('packages/runtime/src/a.ts', "import '#elsewhere';")).toEqual([
    expect.stringContaining('not among the imports'),
  ]);
  expect(complaints('packages/ir/src/a.ts', "import '#platform';")).toHaveLength(1);
});

test('development dependencies are for tests only', () => {
  expect(complaints('packages/ir/src/a.ts', "import 'vitest';")).toHaveLength(1);
  expect(complaints('packages/ir/tests/a.test.ts', "import 'vitest';")).toEqual([]);
});

test('relative imports do not cross package borders', () => {
  const expected = [expect.stringContaining("Import '@filigree/ir' by its name")];
  expect(complaints('packages/opt/src/a.ts', "import '../../ir/src/index.js';")).toEqual(expected);
  expect(complaints('packages/opt/tests/a.test.ts', "import '../../ir/src/index.js';")).toEqual(expected);
  expect(complaints('tools/bench/src/a.ts', "import '../../../packages/ir/src/index.js';")).toEqual(expected);
  expect(complaints('e2e/src/a.ts', "import '../../packages/ir/dist/index.js';")).toEqual(expected);
  expect(complaints('packages/opt/src/a.ts', "import './fold/b.js';")).toEqual([]);
  expect(complaints('e2e/tests/a.test.ts', "import '../../packages/ir/tests/support.js';")).toEqual([]);
  expect(complaints('packages/opt/src/a.ts', "import '../../../tools/lib/run.mjs';")).toHaveLength(1);
});

test('nobody reaches past what a package exports', () => {
  const reaches = [expect.stringContaining('reaches into the package')];
  expect(complaints('packages/opt/src/a.ts', "import '@filigree/ir/src/kernel/op.js';")).toEqual(reaches);
  expect(complaints('packages/opt/tests/a.test.ts', "import '@filigree/ir/dist/index.js';")).toEqual(reaches);
  expect(complaints('tools/x/a.ts', "import '@filigree/ir/dist/index.js';")).toEqual(reaches);
  expect(complaints('packages/runtime/src/a.ts', "import '@filigree/sparse/formats';")).toEqual([]);
});

test('tests see their package as a user does', () => {
  expect(complaints('packages/ir/tests/a.test.ts', "import '../src/index.js';")).toEqual([
    expect.stringContaining('Tests see what a user sees'),
  ]);
  expect(complaints('packages/ir/tests/a.test.ts', "import '@filigree/ir';")).toEqual([]);
  expect(complaints('packages/ir/tests/a.test.ts', "import './helper.js';")).toEqual([]);
  expect(complaints('packages/ir/src/a.ts', "import '@filigree/ir';")).toEqual([
    expect.stringContaining('its own files by relative path'),
  ]);
});

test('wings of a package import only the wings that the table allows', () => {
  const relative = (from: string, to: string) => complaints(`packages/sparse/src/${from}`, `import '${to}';`);
  expect(relative('trace/a.ts', '../formats/patterns/csr.js')).toEqual([]);
  expect(relative('trace/a.ts', './b.js')).toEqual([]);
  expect(relative('index.ts', './trace/index.js')).toEqual([]);
  expect(relative('formats/a.ts', '../trace/b.js')).toEqual([
    expect.stringContaining('The wing formats may not import the wing trace'),
  ]);
  expect(relative('trace/a.ts', '../index.js')).toEqual([expect.stringContaining('outside of wings')]);
});

test('sources name the wing that they use', () => {
  expect(complaints('packages/runtime/src/a.ts', "import '@filigree/sparse/trace';")).toEqual([]);
  /* Of the wings that its package.json offers. */
  expect(complaints('packages/runtime/src/a.ts', "import '@filigree/sparse';")).toEqual([
    expect.stringMatching(/: import that which is used, of @filigree\/sparse\/formats, @filigree\/sparse\/trace\.$/),
  ]);
  expect(complaints('packages/runtime/tests/a.test.ts', "import '@filigree/sparse';")).toEqual([]);
});

test("Node's modules stay where the table allows them", () => {
  expect(complaints('packages/ir/src/a.ts', "import 'node:fs';")).toEqual([
    expect.stringContaining("'node:fs' is Node's own"),
  ]);
  expect(complaints('packages/ir/src/a.ts', "import 'fs';")).toHaveLength(1);
  expect(complaints('packages/ir/tests/a.test.ts', "import 'node:fs';")).toEqual([]);
  expect(complaints('packages/runtime/src/a.ts', "import 'node:fs';")).toEqual([]);
  expect(complaints('packages/backend-wasm/src/emit.ts', "import 'node:fs';")).toEqual([
    expect.stringContaining('src/node/ only'),
  ]);
  expect(complaints('packages/backend-wasm/src/node/threads.ts', "import 'node:fs';")).toEqual([]);
  expect(complaints('tools/x/a.ts', "import 'node:fs';")).toEqual([]);
});

test('a package without a row in the table is asked for one', () => {
  expect(complaints('packages/unheard-of/src/a.ts', "import '@filigree/ir';")).toEqual([
    expect.stringContaining('give it a floor there'),
  ]);
});

test('the table itself has no cycle', () => {
  const reach = (folder: string, path: readonly string[]): void => {
    expect(path, `cycle through ${folder}`).not.toContain(folder);
    for (const next of floors[folder]?.imports ?? []) reach(next, [...path, folder]);
  };
  for (const folder of Object.keys(floors)) reach(folder, []);
});
