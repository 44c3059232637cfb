import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { fail } from '@filigree/ir';
import { readHarwellBoeing, readMatrixMarket, type MatrixFile, type ReadOptions } from '@filigree/sparse';
import { right } from '../api/build.js';

/**
 * Reads a sparse matrix from a file: Matrix Market or Harwell-Boeing, told apart by their contents, packed by gzip or not.
 * Errors: `file/…` and those of the readers, `mtx/…` and `hb/…`.
 */
export const readMatrixFile = async (path: string, options: ReadOptions = {}): Promise<MatrixFile> =>
  readMatrix(await readBytes(path), { name: path, ...options });

/** The same from bytes. */
export const readMatrix = (bytes: Uint8Array, options: ReadOptions = {}): MatrixFile => {
  const name = options.name ?? '<input>';
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes, name) : bytes;
  const head = new TextDecoder('latin1').decode(plain.subarray(0, 64)).replace(/^\u00ef\u00bb\u00bf/, '');
  const isMarket = head.trimStart().startsWith('%') || /\.mtx(\.gz)?$/i.test(name);
  return right((isMarket ? readMatrixMarket : readHarwellBoeing)(plain, { ...options, name }));
};

/** A file's bytes; what the system refuses is a diagnostic. */
export const readBytes = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path);
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return fail('file/missing', `there is no file '${path}'`, {
        remedy: 'check the path; it is relative to the current folder',
      });
    if (code === 'EISDIR') return fail('file/folder', `'${path}' is a folder`, { remedy: 'name a file' });
    return fail('file/unreadable', `'${path}' cannot be read (${code ?? String(e)})`, {
      remedy: 'check its permissions and size',
    });
  }
};

const unpack = (bytes: Uint8Array, name: string): Uint8Array => {
  try {
    return gunzipSync(bytes);
  } catch (e) {
    return fail(
      'file/gzip',
      `'${name}' begins like a gzip file but cannot be unpacked (${e instanceof Error ? e.message : String(e)})`,
      {
        remedy: 'fetch or pack the file again',
      },
    );
  }
};
