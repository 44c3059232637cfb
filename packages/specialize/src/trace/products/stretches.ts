import { isProduct, type Part } from './sum-of-products.js';

/**
 * How the parts of a sum are added up: the terms of one stretch are, then this is scaled, then it is added to the stretches before it. To a first stretch that is not scaled its terms
 * are added one by one.
 */
export interface Stretches {
  /** By part. */
  readonly of: readonly number[];
  /** By part: whether its terms are subtracted within the stretch. */
  readonly negative: readonly boolean[];
  /** By stretch. */
  readonly scales: readonly number[];
}

/** @param anyOrder whether additions may be made in any order, and factors be taken out of sums */
export const stretchesOf = (parts: readonly Part[], anyOrder: boolean): Stretches => {
  const scales: number[] = [];
  if (anyOrder) {
    const of = parts.map(({ scale }) => {
      const known = scales.indexOf(Math.abs(scale));
      return known < 0 ? scales.push(Math.abs(scale)) - 1 : known;
    });
    return { of, negative: parts.map(({ scale }) => scale < 0), scales };
  }
  /* Matrices that are added to a first stretch, or subtracted from it, stand in it. A sum that is 0 is not −0, so signs of products are those of their sums. */
  let within = true;
  const negative: boolean[] = [];
  const of = parts.map((part, p) => {
    within &&= isProduct(part) ? p === 0 && part.scale === 1 : Math.abs(part.scale) === 1;
    negative.push(within && part.scale < 0);
    return within && p > 0 ? 0 : scales.push(within ? 1 : part.scale) - 1;
  });
  return { of, negative, scales };
};

/** Whether a sum is nothing but terms that are added up. */
export const isPlain = ({ scales }: Stretches): boolean => scales.length === 1 && scales[0] === 1;
