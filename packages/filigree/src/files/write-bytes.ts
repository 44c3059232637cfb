import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from '@filigree/ir';

/**
 * Writes a file whole or not at all: into a file beside it, which then takes its place, so that what was there before is
 * never lost half-way. Folders are made as needed. Error: `file/unwritable`.
 */
export const writeBytes = async (path: string, bytes: Uint8Array): Promise<void> => {
  const beside = `${path}.${process.pid}-${++written}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
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
