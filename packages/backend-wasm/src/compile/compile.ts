import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt, fail, type Diagnostics, checkOptions } from '@filigree/ir';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import { compileSpec } from '@filigree/backend/options';
import { ALONE } from '../emit/alone.js';
import { throughCache } from '../node/cache.js';
import { assemble, assembler } from './assemble.js';

/** The one file that `emit` writes. */
export const sourceFile = 'kernels.wat';

/** Assembles sources: in Node through the cache on disk, in a browser anew each time. Errors: `wasm/sources`, `wasm/text`. */
export const compileSources = (sources: Sources, choices?: CompileOptions): TaskEither<Diagnostics, Artifact> =>
  attempt(async () => {
    const options = checkOptions('compile', choices, compileSpec);
    const started = performance.now();
    const text =
      sources.files.find((f) => f.name === sourceFile)?.contents ??
      fail('wasm/sources', `these sources of backend '${sources.backend}' have no ${sourceFile}`, {
        remedy: "pass what this backend's emit made",
      });
    const given = typeof text === 'string' ? text : new TextDecoder().decode(text);
    /* The text has what one thread does in comments. Its hash is that of what is assembled, so artifacts for one thread are others. */
    const wat = options.oneThread === true ? ALONE.only(given) : given;
    const hash = await contentHash(`${assembler}\n${wat}`);
    const { bytes, cached, warnings } = await throughCache(hash, options.cache, () => Promise.resolve(assemble(wat)));
    const compileMs = performance.now() - started;
    return { backend: 'wasm', hash, bytes, cached, compileMs, ...(warnings.length > 0 ? { warnings } : {}) };
  });

/** SHA-256 in hex. Browsers have it on secure pages only; elsewhere, where nothing is cached, a weaker hash serves as a name. */
const contentHash = async (text: string): Promise<string> => {
  const bytes = new TextEncoder().encode(text);
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle;
  if (subtle === undefined) return fnv(bytes);
  return hex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
};

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

/** FNV-1a twice, with different constants. */
const fnv = (bytes: Uint8Array): string => {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (const x of bytes) {
    a = Math.imul(a ^ x, 0x01000193);
    b = Math.imul(b ^ x, 0x85ebca6b);
  }
  return `fnv-${(a >>> 0).toString(16)}${(b >>> 0).toString(16)}-${bytes.length}`;
};
