import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isAbsolute } from 'node:path';

/** A private package of the repository, or a file: where it is there and built. */
export const workspace = async <T>(name: string): Promise<T | undefined> => {
  try {
    if (isAbsolute(name)) return (await import(pathToFileURL(name).href)) as T;
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return (await import(name)) as T;
  } catch (e) {
    if (ABSENT.has((e as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw e;
  }
};

const ABSENT = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
