import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it, vi } from 'vitest';

const snippetsOf = (page: string): readonly string[] =>
  [...readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  );

/* Inside the package, where its dependencies are found. */
const scratch = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, 'pages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a snippet says that it prints: the comments behind `console.log(…);`. */
const promised = (code: string): readonly string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);

describe.each([
  ['language', 10],
  ['derivatives', 1],
  ['elements', 1],
  ['pipelines', 4],
])('the page on %s', (page, more) => {
  const snippets = snippetsOf(page);

  it('has snippets', () => expect(snippets.length).toBeGreaterThan(more));

  it('has snippets that are well typed', () => {
    const files = snippets.map((code, k) => {
      const file = join(folder, `${page}-typed-${k}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const base = fileURLToPath(new URL('../../tsconfig.base.json', import.meta.url));
    const { options } = ts.convertCompilerOptionsFromJson(
      (ts.readConfigFile(base, ts.sys.readFile).config as { compilerOptions: object }).compilerOptions,
      folder,
    );
    const program = ts.createProgram(files, { ...options, composite: false, emitDeclarationOnly: false, noEmit: true });
    const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)));
    expect(problems.map((p) => ts.flattenDiagnosticMessageText(p.messageText, '\n'))).toEqual([]);
  }, 120_000);

  it.each(snippets.map((code, k) => [code.match(/const (\w+) = kernel/)?.[1] ?? `${k}`, code, k] as const))(
    'the snippet of %s prints what it says',
    async (_name, code, k) => {
      const file = join(folder, `${page}-${k}.ts`);
      writeFileSync(file, code);
      const printed: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => {
        printed.push(words.join(' '));
      });
      try {
        await import(/* @vite-ignore */ file);
      } finally {
        log.mockRestore();
      }
      const said = promised(code);
      expect(printed.length).toBeGreaterThan(0);
      said.forEach((text, line) => expect(text.startsWith(printed[line])).toBe(true));
    },
    120_000,
  );
});
