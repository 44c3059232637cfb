import { mapKernels, opWith, rewriteOps, type Dialect, type Kernel, type Module, type Op } from '@filigree/ir';
import { factsOf, type Facts } from '../support/facts.js';

/** What tells loops apart: the id of what they count. */
export const counterOf = (loop: Op): number => loop.regions[0]!.params[0]!.id;

/**
 * Keeps loops off lanes: they say `lanes = 1`.
 *
 * @param find the counters of such loops in a kernel
 */
export const offLanes =
  (dialects: readonly Dialect[], find: (kernel: Kernel, facts: Facts) => ReadonlySet<number>) =>
  (module: Module): Module => {
    const facts = factsOf(dialects);
    return mapKernels(module, (kernel) => {
      const found = find(kernel, facts);
      return found.size === 0
        ? kernel
        : rewriteOps(kernel, dialects, (op) =>
            op.name === 'scf.for' && found.has(counterOf(op))
              ? { ops: [opWith(op, { attrs: { ...op.attrs, lanes: 1 } })], values: op.results }
              : undefined,
          );
    });
  };
