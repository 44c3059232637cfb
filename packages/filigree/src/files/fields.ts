import type { FieldProgram } from '../api/program.js';
import { readBytes } from './bytes.js';
import { writeBytes } from './write-bytes.js';

/** Saves what all fields of a program hold to a file, whole or not at all. Error: `file/unwritable`. */
export const saveFields = (program: Pick<FieldProgram, 'save'>, path: string): Promise<void> =>
  writeBytes(path, program.save());

/**
 * Brings the fields of a program to what a file holds; the program has the layout of the one that was saved, with whatever
 * budget and kernels. Errors: `file/…`, `arena/…`; then nothing has changed.
 */
export const loadFields = async (program: Pick<FieldProgram, 'load'>, path: string): Promise<void> =>
  program.load(await readBytes(path));
