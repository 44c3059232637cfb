import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problemsOf } from '../rules.mjs';
import { measure, sizeBlock, staleBlock, withBlock } from '../size.mjs';

let path = '';
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'filigree-package-'));
  for (const [file, text] of Object.entries(files)) write(file, text);
  write('README.md', withBlock('# opt\n\n```js\nconsole.log(1);\n```\n', sizeBlock(manifest, measure(path, manifest))));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(path, file)), { recursive: true });
  writeFileSync(join(path, file), text);
};

const manifest = {
  name: '@filigree/opt',
  version: '0.1.0',
  license: 'Apache-2.0',
  type: 'module',
  sideEffects: false,
  exports: {
    '.': { '@filigree/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  files: ['dist', 'src', 'README.md', 'LICENSE'],
  engines: { node: '>=20.19' },
  scripts: { prepack: 'node ../../tools/pack/prepack.mjs' },
  dependencies: { '@filigree/ir': '0.1.0' },
};

const files = {
  'package.json': JSON.stringify(manifest),
  'src/index.ts': "export * from '@filigree/ir';\n",
  'dist/index.d.ts': "export * from '@filigree/ir';\n",
  'dist/index.js': `export * from '@filigree/ir';\n${'// padding\n'.repeat(500)}`,
};

const problems = (changes: Partial<typeof manifest> & Record<string, unknown> = {}): Promise<string[]> => {
  const changed = { ...manifest, ...changes };
  write('package.json', JSON.stringify(changed));
  return problemsOf({ folder: 'opt', path, manifest: changed });
};

test('a package that is fit has no problem', async () => {
  expect(await problems()).toEqual([]);
});

test('the README needs an example and true figures', async () => {
  const readme = '# opt\n';
  write('README.md', readme);
  expect(await problems()).toEqual(['README.md has no ```js example', expect.stringContaining('no size block')]);
  const half = sizeBlock(manifest, { bytes: 2500, gzip: 80 });
  expect(staleBlock(half, manifest, measure(path, manifest))).toMatch(/says 2.5 kB, measured 5.5 kB/);
  const near = sizeBlock(manifest, { bytes: 5000, gzip: measure(path, manifest).gzip });
  expect(staleBlock(near, manifest, measure(path, manifest))).toBeUndefined();
});

test('a block is replaced in place and written once', () => {
  const first = withBlock('# a\n\nText.\n', sizeBlock(manifest, { bytes: 1000, gzip: 500 }));
  const second = withBlock(`${first}\nMore.\n`, sizeBlock(manifest, { bytes: 9000, gzip: 500 }));
  expect(second).toContain('9.0 kB of JavaScript');
  expect(second.match(/<!-- size -->/g)).toHaveLength(1);
  expect(second.endsWith('More.\n')).toBe(true);
});

test('an entry counts what it loads, whatever the others do', () => {
  write('dist/more.js', `import "./chunk.js";\nimport { x } from "./far/chunk.js";\n${'// padding\n'.repeat(100)}`);
  write('dist/chunk.js', `import "./more.js";\n${'// padding\n'.repeat(200)}`);
  write('dist/far/chunk.js', '// padding\n'.repeat(300));
  const target = { '@filigree/source': './src/more.ts', types: './dist/more.d.ts', default: './dist/more.js' };
  const two = { ...manifest, exports: { ...manifest.exports, './more': target } };
  const size = measure(path, two);
  expect(Math.round((size.entries?.['./more']?.bytes ?? 0) / 100)).toBe(67);
  expect(sizeBlock(two, size)).toContain('`@filigree/opt/more` loads 6.7 kB of JavaScript');
  expect(staleBlock(sizeBlock(two, size), two, size)).toBeUndefined();
  expect(staleBlock(sizeBlock(two, { bytes: size.bytes, gzip: size.gzip }), two, size)).toMatch(/entries/);
});

test('dependencies stay on the floors, at the shared version, and are used', async () => {
  expect(await problems({ dependencies: { '@filigree/ir': '0.1.0', '@filigree/sparse': '0.0.9' } as never })).toEqual(
    expect.arrayContaining([
      'depends on @filigree/sparse, which tools/lint/floors.mjs does not allow',
      'depends on @filigree/sparse 0.0.9; all packages share 0.1.0',
      'depends on @filigree/sparse, but nothing in src/ imports it',
    ]),
  );
});

test('optional dependencies are told apart from others, and are held to the same', async () => {
  const changes = { optionalDependencies: { '@filigree/sparse': '0.0.9' } };
  expect(sizeBlock({ ...manifest, ...changes }, { bytes: 1000, gzip: 500 })).toContain('Optional: `@filigree/sparse`.');
  expect(await problems(changes)).toEqual(
    expect.arrayContaining([
      'depends on @filigree/sparse 0.0.9; all packages share 0.1.0',
      'depends on @filigree/sparse, but nothing in src/ imports it',
    ]),
  );
});

test('an export without its file, or in the wrong order, is named', async () => {
  const found = await problems({
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './more': { '@filigree/source': './src/more.ts', types: './dist/more.d.ts', default: './dist/more.js' },
    } as never,
  });
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringContaining('exports["."] has the keys types, default'),
      'exports["./more"] names ./src/more.ts, which does not exist',
      'exports["./more"] names ./dist/more.js, which does not exist',
    ]),
  );
});

test('a tarball without a licence or sources is refused', async () => {
  expect(await problems({ files: ['dist', 'README.md', 'LICENSE'], scripts: {} as never })).toEqual([
    '"files" does not name src',
    expect.stringContaining('no prepack script'),
  ]);
});
