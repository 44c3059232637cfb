import { transposePattern } from '@filigree/sparse/formats';
import type { ProductPart } from './sum-of-products.js';

/**
 * Of each entry of products of inputs the first that is the same sum of products, `undefined` for products whose entries all differ, where that is known without a look at them: each is a
 * product of two different inputs, or Aᵀ·A of one, and no element stands twice in a factor. Then two elements are multiplied in one entry, or in an entry and its mirror image.
 * `undefined` altogether where there are others, or two of the same inputs.
 */
export const alikeOfInputs = (products: readonly ProductPart[]): readonly (Int32Array | undefined)[] | undefined => {
  const pairs = new Set(products.map(({ left, right }) => [left.source, right.source].sort((x, y) => x - y).join()));
  if (pairs.size < products.length) return undefined;
  const isKnown = ({ left, right }: ProductPart): boolean =>
    left.source >= 0 && right.source >= 0 && standOnce(left.values) && standOnce(right.values);
  if (!products.every((p) => isKnown(p) && (p.left.source !== p.right.source || isOfTransposed(p)))) return undefined;
  return products.map(({ left, right, pattern }) =>
    left.source === right.source ? transposePattern(pattern).from.map((mirror, e) => Math.min(mirror, e)) : undefined,
  );
};

/** Whether the left factor is the right one transposed. */
const isOfTransposed = ({ left, right }: ProductPart): boolean => {
  const { pattern, from } = transposePattern(right.pattern);
  if (from.length !== left.values.length) return false;
  for (let i = 0; i <= pattern.rows; i++) if (pattern.rowPtr[i] !== left.pattern.rowPtr[i]) return false;
  for (let e = 0; e < from.length; e++)
    if (pattern.colIdx[e] !== left.pattern.colIdx[e] || right.values[from[e]] !== left.values[e]) return false;
  return true;
};

const standOnce = (nodes: Int32Array): boolean => {
  let [least, most] = [nodes[0], nodes[0]];
  for (const id of nodes) {
    if (id < least) least = id;
    if (id > most) most = id;
  }
  const seen = new Uint8Array(most - least + 1);
  for (const id of nodes) {
    if (seen[id - least] === 1) return false;
    seen[id - least] = 1;
  }
  return true;
};
