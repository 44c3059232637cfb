import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** All pages that users read. */
const pages = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((folder) => `packages/${folder}/README.md`),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((page) => existsSync(join(root, page)));

/** What pages leave to their readers: modules that examples import and no page shows. */
const given: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/conformance/README.md': {
    'my-backend.ts':
      "import type { Backend } from '@filigree/backend';\nexport declare const myBackend: () => Backend;\n",
  },
  'docs/outside.md': {
    'opencl.ts': "import type { Backend } from '@filigree/backend';\nexport declare const opencl: () => Backend;\n",
  },
};

/** The examples of a page, each as a file; one that begins with a comment that is a path is called so, and others of the page can import it. */
const examplesOf = (page: string): readonly { readonly name: string; readonly code: string }[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(ts|js)\n([\s\S]*?)^```/gm)].map(
    ([, language, code], k) => ({
      name: basename(/^\/\/ (\S+\.[jt]s)\n/.exec(code!)?.[1] ?? `example-${k + 1}.${language}`),
      code: code!,
    }),
  );

/* Inside the workspace, where the packages are found. */
const scratch = join(root, 'e2e/out');
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, 'strict-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In JavaScript, what no type can be written for has none. */
const impliesAny = ({ file, code }: ts.Diagnostic): boolean =>
  file?.fileName.endsWith('.js') === true && code >= 7000 && code < 7100;

/* Against the declarations as users install them, which are checked as well, and so is what they import but for Node's: sources have none. */
describe.runIf(process.env['FILIGREE_BUILT'])('the examples of all pages', () => {
  it('are well typed, strictly', { timeout: 120_000 }, () => {
    const files = pages.flatMap((page) => {
      const place = join(folder, page.replace(/\W/g, '-'));
      mkdirSync(place, { recursive: true });
      for (const [name, code] of Object.entries(given[page] ?? {})) writeFileSync(join(place, name), code);
      return examplesOf(page).map(({ name, code }) => {
        writeFileSync(join(place, name), code);
        return join(place, name);
      });
    });
    expect(files.length).toBeGreaterThan(60);
    const program = ts.createProgram(files, {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: ['node'],
    });
    const problems = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...program
        .getSourceFiles()
        .filter(({ fileName }) => !/\/node_modules\/(@types|undici-types|typescript)\//.test(fileName))
        .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ].filter((d) => !impliesAny(d));
    expect(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (f) => f,
        getCurrentDirectory: () => folder,
        getNewLine: () => '\n',
      }),
    ).toBe('');
  });
});
