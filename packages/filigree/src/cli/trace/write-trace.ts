import { join } from 'node:path';
import { printPiece } from '@filigree/sparse/trace';
import { writeOut, writeSources } from '../write-sources.js';
import { sourcesOf } from './spmv-kernels.js';
import type { TraceRun } from './trace-run.js';

/** Writes the pieces as loops, and the sources of both kernels in folders of their own. Error: `emit/unwritable`. */
export const writeTrace = async (folder: string, { kernels, backend, found }: TraceRun): Promise<void> => {
  await writeOut(join(folder, 'pieces.txt'), found.pieces.map((p) => `${printPiece(p)}\n`).join(''));
  if (!kernels || !backend) return;
  await writeSources(join(folder, 'chosen'), sourcesOf(kernels.chosen.module, backend));
  if (typeof kernels.affine === 'string') await writeOut(join(folder, 'affine', 'README'), `${kernels.affine}\n`);
  else await writeSources(join(folder, 'affine'), sourcesOf(kernels.affine, backend));
};
