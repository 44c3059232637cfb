import { rare } from '#rare';
import type { Region } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Writes out short loops that go through small arrays of an iteration's own, which are scratch buffers, and through small tables: `for (k < 9) f[k] += w[k] * x`. All that is then read and written are
 * elements that are known, which `promote` makes values of, so that nothing of the array is memory and the loop around has a body for lanes.
 *
 * An array is taken if each of its indices is made of constants and of counters of such loops: `for (a < 4) for (b = a + 1; b < 9)` are two. Arrays that are few variables, chosen by comparing an index with numbers, are taken likewise. Option `maxOps` (default 4096): the ops beyond which a kernel does not grow; arrays for which it would stay as they are.
 */
export const writeOut = corePass('write-out', { maxOps: 4096 }, (dialects, { maxOps }) => (module) => {
  const small = module.buffers.some((b) => (b.role === 'scratch' || b.role === 'const') && b.length <= MOST_ELEMENTS);
  return small || module.kernels.some(({ body }) => choosesInLoops(body))
    ? rare().writeOutLoops(module, dialects, maxOps)
    : module;
});

/** Whether a loop asks whether something is a number. */
const choosesInLoops = (region: Region, inLoop = false): boolean =>
  region.ops.some(
    ({ name, attrs, regions }) =>
      (inLoop && name === 'arith.cmp' && attrs['predicate'] === 'eq') ||
      regions.some((r) =>
        choosesInLoops(r, inLoop || (name === 'scf.for' && attrs['parallel'] !== true && attrs['simd'] !== true)),
      ),
  );

/** Arrays of more elements are memory. */
export const MOST_ELEMENTS = 64;
