import type { Op } from '@filigree/ir';
import { isFunction } from '@filigree/opt';

/** The place of the last loop among ops. */
export const lastLoop = (ops: readonly Op[]): number =>
  ops.findLastIndex((op) => op.name === 'scf.for' || op.name === 'scf.while');

/** Whether a loop has functions such as tanh behind its inner loops. */
export const endsInFunctions = ({ name, regions }: Op): boolean => {
  if (name !== 'scf.for') return false;
  const [{ ops }] = regions as [(typeof regions)[number]];
  const last = lastLoop(ops);
  return last >= 0 && ops.slice(last + 1).some(isFunction);
};
