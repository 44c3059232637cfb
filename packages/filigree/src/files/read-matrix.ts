import {
  readHarwellBoeing,
  readMatrixMarket,
  type MatrixFile,
  type ReadOptions,
  readSpec,
} from '@filigree/sparse/formats';
import { fail, checkOptions, orThrow } from '@filigree/ir';
import { readBytes, unpack } from './bytes.js';

/**
 * Reads a sparse matrix from a file: Matrix Market or Harwell-Boeing, told apart by their contents, packed by gzip or not.
 * Errors: `file/…` and those of the readers, `mtx/…` and `hb/…`.
 */
export const readMatrixFile = async (path: string, options?: ReadOptions): Promise<MatrixFile> => {
  const checked = checkOptions('readMatrixFile', options, readSpec);
  return readMatrix(await readBytes(path), { name: path, ...checked });
};

/** As `readMatrixFile`, from bytes. */
export const readMatrix = (bytes: Uint8Array, given?: ReadOptions): MatrixFile => {
  const options = checkOptions('readMatrix', given, readSpec);
  const name = options.name ?? '<input>';
  if (!(bytes instanceof Uint8Array))
    fail('file/bytes', `'${name}' is not given as bytes`, { remedy: 'give a Uint8Array, or use readMatrixFile(path)' });
  const plain = unpack(bytes, name);
  const head = new TextDecoder('latin1').decode(plain.subarray(0, 64)).replace(/^\u00ef\u00bb\u00bf/, '');
  const isMarket = head.trimStart().startsWith('%') || /\.mtx(\.gz)?$/i.test(name);
  return orThrow((isMarket ? readMatrixMarket : readHarwellBoeing)(plain, { ...options, name }));
};
