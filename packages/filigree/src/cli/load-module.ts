import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DiagnosticError, fail } from '@filigree/ir';

/**
 * Imports a user's module. TypeScript is taken where node strips types itself, or by way of `tsx` where that is installed.
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
    return await importModule(url);
  } catch (e) {
    if (e instanceof DiagnosticError) throw e;
    return fail('module/failed', `'${path}' cannot be loaded: ${e instanceof Error ? e.message : String(e)}`, {
      remedy: 'see that node can import it by itself',
    });
  }
};

const importModule = async (url: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw e;
  }
  const stop = await withTsx();
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } finally {
    await stop();
  }
};

const withTsx = async (): Promise<() => Promise<void>> => {
  const name = 'tsx/esm/api';
  try {
    const { register } = (await import(name)) as { readonly register: () => () => Promise<void> };
    return register();
  } catch {
    return fail('module/typescript', `this version of node (${process.version}) cannot import TypeScript`, {
      remedy:
        'install tsx beside filigree (npm install tsx), use node 22.18 or newer, or compile the module to JavaScript',
    });
  }
};
