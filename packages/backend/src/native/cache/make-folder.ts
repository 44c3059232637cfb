import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` never comes back where the system says of a new
 * folder that it is missing, as under /proc.
 */
export const makeFolder = async (path: string): Promise<void> => {
  if (await isFolder(path)) return;
  const above = dirname(resolve(path));
  if (above !== resolve(path)) await makeFolder(above);
  try {
    await mkdir(path);
  } catch (e) {
    /* Another process may have been faster. */
    if (!(await isFolder(path))) throw e;
  }
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (s) => s.isDirectory(),
    () => false,
  );
