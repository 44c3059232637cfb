import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@filigree/backend/native';
import { fail } from '@filigree/ir';

/**
 * Writes a file completely or not at all: to a file beside it, which then replaces it, so that the previous contents
 * are never lost half-way. Creates folders as needed. Error: `file/unwritable`.
 */
export const writeBytes = async (path: string, bytes: Uint8Array): Promise<void> => {
  const beside = `${path}.${process.pid}-${++written}.part`;
  try {
    await makeFolder(dirname(path));
    const file = await open(beside, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (e) {
    await rm(beside, { force: true }).catch(() => {});
    const code = (e as NodeJS.ErrnoException).code;
    if (code === undefined) throw e;
    fail('file/unwritable', `'${path}' cannot be written (${code})`, {
      remedy: code === 'ENOSPC' ? 'free space on the disk' : 'name a file in a folder that can be written',
    });
  }
};

let written = 0;
