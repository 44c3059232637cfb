import type { Graph } from '@filigree/ir';
import { countProducts, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import { CONSTANT } from '../../decompose/codes.js';
import type { InputSlot } from '../input-slot.js';
import { inputMatrix, type InputMatrix } from './input-matrix.js';

/** A·B: each entry is the sum, in increasing k, of the products of an entry (i, k) of the one and (k, j) of the other. */
export interface ProductOfInputs {
  readonly left: InputMatrix;
  readonly right: InputMatrix;
}

/** Products of matrices that need no nodes while nobody reads their entries. */
export interface UnreadProducts {
  /** Such a product of two matrices, if it can be one; `make` makes the nodes of its entries, when they are first asked for. */
  readonly product: (
    a: Csr<Int32Array>,
    b: Csr<Int32Array>,
    pattern: CsrPattern,
    make: () => Int32Array,
  ) => Csr<Int32Array> | undefined;
  /** What a matrix is the product of, if its entries still need no nodes. */
  readonly factors: (matrix: object) => ProductOfInputs | undefined;
}

/** Smaller ones are nodes, of which `decompose` sees more. */
const LEAST_PRODUCTS = 1000;
/** Where its two factors stand. */
const BYTES_A_PRODUCT = 8;

/**
 * Products of two different inputs. Every entry of such a product has a product of two elements that no other entry has, so that none equals another, or anything else in a
 * program that computes nothing but products of other pairs of inputs: there is no value to share, and nothing for which an entry would have to be found.
 */
export const unreadProducts = (graph: Graph, inputs: readonly InputSlot[]): UnreadProducts => {
  const known = new WeakMap<object, { readonly of: ProductOfInputs; read: boolean }>();
  const pairs = new Map<string, number>();
  const pairOf = ({ left, right }: ProductOfInputs): string => [left.input, right.input].sort((x, y) => x - y).join();
  return {
    product: (a, b, pattern, make) => {
      if (!graph.findsByResidues || countProducts(a.pattern, b.pattern) < LEAST_PRODUCTS) return undefined;
      const left = inputMatrix(inputs, a);
      const right = left && inputMatrix(inputs, b);
      if (left === undefined || right === undefined || left.input === right.input) return undefined;
      const of = { left, right };
      const bytes = BYTES_A_PRODUCT * countProducts(a.pattern, b.pattern);
      graph.charge(bytes);
      pairs.set(pairOf(of), (pairs.get(pairOf(of)) ?? 0) + 1);
      const state = { of, read: false };
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
    factors: (matrix) => {
      const state = known.get(matrix);
      return state === undefined || state.read || pairs.get(pairOf(state.of))! > 1 || !isInputsAlone(graph, inputs)
        ? undefined
        : state.of;
    },
  };
};

/** Whether there is nothing in a graph but inputs and numbers. */
const isInputsAlone = ({ op, length }: Graph, inputs: readonly InputSlot[]): boolean => {
  const last = inputs[inputs.length - 1];
  for (let id = last.firstNode + last.length; id < length; id++) if (op[id] !== CONSTANT) return false;
  return true;
};
