import type { DeviceBuffer, Mirror } from '@filigree/backend/device';
import { arrayConstructor, type TypedArray } from '@filigree/ir';
import { lastCell } from '@filigree/sparse/cells';
import { HANDS, isPooled, LINE, STATUS_WORDS, type PooledStorage, type Storage } from '@filigree/sparse/fields';

/** Which parts of an arena the host is about to look at, and whether it writes there. */
export interface Parts {
  /** The nodes below the root with all within them; default all. */
  readonly branches?: ReadonlySet<number>;
  readonly writes: boolean;
}

/** The arena of a device that the host does not see. */
export interface MirroredArena {
  /** Its arrays, by the names of `storage.buffers`. */
  readonly buffers: Readonly<Record<string, TypedArray>>;
  /** Brings parts up to date. */
  readonly look: (parts: Parts) => void;
  /** Brings the status words up to date, and nothing else: fetched from the device at each call. */
  readonly lookAtStatus: () => void;
  /** Brings the status words up to date, for the host to write. */
  readonly changeStatus: () => void;
}

/** @param of the words of the arena, in the block that is mirrored */
export const mirroredArena = (storage: Storage, mirror: Mirror, of: DeviceBuffer): MirroredArena => {
  const start = of.offset;
  const buffers = Object.fromEntries(
    storage.buffers.map(({ name, type, length }) => [
      name,
      new (arrayConstructor(type))(mirror.bytes, start, length) as TypedArray,
    ]),
  );
  const seen = new Map<Parts['branches'], number>();
  const words = new Int32Array(mirror.bytes, start, storage.bytes / 4);
  const status = storage.status / 4;
  const access = (writes: boolean) => (at: number, bytes: number, end?: () => number) =>
    writes
      ? mirror.change(start + at, start + at + bytes, end && ((): number => start + end()))
      : mirror.look(start + at, start + at + bytes);
  return {
    buffers,
    look: ({ branches, writes }) => {
      if (!writes && seen.get(branches) === mirror.age()) return;
      const see = access(writes);
      const { nodes } = storage;
      const top = nodes[0].node.children.filter((id) => !branches || branches.has(id));
      for (const id of top) see(storage.root + nodes[id].offset, nodes[id].containerBytes);
      const within = (id: number): boolean => top.some((branch) => isWithin(storage, id, branch));
      for (const at of nodes) if (isPooled(at) && within(at.node.id)) lookAtPool(at, words, see);
      seen.set(branches, mirror.age());
    },
    lookAtStatus: () => void of.read(words.subarray(status, status + STATUS_WORDS), status),
    changeStatus: () => access(true)(storage.status, storage.root - storage.status),
  };
};

const isWithin = ({ nodes }: Storage, id: number, branch: number): boolean => {
  for (let at = id; at >= 0; at = nodes[at].node.parent) if (at === branch) return true;
  return false;
};

/** The cells of a pool that were ever given out, and what is kept of them; `end`s are where new ones end. */
const lookAtPool = (
  { pool, cellBytes }: PooledStorage,
  words: Int32Array,
  see: (at: number, bytes: number, end?: () => number) => void,
): void => {
  see(pool.lots.opened, 8);
  see(pool.used, 8);
  see(pool.recycledCount, 8);
  see(pool.lots.taken, LINE * words[pool.lots.opened / 4]);
  see(pool.lots.hands, LINE * HANDS);
  see(pool.free, 4 * words[pool.freeCount / 4], () => pool.free + 4 * words[pool.freeCount / 4]);
  see(pool.recycled, 4 * words[pool.recycledCount / 4]);
  const last = lastCell(words, pool);
  const each: readonly (readonly [number, number])[] = [
    [pool.cells, cellBytes],
    [pool.active, 4],
    [pool.coordinates, 4 * pool.axes.length],
  ];
  for (const [at, bytes] of each) see(at, bytes * last, () => at + bytes * lastCell(words, pool));
  if (pool.table) see(pool.table.slots, 4 * pool.table.size);
};
