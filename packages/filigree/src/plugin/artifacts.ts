import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { checkOptions, DiagnosticError, error, fail, option, type Diagnostic, type OptionSpec } from '@filigree/ir';
import type { TransformOptions } from '@filigree/lang/plugin';

/** What the build plugin takes, beside what rewriting takes. */
export interface PluginOptions extends TransformOptions {
  /**
   * Modules whose programs `{ layout, kernels }` and `{ inputs, run }` and formulas `{ formula, shapes }` are compiled when the app is built: paths from the folder of the build. What a page
   * imports from them are artifacts, for `loadArtifact`, `loadTraced` and `loadEinsum`.
   */
  readonly artifacts?: readonly string[];
  /** Threads that pages may ask for of artifacts; default 1. */
  readonly threads?: number;
}

/**
 * The options of a plugin, checked: those of rewriting are left to it. Who installs only the umbrella may find no other package of ours from
 * modules of their own, so that what is rewritten imports from it.
 */
export const pluginOptions = (what: string, given: PluginOptions | undefined): PluginOptions => {
  const { artifacts, threads, ...rewriting } = given ?? {};
  const own = { ...(artifacts && { artifacts }), ...(threads !== undefined && { threads }) };
  const options = checkOptions<ArtifactOptions>(what, own, artifactSpec);
  if (options.threads !== undefined && options.artifacts === undefined)
    fail('plugin/threads', `${what} is told of threads, which are for artifacts, and of no artifacts`, {
      remedy:
        'name the modules that are to be compiled: artifacts, or ask for threads where programs are made: program({ threads })',
    });
  return { ...options, helpers: 'filigree/rewritten', ...rewriting };
};

/** Refuses names of modules that are not there: nothing that a page imports would ever be one of them. Error: `plugin/artifact`. */
export const checkArtifacts = ({ artifacts = [] }: PluginOptions, root: string): void => {
  const missing = artifacts.find((path) => !existsSync(resolve(root, path)));
  if (missing !== undefined)
    fail('plugin/artifact', `there is no module '${missing}' in '${root}' to compile`, {
      remedy: 'name modules by their paths from the folder of the build',
    });
};

type ArtifactOptions = Pick<PluginOptions, 'artifacts' | 'threads'>;

const artifactSpec: OptionSpec<ArtifactOptions> = { artifacts: option.list(option.text), threads: option.whole(1) };

/** Whether a module is among those that are compiled. @param id its path, with what bundlers put behind it */
export const isArtifact = (id: string, { artifacts = [] }: PluginOptions, root: string): boolean =>
  artifacts.some((path) => resolve(root, path) === id.replace(/\?.*$/, ''));

/**
 * The module that stands in the place of another: its programs, compiled, as text. Errors: those of `filigree compile`.
 *
 * It is compiled by a process of its own, which reads it anew each time, and what it imports.
 */
export const artifactModule = async (path: string, { threads = 1 }: PluginOptions): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'filigree-artifact-'));
  try {
    await compiled(path, folder, threads);
    const files = await readdir(folder);
    const bytes = new Map<string, string>();
    for (const file of files.filter((name) => name.endsWith('.filigree')))
      bytes.set(file, (await readFile(join(folder, file))).toString('base64'));
    const written = await readFile(
      join(
        folder,
        files.find((name) => name.endsWith('.js'))!,
      ),
      'utf8',
    );
    /* In place of where the bytes are stand the bytes. */
    return written.replace(
      /url: new URL\('\.\/([^']+)', import\.meta\.url\)/g,
      (_, file: string) => `base64: '${bytes.get(file)}'`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const compiled = async (path: string, folder: string, threads: number): Promise<void> => {
  const main = join(dirname(createRequire(import.meta.url).resolve('filigree/package.json')), 'bin/filigree.js');
  const args = [main, 'compile', path, '--backend', 'wasm', '--threads', `${threads}`, '--artifact', folder, '--json'];
  const { failed, out, err } = await new Promise<{ failed: boolean; out: string; err: string }>((done) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 28 }, (e, out, err) => done({ failed: e !== null, out, err }));
  });
  if (failed)
    throw new DiagnosticError([diagnosticIn(out) ?? error('artifact/failed', err || `'${path}' was not compiled`)]);
};

const diagnosticIn = (out: string): Diagnostic | undefined => {
  try {
    return (JSON.parse(out) as { readonly error?: Diagnostic }).error;
  } catch {
    return undefined;
  }
};
