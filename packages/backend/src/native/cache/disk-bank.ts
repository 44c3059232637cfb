import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Artifact, Backend, Bank, CompileOptions } from '../../contract.js';
import { cachedFile, contentHash, findCached } from './artifact-cache.js';
import { ownCode } from './own-code.js';

/** What a bank is of. */
export interface DiskBankOptions {
  /** What the backend was made with, and what it compiles with: everything that its sources and artifacts depend on. */
  readonly identity: (options: CompileOptions) => Promise<readonly string[]>;
  /** Whether a backend still is the one that this bank is of. */
  readonly serves: (backend: Backend) => boolean;
  /** The name of its compiled file in an entry of the cache, and what of an artifact is told by it. */
  readonly file: string;
  readonly artifact: (path: string) => Pick<Artifact, 'backend' | 'path' | 'bytes'>;
}

/** A bank in the artifact cache. */
export const diskBank = (of: DiskBankOptions): Bank => ({
  identity: async (backend, options) => {
    const code = ownCode();
    if (code === undefined || options.cache === false || !of.serves(backend)) return undefined;
    return contentHash(code, backend.name, ...(await of.identity(options)));
  },
  key: contentHash,
  read: (key, { cache }) => {
    const found = findCached({ cache, key, file: FILE });
    if (!found) return { warnings: [] };
    if (found.whole) return { text: readFileSync(found.path, 'utf8'), warnings: [] };
    return {
      warnings: [
        {
          severity: 'warning',
          code: 'cache/broken',
          message: `the entry ${found.path} of the cache is broken; the program is lowered again`,
          remedy: 'nothing: it is written anew; if that goes on, check the disk',
        },
      ],
    };
  },
  write: async (key, text, { cache }) => {
    if (cache === false) return [];
    const { warnings } = await cachedFile({ cache, key, file: FILE, build: (path) => writeFile(path, text) });
    return warnings;
  },
  artifact: (hash, { cache }) => {
    const began = performance.now();
    const found = findCached({ cache, key: hash, file: of.file });
    if (found?.whole !== true) return undefined;
    return { ...of.artifact(found.path), hash, cached: true, compileMs: performance.now() - began };
  },
});

const FILE = 'lowered.json';
