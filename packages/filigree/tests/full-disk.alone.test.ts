import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { marketOf, refusal, scratchFile, workingBackends } from './support.js';

/* A process that once had a folder for temporary files keeps it. */
const A = scratchFile('a.mtx', marketOf([[1, 2]]));
vi.stubEnv('FILIGREE_CACHE_DIR', join(A, 'below-a-file'));
vi.stubEnv('TMPDIR', join(A, 'below-a-file'));
afterAll(() => vi.unstubAllEnvs());

it.each(workingBackends)('where nothing can be written, %s refuses to compile', async (backend) => {
  const error = await refusal('expr', "A'*A", '--bind', `A=${A}`, '--backend', backend);
  expect(error.code).toBe('cache/unwritable');
  expect(error.message).toContain('below-a-file');
});
