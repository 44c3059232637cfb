import type { Op } from '@filigree/ir';

/** Whether a loop counts, and says nothing of iterations that may run at once. */
export const runsInTurn = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && ['parallel', 'simd', 'independent', 'lanes', 'team'].every((said) => attrs[said] === undefined);
