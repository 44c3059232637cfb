import type { TypedArray } from '../kernel/op.js';
import type { ScalarType } from '../kernel/type.js';
import { allocateArray, bytesOf } from '../kernel/typed-array.js';

/** Little-endian bytes of typed data as base64. */
export const encodeBase64 = (data: TypedArray): string => {
  const bytes = littleEndianBytes(data);
  /* A multiple of three bytes a piece, so that the pieces' texts join without padding between them. */
  const piece = 3 * 8192;
  const out: string[] = [];
  for (let i = 0; i < bytes.length; i += piece) out.push(btoa(String.fromCharCode(...bytes.subarray(i, i + piece))));
  return out.join('');
};

/** The inverse; undefined where the text is not base64 or does not hold whole elements of the type. */
export const decodeBase64 = (text: string, type: ScalarType): TypedArray | undefined => {
  const raw = decode(text);
  if (raw === undefined) return undefined;
  const size = allocateArray(type, 0).BYTES_PER_ELEMENT;
  if (raw.length % size !== 0) return undefined;
  const data = allocateArray(type, raw.length / size);
  const bytes = bytesOf(data);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  bytes.set(littleEndian(bytes, size));
  return data;
};

/** The bytes of typed data, least significant first: those in memory, or a copy where the machine orders them otherwise. */
export const littleEndianBytes = (data: TypedArray): Uint8Array => littleEndian(bytesOf(data), data.BYTES_PER_ELEMENT);

const decode = (text: string): string | undefined => {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
};

const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const littleEndian = (bytes: Uint8Array, size: number): Uint8Array => {
  if (hostIsLittle || size === 1) return bytes;
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = bytes[i - (i % size) + size - 1 - (i % size)];
  return out;
};
