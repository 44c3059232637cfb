import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DiagnosticError, fail, type Loc } from '@filigree/ir';

/**
 * Imports a user's module. TypeScript is read by node where it can, else by `tsx` where that is installed.
 * Errors: `file/missing`, `module/typescript`, `module/failed`.
 */
export const loadModule = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  const full = resolve(path);
  if (!existsSync(full))
    fail('file/missing', `there is no file '${path}'`, {
      remedy: 'check the path; it is relative to the current folder',
    });
  const url = pathToFileURL(full).href;
  try {
    return await settled(importModule(url));
  } catch (e) {
    if (e instanceof DiagnosticError) throw e;
    return fail('module/failed', `'${path}' cannot be loaded: ${e instanceof Error ? e.message : String(e)}`, {
      loc: placeIn(path, full, e) ?? placeOfSyntaxError(path, full, e),
      remedy: 'see that node can import it by itself',
    });
  }
};

/* Where nothing is left that could wake an `await` of the module, node would end without a word. */
const settled = <T>(loading: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('it awaits what never comes'));
    process.once('beforeExit', stop);
    loading.then(resolve, reject).finally(() => process.off('beforeExit', stop));
  });

/* The first place in the module itself that the stack names, where the module stands by its path or its URL. */
const placeIn = (file: string, full: string, e: unknown): Loc | undefined => {
  const stack = (e instanceof Error && e.stack) || '';
  const found = [full, pathToFileURL(full).href].map((name) => /^:(\d+)(?::(\d+))?/.exec(stack.split(name)[1] ?? ''));
  const [place] = found.filter((match) => match !== null);
  return place ? { file, line: Number(place[1]), column: Number(place[2] ?? 1) } : undefined;
};

/* Of the syntax error of an ES module node gives the place to nobody but its own printer. */
const placeOfSyntaxError = (file: string, full: string, e: unknown): Loc | undefined => {
  if (!(e instanceof SyntaxError)) return undefined;
  const { stderr } = spawnSync(process.execPath, ['--check', full], { encoding: 'utf8' });
  const found = /:(\d+)\n.*\n( *)\^/.exec(stderr);
  return found ? { file, line: Number(found[1]), column: found[2].length + 1 } : undefined;
};

const importModule = async (url: string): Promise<Readonly<Record<string, unknown>>> => {
  const { typescript } = process.features as { readonly typescript?: unknown };
  const load = /\.[mc]?ts$/.test(url) && !typescript ? await withTsx() : (plain: string) => import(plain);
  return (await load(url)) as Readonly<Record<string, unknown>>;
};

const withTsx = async (): Promise<(url: string) => Promise<unknown>> => {
  const name = 'tsx/esm/api';
  try {
    const { register, tsImport } = (await import(name)) as {
      readonly register: () => () => Promise<void>;
      readonly tsImport: (url: string, parent: string) => Promise<unknown>;
    };
    /*
     * `tsImport` loads packages once more for the module: words of the language are then others than those that are compiled. So it has only what is no
     * ES module by its folder, which node hands to `require`.
     */
    return async (url) => {
      if (!isModule(fileURLToPath(url))) return tsImport(url, url);
      const unregister = register();
      try {
        return await (import(url) as Promise<unknown>);
      } finally {
        await unregister();
      }
    };
  } catch {
    return fail('module/typescript', `this version of node (${process.version}) cannot import TypeScript`, {
      remedy:
        'install tsx beside filigree (npm install tsx), use node 22.18 or newer, or compile the module to JavaScript',
    });
  }
};

/** Whether a file in TypeScript is an ES module by its ending or by the package around it. */
const isModule = (file: string): boolean => {
  if (/\.[mc]ts$/.test(file)) return file.endsWith('.mts');
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: string }).type === 'module';
    if (folder === dirname(folder)) return false;
  }
};

/** Where a function begins in the text of its file, if it stands there as it is, and once. */
export const placeOf = (fn: (...args: never[]) => unknown, file: string, source: string): Loc | undefined => {
  const text = Function.prototype.toString.call(fn);
  const begin = source.indexOf(text);
  if (begin < 0 || source.includes(text, begin + 1)) return undefined;
  const lines = source.slice(0, begin).split('\n');
  return { file, line: lines.length, column: lines.at(-1)!.length + 1 };
};
