import { fail } from '@filigree/ir';
import { readMedit } from './medit.js';
import type { Mesh, ReadOptions } from './mesh.js';
import { readObj } from './obj.js';
import { readOff } from './off.js';
import { readPlainTets } from './plain-tets.js';
import { readPly } from './ply.js';

/**
 * Reads a mesh from the bytes of a file, choosing the format by the file's name: `.off`, `.obj`, `.ply`, `.mesh` (Medit),
 * or `tetsphere…` (bare counts, coordinates and indices). Compressed files are the caller's to unpack (`node:zlib`).
 * Throws a `DiagnosticError` with file and line where the file is malformed, names a missing vertex or holds an element
 * without area or volume.
 */
export const readMesh = (file: string, bytes: Uint8Array, options: ReadOptions = {}): Mesh => {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1).toLowerCase();
  const text = (): string => new TextDecoder('latin1').decode(bytes);
  if (name.endsWith('.off')) return readOff(file, text(), options);
  if (name.endsWith('.obj')) return readObj(file, text(), options);
  if (name.endsWith('.ply')) return readPly(file, bytes, options);
  if (name.endsWith('.mesh')) return readMedit(file, text(), options);
  if (name.startsWith('tetsphere')) return readPlainTets(file, text(), options);
  return fail('mesh/unknown-format', `cannot tell the format of ${file}`, {
    remedy: 'name it .off, .obj, .ply, .mesh or tetsphere…; unpack .gz files first',
  });
};
