import { join } from 'node:path';
import { orThrow } from '@filigree/ir';
import { writeMatrixMarket, type Csr } from '@filigree/sparse/formats';
import { writeOut, writeProgram } from '../write-sources.js';
import type { ExpressionRun } from './expression-run.js';

/** Writes the sources of an expression, and the pattern of its result as a matrix file. Error: `emit/unwritable`. */
export const writeExpression = async (folder: string, { built, result }: ExpressionRun): Promise<void> => {
  await writeProgram(folder, built.instance.sources, built.instance.module);
  await writeOut(join(folder, 'pattern.mtx'), orThrow(writeMatrixMarket(result, { field: 'pattern' })));
};

/** Writes the result as a Matrix Market file. Errors: `emit/unwritable`, `mtx/value` where it is not finite. */
export const writeResult = async (file: string, result: Csr<Float64Array>): Promise<void> =>
  writeOut(file, orThrow(writeMatrixMarket(result)));
