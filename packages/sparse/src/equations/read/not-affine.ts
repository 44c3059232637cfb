import { fail, type Op } from '@filigree/ir';

/** Refuses an op that regions cannot follow. */
export const notAffine = (op: Op, why: string): never =>
  fail('equations/not-affine', `${op.name}: ${why}`, {
    loc: op.loc,
    remedy: 'regions are found for loops with affine bounds, conditions and indices only',
  });
