import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** The first of these folders that has a header. */
export const folderWith = async (header: string, folders: readonly string[]): Promise<string | undefined> => {
  for (const folder of folders)
    if (
      await access(join(folder, header)).then(
        () => true,
        () => false,
      )
    )
      return folder;
  return undefined;
};
