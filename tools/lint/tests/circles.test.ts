import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { circleOf, fileOf } from '../import-circle.mjs';

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

/** The circle that an import in a file of that package closes, if any. */
const circle = (file: string, specifier: string): string | undefined => {
  const sources = join(root, 'packages/ir/src');
  const from = join(sources, file);
  return circleOf(from, fileOf(from, specifier))
    ?.map((f) => relative(sources, f))
    .join(' → ');
};

test('an import that leads back to its file is refused, with the way that it goes', () => {
  expect(circle('c/c.ts', '../a.js')).toBe('c/c.ts → a.ts → b.ts → c/index.ts → c/c.ts');
  expect(circle('c/c.ts', '../b.js')).toBe('c/c.ts → b.ts → c/index.ts → c/c.ts');
  expect(circle('a.ts', './a.js')).toBe('a.ts → a.ts');
});

test('files above import files below', () => {
  expect(circle('a.ts', './b.js')).toBeUndefined();
  expect(circle('b.ts', './c/index.js')).toBeUndefined();
  expect(circle('new.ts', './a.js')).toBeUndefined();
});

test('types and imports at run time count as well', () => {
  expect(circle('types.ts', './back.js')).toBe('types.ts → back.ts → types.ts');
  expect(circle('loaded.ts', './lazy.js')).toBe('loaded.ts → lazy.ts → loaded.ts');
  expect(circle('lazy.ts', './loaded.js')).toBe('lazy.ts → loaded.ts → lazy.ts');
});

test('what a comment imports is not imported', () => {
  expect(circle('a.ts', './c/c.js')).toBeUndefined();
  expect(circle('never.ts', './loaded.js')).toBeUndefined();
});
