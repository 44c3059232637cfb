import ts from 'typescript';
import { expect, test } from 'vitest';
import { ignoredLefts } from '../ignored-left.mjs';

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
  ['run();', 'is ignored here'],
  ['void run();', 'is ignored here'],
  ['const f = () => void run();', 'is ignored here'],
  ['await task()();', 'is ignored here'],
  ['void task()();', 'This task'],
  ['task();', 'This task'],
  ['if (plain() > 0) run();', 'is ignored here'],
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
  const program = ts.createProgram([file], options, host);
  const found = ignoredLefts(program, program.getSourceFile(file)!);
  const first = head.split('\n').length;
  expect(found.map(({ line, says }) => [line - first, says])).toEqual(
    lines.flatMap(([, said], n) => (said === undefined ? [] : [[n, expect.stringContaining(said)]])),
  );
});
