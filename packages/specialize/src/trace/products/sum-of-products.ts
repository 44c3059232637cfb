import { transposePattern, type CsrPattern } from '@filigree/sparse/formats';
import type { StoredMatrix } from './stored-matrix.js';

/** A sum of matrices and of products of two matrices: each entry is the sum of what parts have there, in their order. */
export interface SumOfProducts {
  readonly parts: readonly Part[];
  readonly pattern: CsrPattern;
}

/** A matrix or the product of two, times a number: of a product each entry is the sum, in increasing k, of the products of entries (i, k) of the one and (k, j) of the other. */
export interface Part {
  /** 1 for the matrix itself, −1 for one that is subtracted. */
  readonly scale: number;
  readonly left: StoredMatrix;
  readonly right?: StoredMatrix;
  readonly pattern: CsrPattern;
  /** Of each entry of a product the first that is the same sum of products; absent where all differ. */
  readonly firstAlike?: Int32Array;
}

/** A part that is a product. */
export type ProductPart = Part & Required<Pick<Part, 'right'>>;

export const isProduct = (part: Part): part is ProductPart => part.right !== undefined;

/** All matrices that a sum reads, if there is one. */
export const matricesOf = (sum: SumOfProducts | undefined): readonly StoredMatrix[] =>
  sum === undefined ? [] : sum.parts.flatMap((part) => (isProduct(part) ? [part.left, part.right] : [part.left]));

/** Of sums and products of matrices the transposed ones: (A·B)ᵀ = Bᵀ·Aᵀ has the same products in the same order. */
export const transposedSum = ({ parts, pattern }: SumOfProducts): SumOfProducts => ({
  parts: parts.map(({ scale, left, right, pattern: own }) => {
    const turned = transposed(left);
    return right === undefined
      ? { scale, left: turned, pattern: turned.pattern }
      : { scale, left: transposed(right), right: turned, pattern: transposePattern(own).pattern };
  }),
  pattern: transposePattern(pattern).pattern,
});

const transposed = ({ values, pattern: of, ...kind }: StoredMatrix): StoredMatrix => {
  const { pattern, from } = transposePattern(of);
  const turned = new Int32Array(from.length);
  for (let e = 0; e < from.length; e++) turned[e] = values[from[e]];
  return { ...kind, pattern, values: turned };
};
