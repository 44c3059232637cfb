import type { Diagnostics } from '@filigree/ir';
import { builtin, isNode } from './builtin.js';

/**
 * Bytes by content hash: from the artifact cache on disk where there is Node, else made anew. In a browser build
 * `@filigree/backend/native`, which holds the cache, is replaced by an empty module (`browser` in package.json).
 */
export const throughCache = async (
  key: string,
  cache: string | false | undefined,
  make: () => Promise<Uint8Array>,
): Promise<{ readonly bytes: Uint8Array; readonly cached: boolean; readonly warnings: Diagnostics }> => {
  const fs = builtin<typeof import('node:fs/promises')>('node:fs/promises');
  if (cache === false || !isNode() || fs === undefined) return { bytes: await make(), cached: false, warnings: [] };
  const { cachedFile } = await import('@filigree/backend/native');
  const { path, cached, warnings } = await cachedFile({
    cache,
    key,
    file: 'kernels.wasm',
    build: async (file) => fs.writeFile(file, await make()),
  });
  return { bytes: new Uint8Array(await fs.readFile(path)), cached, warnings };
};
