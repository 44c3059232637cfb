import { fail } from '@filigree/ir';
import type { FieldProgram } from '../api/program.js';
import { readBytes } from './bytes.js';
import { writeBytes } from './write-bytes.js';

/** Saves the contents of all fields of a program to a file, completely or not at all. Errors: `file/unwritable`, `program/form`. */
export const saveFields = async (program: Pick<FieldProgram, 'save'>, path: string): Promise<void> =>
  writeBytes(path, withFields(program, 'save').save());

/**
 * Restores the fields of a program from a file. The program must have the layout of the one that was saved; its budget
 * and kernels may differ. Errors: `file/…`, `arena/…`, `program/form`; nothing has changed then.
 */
export const loadFields = async (program: Pick<FieldProgram, 'load'>, path: string): Promise<void> =>
  withFields(program, 'load').load(await readBytes(path));

const withFields = <P extends object>(program: P, method: keyof P): P =>
  typeof program?.[method] === 'function'
    ? program
    : fail('program/form', 'there is no program whose fields are meant', { remedy: 'give what program() resolves to' });
