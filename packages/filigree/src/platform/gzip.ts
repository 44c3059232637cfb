import { fail } from '@filigree/ir';

/** Whether bytes begin like a gzip file. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Bytes as they are, or what gzip packed into them. Fails with `file/gzip` where they begin like gzip and are not. */
export const unpack = (bytes: Uint8Array, name: string, gunzip: (packed: Uint8Array) => Uint8Array): Uint8Array => {
  if (!isGzip(bytes)) return bytes;
  try {
    return gunzip(bytes);
  } catch (e) {
    return brokenGzip(name, e);
  }
};

export const brokenGzip = (name: string, e: unknown): never =>
  fail(
    'file/gzip',
    `'${name}' begins like a gzip file but cannot be unpacked (${e instanceof Error ? e.message : String(e)})`,
    {
      remedy: 'fetch or pack the file again',
    },
  );
