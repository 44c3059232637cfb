import type { Backend, Bank } from '@filigree/backend';
import { assembler } from '../compile/assemble.js';
import { builtin } from './builtin.js';

/**
 * Keeps what modules were lowered to, in Node; a browser has no such cache.
 *
 * @param serves whether a backend is the one that it keeps things for
 * @param options what that was made with
 */
export const bankOf = (serves: (backend: Backend) => boolean, options: string): Bank => {
  const fs = builtin<typeof import('node:fs')>('node:fs')!;
  const crypto = builtin<typeof import('node:crypto')>('node:crypto')!;
  const bank = async (): Promise<Bank> =>
    (await import('@filigree/backend/native')).diskBank({
      file: 'kernels.wasm',
      serves,
      identity: async () => [options, assembler],
      artifact: (path) => ({ backend: 'wasm', bytes: new Uint8Array(fs.readFileSync(path)) }),
    });
  const opened: { bank?: Bank } = {};
  return {
    identity: async (...args) => (opened.bank ??= await bank()).identity(...args),
    key: (...parts) => {
      const hash = crypto.createHash('sha256');
      for (const p of parts) hash.update(`${p.length}:`).update(p);
      return hash.digest('hex');
    },
    read: (...args) => opened.bank!.read(...args),
    write: async (...args) => opened.bank!.write(...args),
    artifact: (...args) => opened.bank!.artifact(...args),
  };
};
