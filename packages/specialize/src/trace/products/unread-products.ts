import type { Graph } from '@filigree/ir';
import { countProducts, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import { CONSTANT } from '../../decompose/codes.js';
import type { Sums } from '../elements/elements.js';
import type { InputSlot } from '../input-slot.js';
import { firstAlike } from './first-alike.js';
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
  /** Such a product and an input that is added to it, or subtracted from it, if one of two matrices is the one and the other the other. */
  readonly combined: (
    a: Csr<Int32Array>,
    b: Csr<Int32Array>,
    pattern: CsrPattern,
    minus: boolean,
    make: () => Int32Array,
  ) => Csr<Int32Array> | undefined;
  /** Whether nobody has read the entries of a matrix. */
  readonly isUnread: (matrix: object) => boolean;
  /** What unread matrices are products of, if their entries need no nodes now that everything else has them. */
  readonly settled: (matrices: readonly object[]) => ReadonlyMap<object, ProductOfStored>;
}

/** Where its two factors stand. */
const BYTES_A_PRODUCT = 8;

/** Entries that are alike are evaluated together where they are this many or fewer. */
const MOST_ALIKE = 4;

/**
 * Products that nobody reads, and what is added to them. Their entries need no nodes where none equals anything else but others that are the same sum of products, which are
 * found together: then there is nothing for which a value would have to be found.
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
  /** A matrix whose values are made when they are first read. */
  const unread = (of: ProductOfStored, bytes: number, make: () => Int32Array): Csr<Int32Array> => {
    graph.charge(bytes);
    const state = { of, read: false };
    let values: Int32Array | undefined;
    const matrix: Csr<Int32Array> = {
      pattern: of.pattern,
      get values() {
        if (!state.read) graph.charge(-bytes);
        state.read = true;
        return (values ??= make());
      },
    };
    known.set(matrix, state);
    return matrix;
  };
  return {
    product: (a, b, pattern, make) => {
      const left = storedMatrix(inputs, isStored, a);
      const right = left && storedMatrix(inputs, isStored, b);
      if (left === undefined || right === undefined) return undefined;
      const bytes = BYTES_A_PRODUCT * countProducts(a.pattern, b.pattern);
      return unread({ left, right, product: pattern, added: [], pattern }, bytes, make);
    },
    combined: (a, b, pattern, minus, make) => {
      /* Where order counts, a sum can be subtracted from nothing. */
      const [sum, other] = isUnread(a) ? [a, b] : [b, a];
      if (!isUnread(sum) || isUnread(other) || (minus && sum === b)) return undefined;
      const matrix = storedMatrix(inputs, isStored, other);
      /* A sum that is stored would be copied where nothing is added to it. */
      if (matrix?.input === undefined) return undefined;
      const { of } = known.get(sum)!;
      const added = [...of.added, { matrix, negative: minus }];
      return unread({ ...of, added, pattern }, BYTES_A_PRODUCT * matrix.values.length, make);
    },
    isUnread,
    settled: (matrices) => {
      const products = new Map(matrices.filter(isUnread).map((m) => [m, known.get(m)!.of]));
      const all = [...products.values()];
      if (all.length === 0 || !onlyVariables()) return new Map();
      if (areOfInputs(all, sums)) return products;
      const alike = firstAlike(graph, all, sums);
      if (alike === undefined || alike.some((first) => mostAlike(first) > MOST_ALIKE)) return new Map();
      return new Map(
        [...products].map(([m, of], k) => [m, mostAlike(alike[k]) > 1 ? { ...of, firstAlike: alike[k] } : of]),
      );
    },
  };
};

/** How many entries are alike at most. */
const mostAlike = (first: Int32Array): number => {
  const count = new Uint32Array(first.length);
  let most = 0;
  for (const e of first) most = Math.max(most, ++count[e]);
  return most;
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
