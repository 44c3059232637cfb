import type { Op } from '@filigree/ir';

/** The number that an op makes, where it is a constant. */
export const numberOf = (op: Op | undefined): number | undefined =>
  op?.name === 'arith.constant' && typeof op.attrs.value === 'number' ? op.attrs.value : undefined;
