import { isFloat, mapKernels, opWith, rewriteOps, walk, type Kernel, type Op } from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { handsOn } from '../support/hands-on.js';
import { tripCount } from '../support/trip-count.js';
import { accumulatorsOf } from './accumulators.js';

/**
 * Says of innermost serial loops that keep what goes with the least or greatest number, `if (x > best) { best = x; at = k; }`, and write nothing that
 * their iterations do not depend on one another but for that: they may go on lanes, each of which keeps its own.
 *
 * Option `sums` (default false): also where they add up floats besides, which lanes do in another order.
 */
export const markChoices = corePass('mark-choices', { sums: false as boolean }, (dialects, { sums }) => {
  const facts = factsOf(dialects);
  return (module) =>
    mapKernels(module, (kernel) => {
      if (!holdsSerial(kernel)) return kernel;
      return rewriteOps(
        kernel,
        dialects,
        (op, ctx) => {
          if (!isPlainSerial(op)) return undefined;
          const trips = tripCount(facts.control(op)?.count, (v) => constantIn(v, ctx.definition, facts));
          if ((trips !== undefined && trips < FEW) || !keepsChoices(op, sums) || !isReader(op, facts)) return undefined;
          return { ops: [opWith(op, { attrs: { ...op.attrs, independent: true } })], values: op.results };
        },
        module.buffers,
      );
    });
});

/** Whether a kernel has such a loop at all, as most do not. */
const holdsSerial = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => void (found ||= isPlainSerial(op)));
  return found;
};

/** A loop that hands something on, holds no other, and of which nothing is said yet. */
const isPlainSerial = (op: Op): boolean =>
  handsOn(op) &&
  ['simd', 'lanes'].every((said) => op.attrs[said] === undefined) &&
  op.regions[0]!.ops.every(({ regions }) => regions.length === 0);

const keepsChoices = (loop: Op, sums: boolean): boolean => {
  const kinds = accumulatorsOf(loop) ?? [];
  return (
    kinds.includes('choose') && kinds.every((kind, k) => kind !== 'add' || sums || !isFloat(loop.results[k]!.type))
  );
};

const isReader = (loop: Op, facts: Facts): boolean => {
  const { writes, external } = facts.footprint(loop);
  return !external && !writes.any && writes.names.size === 0;
};

/** So few iterations are done before lanes are put together. */
const FEW = 16n;
