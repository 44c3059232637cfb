import { arenaName, type Storage } from '@filigree/sparse/fields';
import { mirroredArena, type MirroredArena } from '../fields/mirrored.js';
import type { Instance } from '../instantiate.js';
import { reportersIn } from './may-report.js';

/** A program of fields in memory that the host does not see. Loaded where there is such memory: in pages there is none. */
export interface Apart {
  readonly seen: MirroredArena;
  /** Whether a kernel may report something, which the host then has to fetch. */
  readonly mayReport: (kernel: string | undefined) => boolean;
}

export const apart = ({ memory, buffer, given }: Instance, storage: Storage): Apart => {
  const words = buffer(arenaName(storage.memory, 'i32'));
  return {
    seen: mirroredArena(storage, memory.mirror(words.block), words),
    mayReport: reportersIn(given, storage),
  };
};
