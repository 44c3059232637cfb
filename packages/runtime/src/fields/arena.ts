import type { DeviceBuffer, Place } from '@filigree/backend/device';
import type { TypedArray } from '@filigree/ir';
import { arenaIn, type Arena as Memory, type Storage } from '@filigree/sparse/fields';
import { isStrided } from './is-strided.js';
import type { MirroredArena } from './mirrored.js';

/** A storage and its memory, as the host sees them. */
export interface Arena extends Memory {
  /** See `isStrided`. */
  readonly isStrided: boolean;
  /** Called before each access, with what is more than to read values, and the nodes below the root that it is about; throws while the memory must not be touched. */
  readonly ready: (use?: ArenaUse, branches?: ReadonlySet<number>) => void;
  /** How the host sees it where it lies in memory of a device. */
  readonly mirrored?: MirroredArena;
  /** Where it lies in a memory that programs can share, if it does. */
  readonly place?: Place;
  /** A buffer in it as others get it who are seen reading and writing it. */
  readonly guard?: (buffer: DeviceBuffer) => DeviceBuffer;
}

/**
 * Values are written; cells may be activated or deactivated, too; what pools gave out is only settled; the memory itself is handed out, so
 * that accesses to it will not be seen; or for another program to be bound to.
 */
export type ArenaUse = 'values' | 'structure' | 'settle' | 'hold' | 'bind';

/**
 * The arena in these buffers, which are those of `storage.buffers` by name, all over one memory. Error: `arena/buffers` where
 * they are not.
 */
export const openArena = (
  storage: Storage,
  buffers: Readonly<Record<string, TypedArray>> | MirroredArena,
  check: (use?: ArenaUse) => void = () => {},
  place?: Place,
  guard?: Arena['guard'],
): Arena => {
  const mirrored = isMirrored(buffers) ? buffers : undefined;
  return {
    ...arenaIn(storage, isMirrored(buffers) ? buffers.buffers : buffers),
    isStrided: isStrided(storage.layout),
    ready: (use, branches) => {
      check(use);
      if (use !== 'hold' && use !== 'bind')
        mirrored?.look({ writes: use !== undefined, ...(branches && { branches }) });
    },
    ...(mirrored && { mirrored }),
    ...(place && { place }),
    ...(guard && { guard }),
  };
};

const isMirrored = (buffers: Readonly<Record<string, TypedArray>> | MirroredArena): buffers is MirroredArena =>
  typeof buffers['look'] === 'function';
