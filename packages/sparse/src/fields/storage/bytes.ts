/**
 * A memory, by an array of any type over it, with which it begins. Arrays of bytes end at 4 GiB, others and memories do not, so
 * bytes are taken from where they are wanted.
 */
export type Memory = ArrayBufferView;

/** Bytes of a memory as an array: at most `MOST_AT_ONCE`, if a part may be larger. */
export const bytesAt = (memory: Memory, at: number, length: number): Uint8Array =>
  new Uint8Array(memory.buffer, memory.byteOffset + at, length);

/** Makes a part of a memory zero. */
export const clearBytes = (memory: Memory, from: number, to: number): void => {
  for (let at = from; at < to; at += MOST_AT_ONCE) bytesAt(memory, at, Math.min(MOST_AT_ONCE, to - at)).fill(0);
};

/** Copies the first of `count` blocks over the others, twice as many at a time. */
export const repeatBytes = (memory: Memory, at: number, size: number, count: number): void => {
  const most = Math.max(1, Math.floor(MOST_AT_ONCE / size));
  for (let done = 1; done < count;) {
    const more = Math.min(done, count - done, most);
    bytesAt(memory, at + done * size, more * size).set(bytesAt(memory, at, more * size));
    done += more;
  }
};

/** Engines take more, but not all of them 4 GiB. */
const MOST_AT_ONCE = 2 ** 30;
