import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { transform } from '@filigree/lang/plugin';
import { build } from 'esbuild';

/** What a page loads: what it logged, and bytes, gzipped file by file as servers send them. */
export interface LoadedPage {
  readonly logged: string;
  /** Of what was loaded until the page had run. */
  readonly loaded: number;
  /** Of what a page may load later. */
  readonly later: number;
}

/** Each file of the page says when it begins; not counted. */
const SAYS_SO = '(globalThis.loaded ??= []).push(import.meta.url);\n';

/**
 * Bundles a page for browsers as docs/browser.md says, minified and in parts, and runs it, in an engine that is told that it is no Node. What a page
 * imports while it runs counts as loaded.
 */
export const loadedPage = async (code: string): Promise<LoadedPage> => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-page-'));
  try {
    const { outputFiles } = await build({
      stdin: { contents: transform(code, 'page.js')?.code ?? code, resolveDir: import.meta.dirname },
      bundle: true,
      minify: true,
      splitting: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      logLevel: 'error',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      banner: { js: SAYS_SO.trim() },
    });
    for (const { path, contents } of outputFiles) writeFileSync(path, contents);
    const entry = pathToFileURL(join(folder, 'stdin.mjs')).href;
    const run = `delete globalThis.process; await import('${entry}'); console.log(JSON.stringify(globalThis.loaded));`;
    const lines = execFileSync(process.execPath, ['--input-type=module', '-e', run], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const names = new Set((JSON.parse(lines.at(-1)!) as string[]).map((url) => basename(url)));
    const bytes = (wanted: boolean): number =>
      outputFiles
        .filter(({ path }) => names.has(basename(path)) === wanted)
        .reduce((sum, { text }) => sum + gzipSync(text.replace(SAYS_SO, '')).length, 0);
    return { logged: lines.slice(0, -1).join('\n'), loaded: bytes(true), later: bytes(false) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
