/** Where large arrays come from: memory of this thread, or memory that threads share. It is zero. */
export type Allocate = (bytes: number) => ArrayBufferLike;

/** Memory of this thread alone. */
export const ownMemory: Allocate = (bytes) => new ArrayBuffer(bytes);

export const wordsFor = (codes: number, allocate: Allocate): Uint32Array =>
  new Uint32Array(allocate(4 * Math.ceil(codes / 32)));
