/**
 * Two 32-bit checks of bytes, for damage and not against malice: FNV-1a over words, in four lanes that are put together in
 * the end, with two multipliers.
 */
export const checksum = (bytes: Uint8Array): readonly [number, number] => [
  lanes(bytes, 0x01000193, 0x811c9dc5),
  lanes(bytes, 0x9e3779b1, 0x85ebca6b),
];

const lanes = (bytes: Uint8Array, multiplier: number, start: number): number => {
  const whole = bytes.byteLength - (bytes.byteLength % 16);
  /* Aligned or not, words are read through a view of aligned copies, a block at a time. */
  const block = new Uint32Array(BLOCK / 4);
  const blockBytes = new Uint8Array(block.buffer);
  let [a, b, c, d] = [start, start + 1, start + 2, start + 3];
  for (let from = 0; from < whole; from += BLOCK) {
    const size = Math.min(BLOCK, whole - from);
    blockBytes.set(bytes.subarray(from, from + size));
    for (let w = 0; w < size / 4; w += 4) {
      a = Math.imul(a ^ block[w], multiplier);
      b = Math.imul(b ^ block[w + 1], multiplier);
      c = Math.imul(c ^ block[w + 2], multiplier);
      d = Math.imul(d ^ block[w + 3], multiplier);
      /* A product keeps low bits low; rotation brings the high ones down. */
      a = (a << 13) | (a >>> 19);
      b = (b << 13) | (b >>> 19);
      c = (c << 13) | (c >>> 19);
      d = (d << 13) | (d >>> 19);
    }
  }
  let hash = Math.imul(a ^ bytes.byteLength, multiplier);
  for (const lane of [b, c, d]) hash = Math.imul((hash ^ lane) + (hash >>> 15), multiplier);
  for (let n = whole; n < bytes.byteLength; n++) hash = Math.imul(hash ^ bytes[n], multiplier);
  return (hash ^ (hash >>> 16)) >>> 0;
};

const BLOCK = 1 << 16;
