import { Linter } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { expect, test } from 'vitest';
import { ignoredLeftRule } from '../ignored-left-rule.mjs';

const head = `
import type { Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
declare const run: () => Either<string, number>;
declare const task: () => TaskEither<string, number>;
declare const plain: () => number;
declare const many: () => Promise<number>;
`;

/* Each line with what is said of it, if anything. */
const lines: readonly (readonly [string, string?])[] = [
  ['run();', 'ignored'],
  ['void run();', 'ignored'],
  ['const f = () => void run();', 'ignored'],
  ['await task()();', 'ignored'],
  ['void task()();', 'task'],
  ['task();', 'task'],
  ['if (plain() > 0) run();', 'ignored'],
  ['plain();'],
  ['void plain();'],
  ['await many();'],
  ['let made = run();'],
  ['made = run();'],
  ['if ((await task()())._tag === "Left") throw new Error();'],
];

test('what may be a Left is not ignored', () => {
  const text = `${head}${lines.map(([line]) => `${line}\n`).join('')}export {};\n`;
  /* Named as a file of this folder, so that fp-ts is found. */
  const file = new URL('ignored.ts', import.meta.url).pathname;
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, text, version, true) : read(name, version);
  const parserOptions = { programs: [ts.createProgram([file], options, host)] } as Linter.ParserOptions;
  const found = new Linter({ configType: 'flat', cwd: '/' }).verify(
    text,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser, parserOptions },
        plugins: { filigree: { rules: { 'ignored-left': ignoredLeftRule } } },
        rules: { 'filigree/ignored-left': 'error' },
      },
    ],
    file,
  );
  const first = head.split('\n').length;
  expect(found.map((m) => [m.line - first, m.messageId])).toEqual(
    lines.flatMap(([, said], n) => (said === undefined ? [] : [[n, said]])),
  );
});
