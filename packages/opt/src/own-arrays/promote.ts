import { rare } from '#rare';
import { corePass } from '../support/core-pass.js';
import { MOST_ELEMENTS } from './write-out.js';

/**
 * Makes values of the elements of small arrays of an iteration's own, scratch buffers, where each access names its element by a constant: branches and loops hand them on as results and as what they carry. Then nothing of them is memory.
 *
 * Arrays stay that a team shares, or of which an iteration of a parallel loop, or one that wants lanes, reads what it has not written.
 */
export const promote = corePass('promote', {}, (dialects) => (module) => {
  const small = module.buffers.some((b) => b.role === 'scratch' && b.length <= MOST_ELEMENTS);
  return small ? rare().promoteArrays(module, dialects) : module;
});
