import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpp } from '@filigree/backend-cpp';

/* Tests leave the user's cache alone, and are quick the second time all the same. */
process.env['FILIGREE_CACHE_DIR'] ??= join(tmpdir(), 'filigree-test-cache');

/** Whether a C++ compiler works here. Where CI=true it must: then the lack of one fails the file instead of skipping it. */
export const toolchainHere = async (): Promise<boolean> => {
  const { usable, reason } = await cpp().probe();
  if (!usable && process.env['CI'] === 'true') throw new Error(reason);
  return usable;
};
