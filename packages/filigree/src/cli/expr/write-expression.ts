import { join } from 'node:path';
import { orThrow } from '@filigree/ir';
import { writeMatrixMarket, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import type { Built } from '../../api/build.js';
import { writeOut, writeProgram } from '../write-sources.js';

/** Writes the sources of an expression, and the pattern of its result as a matrix file. Error: `emit/unwritable`. */
export const writeExpression = async (folder: string, { instance }: Built, pattern: CsrPattern): Promise<void> => {
  await writeProgram(folder, instance.sources, instance.module);
  const places = { pattern, values: new Float64Array(pattern.colIdx.length) };
  await writeOut(join(folder, 'pattern.mtx'), orThrow(writeMatrixMarket(places, { field: 'pattern' })));
};

/** Writes the result as a Matrix Market file. Errors: `emit/unwritable`, `mtx/value` where it is not finite. */
export const writeResult = async (file: string, result: Csr<Float64Array>): Promise<void> =>
  writeOut(file, orThrow(writeMatrixMarket(result)));
