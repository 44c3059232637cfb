import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { fail } from '@filigree/ir';

/** A file's bytes, unpacked if they are packed by gzip. Errors: `file/missing`, `file/folder`, `file/unreadable`, `file/gzip`. */
export const readBytes = async (path: string): Promise<Uint8Array> => {
  try {
    return unpack(await readFile(path), path);
  } catch (e) {
    return refuse(path, e);
  }
};

/** As `readBytes`, but synchronously. */
export const readBytesSync = (path: string): Uint8Array => {
  try {
    return unpack(readFileSync(path), path);
  } catch (e) {
    return refuse(path, e);
  }
};

/** Bytes as they are, or what gzip packed into them. Fails with `file/gzip` where they begin like gzip and are not. */
export const unpack = (bytes: Uint8Array, name: string): Uint8Array => {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch (e) {
    const why = e instanceof Error ? e.message : String(e);
    return fail('file/gzip', `'${name}' begins like a gzip file but cannot be unpacked (${why})`, {
      remedy: 'fetch or pack the file again',
    });
  }
};

const refuse = (path: string, e: unknown): never => {
  const code = (e as NodeJS.ErrnoException).code;
  if (code === undefined) throw e;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('file/missing', `there is no file '${path}'`, {
      remedy: 'check the path; it is relative to the current folder',
    });
  if (code === 'EISDIR') return fail('file/folder', `'${path}' is a folder`, { remedy: 'name a file' });
  return fail('file/unreadable', `'${path}' cannot be read (${code})`, { remedy: 'check its permissions and size' });
};
