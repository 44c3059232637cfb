import { rare } from '#rare';
import { walk, type Kernel, type Op } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Puts iterations together that change one element: where a loop counts `i` and changes `coarse[i >> k]`, as restriction to a coarser grid
 * does, 2^k of them become one of a loop over `i >> k`. So the element stays in a register in between, its address is computed once,
 * and iterations of the new loop change elements side by side, which compilers put on lanes. The order of all updates stays.
 *
 * Taken are innermost loops without branches that begin at a constant multiple of 2^k. Option `maxOps` (default 128): the ops up to which the body may
 * grow. Throws `option/value` when it is not a whole number.
 */
export const groupIterations = corePass(
  'group-iterations',
  { maxOps: 128 },
  (dialects, { maxOps }) =>
    (module) =>
      module.kernels.some(halves) ? rare().iterationsGrouped(module, dialects, maxOps) : module,
);

/** Whether some loop shifts what it counts. */
const halves = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => void (found ||= op.name === 'scf.for' && op.regions[0]!.ops.some((o) => isShiftOf(o, op))));
  return found;
};

export const isShiftOf = (op: Op, loop: Op): boolean =>
  op.name === 'arith.shr' && op.operands[0]!.id === loop.regions[0]!.params[0]!.id;
