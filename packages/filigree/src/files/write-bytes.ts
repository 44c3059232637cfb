import { platform } from '#platform';

/**
 * Writes a file completely or not at all, with the folders that it needs. Errors: `file/unwritable`; in a browser `platform/node`.
 */
export const writeBytes = async (path: string, bytes: Uint8Array): Promise<void> => platform.writeBytes(path, bytes);
