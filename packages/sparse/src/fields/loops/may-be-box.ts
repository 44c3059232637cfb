import type { Op } from '@filigree/ir';

/** Whether an op loops over elements along several axes, says nothing else, and has a loop in it. */
export const mayBeBox = ({ name, attrs, regions }: Op): boolean =>
  name === 'field.for' &&
  Object.keys(attrs).join() === 'node' &&
  regions[0]!.params.length > 1 &&
  regions[0]!.ops.some((op) => op.name === 'scf.for');
