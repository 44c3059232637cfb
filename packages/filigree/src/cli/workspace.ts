import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A private package of the repository, or a file by its full path: the module, or why it is not at hand. */
export const workspace = async <T extends object>(name: string): Promise<T | string> => {
  try {
    if (isAbsolute(name)) return (await import(pathToFileURL(name).href)) as T;
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return (await import(name)) as T;
  } catch (e) {
    if (ABSENT.has((e as NodeJS.ErrnoException).code ?? '')) return firstLine(e);
    throw e;
  }
};

const ABSENT = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);

const firstLine = (e: unknown): string => (e instanceof Error ? e.message : String(e)).split('\n')[0];
