import { join } from 'node:path';
import type { KernelDecl } from '@filigree/tensor/einsum';
import { cppProject } from '../../api/tensors/cpp-project.js';
import type { TensorProgram } from '../../api/tensors/program.js';
import type { EinsumRunOptions } from './einsum-options.js';
import { writeOut, writeProgram } from '../write-sources.js';

/** Writes the generated sources, or a project of them, into a folder. Error: `emit/unwritable`. */
export const writeEinsum = async (
  folder: string,
  decl: KernelDecl,
  program: TensorProgram,
  { project, dtype }: EinsumRunOptions,
): Promise<void> => {
  if (!project) {
    await writeProgram(folder, program.sources, program.module);
    return;
  }
  for (const { path, contents } of await cppProject([decl], { name: 'kernels', dtype }))
    await writeOut(join(folder, ...path.split('/')), contents);
};
