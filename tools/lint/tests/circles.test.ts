import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { circlesRule } from '../circles-rule.mjs';

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'filigree-circles-'));
  const files = {
    'a.ts': "import { b } from './b.js';",
    'b.ts': "import { fail } from '@filigree/ir';\nimport {\n  c,\n  type C,\n} from './c/index.js';",
    'c/index.ts': "export * from './c.js';",
    'c/c.ts': '/** As `import { a } from "../a.js"` does. */\nexport const c = 1;\nexport type C = number;',
    'types.ts': "export type { A } from './back.js';",
    'back.ts': "import type { T } from './types.js';",
    'lazy.ts': "export const load = () => import('./loaded.js');",
    'loaded.ts': '// import("./never.js")\nexport const x: import("./lazy.js").X = 1;',
    'never.ts': '',
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'packages/ir/src', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The circles that the rule finds in one file of that package. */
const circles = (file: string, code: string): string[] => {
  const messages = new Linter({ cwd: root, configType: 'flat' }).verify(
    code,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser },
        plugins: { filigree: { rules: { circles: circlesRule } } },
        rules: { 'filigree/circles': 'error' },
      },
    ],
    join(root, 'packages/ir/src', file),
  );
  return messages.map((m) => /circle: (.*?)\. /.exec(m.message)?.[1] ?? m.message);
};

test('an import that leads back to its file is refused, with the way that it goes', () => {
  expect(circles('c/c.ts', "import { a } from '../a.js';")).toEqual(['c/c.ts → a.ts → b.ts → c/index.ts → c/c.ts']);
  expect(circles('c/c.ts', "import { b } from '../b.js';\nimport '../a.js';")).toEqual([
    'c/c.ts → b.ts → c/index.ts → c/c.ts',
    'c/c.ts → a.ts → b.ts → c/index.ts → c/c.ts',
  ]);
  expect(circles('a.ts', "import './a.js';")).toEqual(['a.ts → a.ts']);
});

test('files above import files below', () => {
  expect(circles('a.ts', "import { b } from './b.js';")).toEqual([]);
  expect(circles('b.ts', "import { c } from './c/index.js';")).toEqual([]);
  expect(circles('new.ts', "import { a } from './a.js';\nimport { x } from '@filigree/ir';")).toEqual([]);
});

test('types and imports at run time count as well', () => {
  expect(circles('types.ts', "export type { A } from './back.js';")).toEqual(['types.ts → back.ts → types.ts']);
  expect(circles('loaded.ts', 'export const x: import("./lazy.js").X = 1;')).toEqual([
    'loaded.ts → lazy.ts → loaded.ts',
  ]);
  expect(circles('lazy.ts', "export const load = () => import('./loaded.js');")).toEqual([
    'lazy.ts → loaded.ts → lazy.ts',
  ]);
});

test('what a comment imports is not imported', () => {
  expect(circles('a.ts', "import './c/c.js';")).toEqual([]);
  expect(circles('never.ts', "import './loaded.js';")).toEqual([]);
});
