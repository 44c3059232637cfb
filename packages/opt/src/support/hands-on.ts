import type { Op } from '@filigree/ir';

/** Whether a loop runs its iterations one after the other and hands something on. */
export const handsOn = ({ name, attrs, results }: Op): boolean =>
  name === 'scf.for' &&
  results.length > 0 &&
  attrs['parallel'] !== true &&
  attrs['simd'] !== true &&
  attrs['independent'] !== true;
