import { rare } from '#rare';
import { corePass } from '../support/core-pass.js';

/**
 * Loop distribution: a parallel loop that computes much and adds to what other iterations add to as well runs in chunks of two loops. The first
 * computes, on vector lanes; the second does the atomic updates, one after the other and in the order in which they were, with values and
 * indices that the first has left in arrays of the chunk. So what scatters keeps nothing else from lanes.
 *
 * It suits targets that load from where lanes say about as fast as from one place. Taken are innermost loops whose other ops lanes do together, of which
 * none after an update may touch the elements of it, and which compute several times more than is handed on; branches in what is computed become selections, where all that they
 * load is within bounds.
 *
 * Option `chunk` (default 64): the iterations of a chunk. Throws `option/value` when it is not a positive whole number.
 */
export const distribute = corePass(
  'distribute',
  { chunk: 64 },
  (dialects, options) => rare().distributeLoops(dialects, options),
  { chunk: 2 },
);
