import type { FieldProgram } from '../api/program.js';
import { readBytes } from './bytes.js';
import { writeBytes } from './write-bytes.js';

/** Saves the contents of all fields of a program to a file, completely or not at all. Error: `file/unwritable`. */
export const saveFields = (program: Pick<FieldProgram, 'save'>, path: string): Promise<void> =>
  writeBytes(path, program.save());

/**
 * Restores the fields of a program from a file. The program must have the layout of the one that was saved; its budget
 * and kernels may differ. Errors: `file/…`, `arena/…`; nothing has changed then.
 */
export const loadFields = async (program: Pick<FieldProgram, 'load'>, path: string): Promise<void> =>
  program.load(await readBytes(path));
