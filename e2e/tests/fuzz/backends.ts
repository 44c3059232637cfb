import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Backend } from '@filigree/backend';

/**
 * The backend that a word of `--backends` means: a name that `program` knows, or `FILE#EXPORT`, of a file of this folder, a function that makes one whose threads go in the
 * order of a seed, such as `./tools/shims/src/index.ts#cudaInterleaved`.
 */
export const backendOf = async (word: string, seed: number): Promise<Backend | string> => {
  const [file, name] = word.split('#');
  if (name === undefined) return word;
  const module = (await import(pathToFileURL(resolve(file)).href)) as Readonly<
    Record<string, (order: { readonly seed: number }) => Backend>
  >;
  return module[name]({ seed });
};

/** What messages call it. */
export const nameOf = (backend: Backend | string): string => (typeof backend === 'string' ? backend : backend.name);
