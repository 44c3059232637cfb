import type { Place } from '@filigree/backend/device';
import type { TypedArray } from '@filigree/ir';
import { arenaIn, type Arena as Memory, type Storage } from '@filigree/sparse/fields';

/** A storage and its memory, as the host sees them. */
export interface Arena extends Memory {
  /** Called before each access, with what is more than to read and write values; throws while the memory must not be touched. */
  readonly ready: (use?: ArenaUse) => void;
  /** Where it lies in a memory that programs can share, if it does. */
  readonly place?: Place;
}

/** Cells may be activated or deactivated; the memory itself is handed out, so that accesses to it will not be seen. */
export type ArenaUse = 'structure' | 'hold';

/**
 * The arena in these buffers, which are those of `storage.buffers` by name, all over one memory. Error: `arena/buffers` where
 * they are not.
 */
export const openArena = (
  storage: Storage,
  buffers: Readonly<Record<string, TypedArray>>,
  ready: (use?: ArenaUse) => void = () => {},
  place?: Place,
): Arena => ({ ...arenaIn(storage, buffers), ready, ...(place && { place }) });
