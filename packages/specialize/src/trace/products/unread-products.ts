import type { Graph } from '@filigree/ir';
import { countProducts, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import { CONSTANT } from '../../decompose/codes.js';
import type { Sums } from '../elements/elements.js';
import type { InputSlot } from '../input-slot.js';
import { areDistinct } from './distinct.js';
import type { ProductOfStored } from './product-of-stored.js';
import { storedMatrix } from './stored-matrix.js';

/** Products of matrices that need no nodes while nobody reads their entries. */
export interface UnreadProducts {
  /** Such a product of two matrices, if it can be one; `make` makes the nodes of its entries, when they are first asked for. */
  readonly product: (
    a: Csr<Int32Array>,
    b: Csr<Int32Array>,
    pattern: CsrPattern,
    make: () => Int32Array,
  ) => Csr<Int32Array> | undefined;
  /** Whether nobody has read the entries of a matrix. */
  readonly isUnread: (matrix: object) => boolean;
  /** What unread matrices are products of, if their entries need no nodes now that everything else has them. */
  readonly settled: (matrices: readonly object[]) => ReadonlyMap<object, ProductOfStored>;
}

/** Where its two factors stand. */
const BYTES_A_PRODUCT = 8;

/**
 * Products that nobody reads. Their entries need no nodes where none equals another, or anything else: then there is no value to share, and nothing for which one would
 * have to be found.
 *
 * @param sums those of sparse algebra
 * @param isStored whether a node stands for one of them as it is
 * @param isAlgebra whether nothing else is listed in columns
 */
export const unreadProducts = (
  graph: Graph,
  inputs: readonly InputSlot[],
  sums: readonly Sums[],
  isStored: (id: number) => boolean,
  isAlgebra: () => boolean,
): UnreadProducts => {
  const known = new WeakMap<object, { readonly of: ProductOfStored; read: boolean }>();
  const isUnread = (matrix: object): boolean => known.get(matrix)?.read === false;
  const onlyVariables = (): boolean => {
    const last = inputs[inputs.length - 1];
    for (let id = last.firstNode + last.length; id < graph.length; id++)
      if (graph.op[id] !== CONSTANT && !isStored(id)) return false;
    return isAlgebra();
  };
  return {
    product: (a, b, pattern, make) => {
      const left = storedMatrix(inputs, isStored, a);
      const right = left && storedMatrix(inputs, isStored, b);
      if (left === undefined || right === undefined) return undefined;
      const bytes = BYTES_A_PRODUCT * countProducts(a.pattern, b.pattern);
      graph.charge(bytes);
      const state = { of: { left, right, pattern }, read: false };
      let values: Int32Array | undefined;
      const matrix: Csr<Int32Array> = {
        pattern,
        get values() {
          if (!state.read) graph.charge(-bytes);
          state.read = true;
          return (values ??= make());
        },
      };
      known.set(matrix, state);
      return matrix;
    },
    isUnread,
    settled: (matrices) => {
      const products = new Map(matrices.filter(isUnread).map((m) => [m, known.get(m)!.of]));
      const all = [...products.values()];
      const differ = all.length > 0 && onlyVariables() && (areOfInputs(all, sums) || areDistinct(graph, all, sums));
      return differ ? products : new Map();
    },
  };
};

/**
 * Whether all are products of two different inputs, each pair once, and there is nothing else: then each entry has a product of two elements that no other has, if no
 * element stands twice in a factor.
 */
const areOfInputs = (products: readonly ProductOfStored[], sums: readonly Sums[]): boolean => {
  const pairs = products.map(({ left, right }) => [left.input ?? SUMS, right.input ?? SUMS].sort((x, y) => x - y));
  return (
    sums.length === 0 &&
    new Set(pairs.map((p) => p.join())).size === pairs.length &&
    pairs.every(([a, b]) => a !== SUMS && a !== b) &&
    products.every(({ left, right }) => standOnce(left.values) && standOnce(right.values))
  );
};

const SUMS = -1;

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
