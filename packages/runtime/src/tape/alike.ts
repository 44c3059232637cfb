import type { Scalar } from '@filigree/ir';

/** Whether two launches were given the same arguments. */
export const areSame = (a: readonly Scalar[], b: readonly Scalar[]): boolean => {
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return false;
  return a.length === b.length;
};
