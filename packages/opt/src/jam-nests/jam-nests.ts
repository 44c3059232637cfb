import { rare } from '#rare';
import { mapKernels, rewriteOps, type Buffer } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { factsOf } from '../support/facts.js';
import { sumsOf } from './sums-of.js';

/**
 * Takes some iterations of a parallel loop at once, and the loops in it together, where each of these adds up and all load the same: in a product of matrices four rows of the result share every row of
 * the second factor while it is in a register, and need not wait for each other's sums. Iterations of a parallel loop do not depend on one another, so that they may as well go through their loops side by side.
 *
 * Taken are nests of loops that compute, load and store, and have the same bounds for all iterations; what an iteration keeps in scratch buffers gets room for each of those that go together. Option `bytes` (default 32): the bytes of a vector register. Throws `option/value` when it is not a positive
 * whole number.
 */
export const jamNests = corePass(
  'jam-nests',
  { bytes: 32 },
  (dialects, { bytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const scratch = new Map(module.buffers.flatMap((b) => (b.role === 'scratch' ? [[b.name, b] as const] : [])));
      const times = new Map<string, number>();
      const grow = (name: string, by: number): void => void times.set(name, Math.max(by, times.get(name) ?? 1));
      const jammed = mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            op.name === 'scf.for' &&
            op.attrs['parallel'] === true &&
            op.results.length === 0 &&
            sumsOf(op.regions[0]!) !== undefined
              ? rare().jamLoop(op, ctx, facts, bytes, { scratch, grow })
              : undefined,
          module.buffers,
        ),
      );
      const grown = (b: Buffer): Buffer => ({ ...b, length: b.length * times.get(b.name)! });
      return times.size === 0
        ? jammed
        : { ...jammed, buffers: jammed.buffers.map((b) => (times.has(b.name) ? grown(b) : b)) };
    };
  },
  { bytes: 1 },
);
