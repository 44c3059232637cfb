import { platform } from '#platform';

/**
 * A file's bytes, unpacked if they are packed by gzip; in a browser those of an address. Errors: `file/missing`, `file/folder`,
 * `file/unreadable`, `file/gzip`.
 */
export const readBytes = (path: string): Promise<Uint8Array> => platform.readBytes(path);

/** As `readBytes`, but synchronously; not in a browser. */
export const readBytesSync = (path: string): Uint8Array => platform.readBytesSync(path);

/**
 * Bytes as they are, or what gzip packed into them. Fails with `file/gzip` where they begin like gzip and are not, and in a browser,
 * where nothing unpacks at once.
 */
export const unpack = (bytes: Uint8Array, name: string): Uint8Array => platform.gunzip(bytes, name);
