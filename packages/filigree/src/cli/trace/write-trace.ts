import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { printPiece, type Piece } from '@filigree/sparse/trace';
import { writeOut, writeProgram } from '../write-sources.js';
import { sourcesOf, type SpmvKernels } from './spmv-kernels.js';

/**
 * Writes the pieces as loops, and the sources of both kernels in folders of their own, with what the order of their values is. Error: `emit/unwritable`.
 */
export const writeTrace = async (
  folder: string,
  pieces: readonly Piece[],
  { chosen, affine }: SpmvKernels,
  backend: Backend,
): Promise<void> => {
  await writeOut(join(folder, 'pieces.txt'), pieces.map((p) => `${printPiece(p)}\n`).join(''));
  await writeOut(join(folder, 'README'), README);
  await writeProgram(join(folder, 'chosen'), sourcesOf(chosen.module, backend), chosen.module);
  await writeOut(join(folder, 'chosen', 'order.txt'), Array.from(chosen.from, (k) => `${k}\n`).join(''));
  if (typeof affine === 'string') await writeOut(join(folder, 'affine', 'README'), `${affine}\n`);
  else await writeProgram(join(folder, 'affine'), sourcesOf(affine, backend), affine);
};

const README = `pieces.txt: the non-zeros as loops; each visits (position among the values, row, column).

Two kernels that compute y = A x for this pattern:
  affine  from the pieces alone. A holds the values row by row, as compressed rows do.
  chosen  by the cost model. A holds them in the order in which it reads them: element k
          is value n, counted from 0 row by row, where n is line k of chosen/order.txt.
`;
