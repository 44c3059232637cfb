import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file of the host, which is compiled where it is to run. It lies beside `src` and `dist`, in both of which this module is at the top. */
export const hostFile = fileURLToPath(new URL('../native/host.m', import.meta.url));

/** The texts that it consists of, by the names of their files. */
export const hostTexts = async (): Promise<Readonly<Record<string, string>>> => {
  const folder = dirname(hostFile);
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
};
