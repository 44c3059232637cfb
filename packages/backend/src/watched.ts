import type { Watch } from '@filigree/ir';
import type { Backend } from './contract.js';

/** The same backend, watched: whoever compiles for it lets `watch` look at all passes, from those before legalisation to `emit`. */
export const watched = <B extends Backend>(backend: B, watch: Watch | undefined): B =>
  watch === undefined
    ? backend
    : {
        ...backend,
        watch,
        ...(backend.forVectors && { forVectors: (bytes: 16 | 32 | 64) => watched(backend.forVectors!(bytes), watch) }),
      };
