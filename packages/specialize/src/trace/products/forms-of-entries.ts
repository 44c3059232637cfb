import { defaultOptions } from '../../options.js';
import { placesIn } from './places-in.js';
import { rowCounts } from './row-counts.js';
import { isProduct, type SumOfProducts } from './sum-of-products.js';

const MOST_FORMS = 32;

/** Whether entries have few forms, each short enough to be written out: numbers of terms of each part. */
export const hasFewForms = ({ parts, pattern }: SumOfProducts): boolean => {
  const most = defaultOptions.group.maxUnrolledTerms;
  const form = new Int32Array(pattern.colIdx.length);
  for (const part of parts) {
    const counts = isProduct(part) ? rowCounts(part.pattern, part.left.pattern, part.right.pattern).all() : undefined;
    const at = placesIn(part.pattern, pattern);
    const number = new Map<number, number>();
    const terms = new Uint8Array(form.length);
    for (let e = 0; e < at.length; e++) {
      const n = counts?.[e] ?? 1;
      if (n > most) return false;
      terms[at[e]] = n;
    }
    for (let e = 0; e < form.length; e++) {
      const key = form[e] * (most + 1) + terms[e];
      let known = number.get(key);
      if (known === undefined) number.set(key, (known = number.size));
      form[e] = known;
    }
    if (number.size > MOST_FORMS) return false;
  }
  return true;
};
