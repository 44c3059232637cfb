import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/** The file that a command is: a path, or a name in one of the folders of `path`, as `$PATH` lists them. */
export const locate = async (name: string, path: string): Promise<string | undefined> => {
  const places =
    isAbsolute(name) || name.includes(sep)
      ? [name]
      : path
          .split(delimiter)
          .filter(Boolean)
          .map((folder) => join(folder, name));
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      if ((await stat(place)).isFile()) return place;
    } catch {
      /* Not here: the next folder may have it. */
    }
  }
  return undefined;
};
