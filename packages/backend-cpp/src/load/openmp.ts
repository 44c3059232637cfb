import { readFileSync } from 'node:fs';
import type koffi from 'koffi';

/**
 * Keeps the OpenMP runtimes that are loaded now in the process for good. Their worker threads outlive the kernels, and
 * would crash when the last library that uses them is unloaded and takes their code along.
 *
 * @returns whether libraries may be unloaded after this; not where the runtimes cannot be found, which is anywhere but on Linux.
 */
export const pinOpenMp = (ffi: typeof koffi): boolean => {
  if (process.platform !== 'linux') return false;
  for (const path of readFileSync('/proc/self/maps', 'utf8').match(/\/.*\/lib(?:g|i)?omp\d*\.so[^\s]*$/gm) ?? [])
    if (!pinned.has(path)) pinned.set(path, ffi.load(path));
  return true;
};

const pinned = new Map<string, ReturnType<typeof koffi.load>>();
