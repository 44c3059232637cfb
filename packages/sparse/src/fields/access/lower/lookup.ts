import { rare } from '#lowering';
import type { Address, Emit } from './address.js';
import { cellAt } from './cell-at.js';
import type { Lookup } from './sought.js';

/** The cell that a lookup finds (thesis §5.1). */
export const lookup = (e: Emit, l: Lookup): Address => {
  const { number } = l;
  const { pool, mask, length } = l.node;
  const isDense = pool === undefined && mask === undefined && length === undefined;
  return isDense && number ? cellAt(l, number) : rare().lookupSparse(e, l);
};
