import { join } from 'node:path';
import { printPiece } from '@filigree/sparse/trace';
import { writeOut, writeProgram } from '../write-sources.js';
import { sourcesOf } from './spmv-kernels.js';
import type { TraceRun } from './trace-run.js';

/** Writes the pieces as loops, and the sources of both kernels in folders of their own. Error: `emit/unwritable`. */
export const writeTrace = async (folder: string, { kernels, backend, found }: TraceRun): Promise<void> => {
  await writeOut(join(folder, 'pieces.txt'), found.pieces.map((p) => `${printPiece(p)}\n`).join(''));
  if (!kernels || !backend) return;
  const { chosen, affine } = kernels;
  await writeProgram(join(folder, 'chosen'), sourcesOf(chosen.module, backend), chosen.module);
  if (typeof affine === 'string') await writeOut(join(folder, 'affine', 'README'), `${affine}\n`);
  else await writeProgram(join(folder, 'affine'), sourcesOf(affine, backend), affine);
};
