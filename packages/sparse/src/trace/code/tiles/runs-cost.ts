import type { CsrPattern } from '../../../formats/patterns/csr.js';
import { forEachRun } from '../run-rows.js';
import type { Prices } from './prices.js';

/** What a row costs by runs of its columns. */
export const runsCost = (p: CsrPattern, i: number, prices: Prices): number => {
  let [runs, vectors] = [0, 0];
  forEachRun(p, i, (_, length) => {
    runs++;
    vectors += Math.floor(length / prices.lanes);
  });
  return prices.runs(runs, vectors, p.rowPtr[i + 1] - p.rowPtr[i] - vectors * prices.lanes);
};
