import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { printPiece, type Piece } from '@filigree/sparse/trace';
import { writeOut, writeProgram } from '../write-sources.js';
import { sourcesOf, type SpmvKernels } from './spmv-kernels.js';

/** Writes the pieces as loops, and the sources of both kernels in folders of their own. Error: `emit/unwritable`. */
export const writeTrace = async (
  folder: string,
  pieces: readonly Piece[],
  { chosen, affine }: SpmvKernels,
  backend: Backend,
): Promise<void> => {
  await writeOut(join(folder, 'pieces.txt'), pieces.map((p) => `${printPiece(p)}\n`).join(''));
  await writeProgram(join(folder, 'chosen'), sourcesOf(chosen.module, backend), chosen.module);
  if (typeof affine === 'string') await writeOut(join(folder, 'affine', 'README'), `${affine}\n`);
  else await writeProgram(join(folder, 'affine'), sourcesOf(affine, backend), affine);
};
