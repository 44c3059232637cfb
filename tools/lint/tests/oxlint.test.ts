import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/* Each file of a workspace with this one's configuration, and which rule it breaks in how many lines. */
const forms = (name: string): string =>
  [
    `import { x } from '${name}';`,
    `import type { X } from '${name}';`,
    `import '${name}';`,
    `export { x } from '${name}';`,
    `export * from '${name}';`,
    `export const y = await import('${name}');`,
    `export type Y = import('${name}').X;`,
  ].join('\n');
const files: readonly (readonly [file: string, text: string, rule: string, times: number])[] = [
  ['packages/opt/src/up.ts', forms('@filigree/runtime'), 'filigree(floors)', 7],
  ['packages/opt/src/a.ts', forms('./b.js'), 'filigree(circles)', 7],
  [
    'packages/opt/src/b.ts',
    "import { y } from './a.js';\nexport const x = y;\nexport type X = 1;",
    'filigree(circles)',
    1,
  ],
  ['packages/opt/src/says.ts', "console.log('a');", 'eslint(no-console)', 1],
  ['packages/opt/src/node.ts', 'export const e = process.env;', 'eslint(no-restricted-globals)', 1],
  ['packages/backend-wasm/src/node/node.ts', 'export const e = process.env;', '', 0],
  ['packages/ir/src/whole.ts', "export { left } from 'fp-ts';", 'eslint(no-restricted-imports)', 1],
  ['packages/ir/src/short.ts', "export { left } from 'fp-ts/Either';", 'eslint(no-restricted-imports)', 1],
  ['packages/ir/src/right.ts', "export { left } from 'fp-ts/lib/Either.js';", '', 0],
  ['packages/ir/src/floats.ts', 'const f = async () => 1;\nf();\nawait f();', 'typescript(no-floating-promises)', 1],
  ['packages/ir/src/any.ts', 'export const a: any = 1;', 'typescript(no-explicit-any)', 1],
];

test('oxlint finds what the workspace forbids', () => {
  const root = mkdtempSync(join(tmpdir(), 'filigree-oxlint-'));
  try {
    for (const part of ['oxlint.config.mjs', 'tools/lint', 'tools/lib', 'tsconfig.base.json', 'package.json'])
      cpSync(join(repository, part), join(root, part), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    };
    for (const [file, text] of files) write(file, text);
    for (const folder of ['opt', 'ir', 'backend-wasm', 'runtime']) {
      cpSync(join(repository, 'packages', folder, 'package.json'), join(root, 'packages', folder, 'package.json'));
      write(`packages/${folder}/tsconfig.json`, '{ "extends": "../../tsconfig.base.json", "include": ["src"] }');
    }
    const { stdout } = spawnSync(
      process.execPath,
      [join(repository, 'node_modules/oxlint/bin/oxlint'), '-c', 'oxlint.config.mjs', '-f', 'json', 'packages'],
      { cwd: root, encoding: 'utf8' },
    );
    const found = (JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] }).diagnostics;
    const seen = files.map(([file]) => [file, found.filter((d) => d.filename.endsWith(file)).map((d) => d.code)]);
    expect(seen).toEqual(files.map(([file, , rule, times]) => [file, Array<string>(times).fill(rule)]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
