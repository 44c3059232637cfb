import { rare } from '#rare';
import { corePass } from '../support/core-pass.js';

/**
 * Privatisation of sums that scatter: an outermost parallel loop that combines values into elements which indices tell, by atomics whose results are unused, becomes one over as many parts as there are
 * threads. Each combines into memory of its own, without atomics, and a loop over the elements adds up what all have, the first part first. So results do not depend on how fast threads are.
 *
 * It suits processors, where an atomic addition of floats takes several times as long as an addition. Taken are loops that run often enough: what each part has is cleared, and read once more, so that elements may be as many as a few for each
 * value. Where nobody knows how often a loop runs, or between which elements an index lies, nothing changes, nor where iterations touch these elements in other ways.
 *
 * Option `threads` (default 1): how many run loops; 1 changes nothing. Option `bytes` (default 2²⁵): the most that all parts of a kernel's sums take.
 * Option `least` (default 2¹⁶): how many ops a loop should run at the least, below which one thread does it alone.
 */
export const privatizeScatters = corePass(
  'privatize-scatters',
  { threads: 1, bytes: 2 ** 25, least: 2 ** 16 },
  (dialects, options) => (options.threads === 1 ? (module) => module : rare().scattersApart(dialects, options)),
  { threads: 1 },
);
