import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the data that is not part of the repository: under `$FILIGREE_DATA`, else beside the clone. */
export const dataFile = (path: string): string | undefined => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const file = join(resolve(root, process.env.FILIGREE_DATA ?? join('..', 'shared', 'data')), path);
  return existsSync(file) ? file : undefined;
};
