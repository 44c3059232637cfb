import { encode } from 'fast-png';
import { crc32 } from 'node:zlib';
import type { Image } from './image.js';

/** Pictures of one size, one after the other and again from the first, as the bytes of an animated PNG file. */
export const filmPng = (frames: readonly Image[], framesPerSecond = 12): Uint8Array => {
  const [{ width, height }] = frames;
  const parts = [
    SIGNATURE,
    chunk('IHDR', words(width, height), [8, 2, 0, 0, 0]),
    chunk('acTL', words(frames.length, 0)),
  ];
  let sequence = 0;
  frames.forEach(({ data }, k) => {
    const control = words(sequence++, width, height, 0, 0);
    parts.push(chunk('fcTL', control, [0, 1, framesPerSecond >> 8, framesPerSecond & 255, 0, 0]));
    for (const pixels of pixelsOf(encode({ width, height, data, channels: 3, depth: 8 })))
      parts.push(k === 0 ? chunk('IDAT', pixels) : chunk('fdAT', words(sequence++), pixels));
  });
  parts.push(chunk('IEND'));
  return Buffer.concat(parts);
};

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

const words = (...numbers: readonly number[]): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((n, k) => bytes.setUint32(4 * k, n));
  return new Uint8Array(bytes.buffer);
};

const chunk = (type: string, ...contents: readonly ArrayLike<number>[]): Uint8Array => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...contents.map((c) => Uint8Array.from(c))]);
  return Buffer.concat([words(body.length - 4), body, words(crc32(body))]);
};

/** The contents of the chunks of a PNG file that hold its pixels. */
const pixelsOf = (png: Uint8Array): readonly Uint8Array[] => {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const found: Uint8Array[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + view.getUint32(at))
    if (Buffer.from(png.subarray(at + 4, at + 8)).toString('latin1') === 'IDAT')
      found.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  return found;
};
