import type { Graph } from '@filigree/ir';
import { countProducts, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import { ARITY, CONSTANT } from '../../decompose/codes.js';
import type { Sums } from '../elements/elements.js';
import type { InputSlot } from '../input-slot.js';
import { alikeOfInputs } from './alike-of-inputs.js';
import { firstAlike } from './first-alike.js';
import { hasFewForms } from './forms-of-entries.js';
import { storedMatrix } from './stored-matrix.js';
import { isPlain, stretchesOf } from './stretches.js';
import { isProduct, matricesOf, transposedSum, type Part, type SumOfProducts } from './sum-of-products.js';

/** A matrix times a number. */
export interface ScaledMatrix {
  readonly scale: number;
  readonly matrix: Csr<Int32Array>;
}

type Matrix = Csr<Int32Array>;
type Make = () => Int32Array;

/**
 * Products of matrices, and sums of such and of inputs, that need no nodes while nobody reads their entries. Each of these makes one, if it can be such; `make` makes the nodes of its
 * entries, when they are first asked for.
 */
export interface UnreadProducts {
  readonly product: (a: ScaledMatrix, b: ScaledMatrix, pattern: CsrPattern, make: Make) => Matrix | undefined;
  readonly combined: (a: Matrix, b: Matrix, pattern: CsrPattern, minus: boolean, make: Make) => Matrix | undefined;
  readonly scaled: (scale: number, a: Matrix, make: Make) => Matrix | undefined;
  readonly transposed: (a: Matrix, make: Make) => Matrix | undefined;
  /** A matrix without the number that can be taken out of its products. */
  readonly withoutScale: (a: Matrix) => ScaledMatrix;
  /** Whether nobody has read the entries of a matrix. */
  readonly isUnread: (matrix: object) => boolean;
  /** What unread matrices are sums of, if their entries need no nodes now that everything else has them. */
  readonly settled: (matrices: readonly object[]) => ReadonlyMap<object, SumOfProducts>;
}

/** Where two factors stand. */
const BYTES_A_PRODUCT = 8;

/** Entries that are alike are evaluated together where they are this many or fewer. */
const MOST_ALIKE = 4;

const MOST_PARTS = 8;

/** Scaled inputs of fewer entries are nodes. */
const LEAST_ENTRIES = 1000;

/**
 * Products that nobody reads, and what is added to them. Their entries need no nodes where next to none equals anything else but others that are the same sum of products, which are
 * found together: then there is nothing for which a value would have to be found.
 *
 * @param sums those of sparse algebra
 * @param nodeOf what stands for a value now
 * @param isStored whether a node stands for one of the sums as it is
 * @param isAlgebra whether nothing else is listed in columns
 */
export const unreadProducts = (
  graph: Graph,
  inputs: readonly InputSlot[],
  sums: readonly Sums[],
  nodeOf: (id: number) => number,
  isStored: (id: number) => boolean,
  isAlgebra: () => boolean,
): UnreadProducts => {
  const known = new WeakMap<object, { readonly of: SumOfProducts; readonly scaled?: ScaledMatrix; read: boolean }>();
  const isUnread = (matrix: object): boolean => known.get(matrix)?.read === false;
  /** A matrix whose values are made when they are first read. */
  const unread = (of: SumOfProducts, bytes: number, make: Make, scaled?: ScaledMatrix): Matrix => {
    graph.charge(bytes);
    const state = { of, read: false, ...(scaled && { scaled }) };
    let values: Int32Array | undefined;
    const matrix: Matrix = {
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
  const partOf = (matrix: Matrix, scale: number): Part | undefined => {
    const left = storedMatrix(inputs, nodeOf, matrix);
    /* A sum that is stored would be copied where nothing is added to it. */
    return left.source < 0 ? undefined : { scale, left, pattern: left.pattern };
  };
  const partsOf = (matrix: Matrix): readonly Part[] => {
    if (isUnread(matrix)) return known.get(matrix)!.of.parts;
    const part = partOf(matrix, 1);
    return part === undefined ? [] : [part];
  };
  const mayScale = (s: number, parts: readonly Part[]): boolean =>
    parts.every(({ scale }) => Number.isFinite(s * scale) && s * scale !== 0) &&
    (graph.algebraic || (parts.length === 1 && (Math.abs(s) === 1 || Math.abs(parts[0].scale) === 1)));
  const withoutScale = (matrix: Matrix): ScaledMatrix => {
    const scaled = known.get(matrix)?.scaled;
    return scaled && (graph.algebraic || Math.abs(scaled.scale) === 1) ? scaled : { scale: 1, matrix };
  };
  return {
    product: (a, b, pattern, make) => {
      const scale = a.scale * b.scale;
      if (!Number.isFinite(scale) || scale === 0) return undefined;
      const [left, right] = [a.matrix, b.matrix].map((m) => storedMatrix(inputs, nodeOf, m));
      const isKnown = (id: number): boolean => id < 0 || graph.op[id] === CONSTANT;
      if ([left, right].some(({ source, values }) => source < 0 && values.some(isKnown))) return undefined;
      const bytes = BYTES_A_PRODUCT * countProducts(left.pattern, right.pattern);
      return unread({ parts: [{ scale, left, right, pattern }], pattern }, bytes, make);
    },
    combined: (a, b, pattern, minus, make) => {
      if (!isUnread(a) && !isUnread(b)) return undefined;
      const [first, second] = [partsOf(a), partsOf(b)];
      const count = first.length + second.length;
      if (first.length === 0 || second.length === 0 || count > MOST_PARTS) return undefined;
      const added = minus ? second.map((part) => ({ ...part, scale: -part.scale })) : second;
      /* Where order counts, a sum goes on with one value after the other; two may change places. */
      if (!graph.algebraic && second.length > 1 && (minus || first.length > 1)) return undefined;
      const parts = second.length > 1 ? [...added, ...first] : [...first, ...added];
      const bytes = BYTES_A_PRODUCT * (a.pattern.colIdx.length + b.pattern.colIdx.length);
      return unread({ parts: productFirst(parts, graph.algebraic), pattern }, bytes, make);
    },
    scaled: (s, a, make) => {
      const parts = partsOf(a);
      if (parts.length === 0 || !mayScale(s, parts)) return undefined;
      if (!isUnread(a) && a.pattern.colIdx.length < LEAST_ENTRIES) return undefined;
      const { scale, matrix } = withoutScale(a);
      const of = { parts: parts.map((part) => ({ ...part, scale: s * part.scale })), pattern: a.pattern };
      const bytes = isUnread(a) ? 0 : BYTES_A_PRODUCT * a.pattern.colIdx.length;
      return unread(of, bytes, make, parts.length === 1 ? { scale: s * scale, matrix } : undefined);
    },
    transposed: (a, make) => {
      if (!isUnread(a)) return undefined;
      const { of } = known.get(a)!;
      const bytes = BYTES_A_PRODUCT * matricesOf(of).reduce((n, { values }) => n + values.length, 0);
      return unread(transposedSum(of), bytes, make);
    },
    withoutScale,
    isUnread,
    settled: (matrices) => {
      const unreadOnes = matrices.filter(isUnread) as Matrix[];
      const needsNone = (m: Matrix): boolean => canBeListed(known.get(m)!.of, graph.algebraic);
      /* Others get their nodes before it is asked which there are. */
      for (const m of unreadOnes) if (!needsNone(m)) void m.values;
      const found = new Map(unreadOnes.filter(isUnread).map((m) => [m, known.get(m)!.of]));
      const products = [...found.values()].flatMap(({ parts }) => parts.filter(isProduct));
      if (products.length === 0 || !isAlgebra() || !onlyFactors(graph, inputs, sums, isStored, [...found.values()]))
        return new Map();
      const firsts = new Map<Part, Int32Array>();
      const ofInputs = sums.length === 0 ? alikeOfInputs(products) : undefined;
      const alike = ofInputs ?? firstAlike(graph, products, sums);
      if (alike === undefined) return new Map();
      for (const [k, first] of alike.entries()) {
        const most = first === undefined ? 1 : mostAlike(first);
        if (most > MOST_ALIKE) return new Map();
        if (first !== undefined && most > 1) firsts.set(products[k], first);
      }
      const withFirst = (part: Part): Part => {
        const first = firsts.get(part);
        return first === undefined ? part : { ...part, firstAlike: first };
      };
      return new Map([...found].map(([m, { parts, pattern }]) => [m, { parts: parts.map(withFirst), pattern }]));
    },
  };
};

/** A product stands before what is added to it: what entries have in common is evaluated first. */
const productFirst = (parts: readonly Part[], anyOrder: boolean): readonly Part[] => {
  const at = anyOrder ? parts.findIndex(isProduct) : isProduct(parts[1]) && !isProduct(parts[0]) ? 1 : 0;
  return at <= 0 ? parts : [parts[at], ...parts.filter((_, k) => k !== at)];
};

/** Whether there are products, and kernels for what is done with them. */
const canBeListed = (sum: SumOfProducts, anyOrder: boolean): boolean =>
  sum.parts.some(isProduct) && (isPlain(stretchesOf(sum.parts, anyOrder)) || hasFewForms(sum));

/** Whether there are no other operations than those that factors and terms of sums are made of. */
const onlyFactors = (
  graph: Graph,
  inputs: readonly InputSlot[],
  sums: readonly Sums[],
  isStored: (id: number) => boolean,
  products: readonly SumOfProducts[],
): boolean => {
  const last = inputs[inputs.length - 1];
  const from = last.firstNode + last.length;
  const { op, left, right, length } = graph;
  const isLeaf = (id: number): boolean => op[id] === CONSTANT || isStored(id);
  let id = from;
  while (id < length && isLeaf(id)) id++;
  if (id === length) return true;
  const read = new Uint8Array(length);
  const readAll = (ids: Int32Array): void => {
    for (const value of ids) if (value >= 0) read[value] = 1;
  };
  for (const of of products) for (const { values } of matricesOf(of)) readAll(values);
  for (const { terms, factors } of sums) for (const ids of [terms, factors ?? NO_IDS]) readAll(ids);
  for (id = length - 1; id >= from; id--) {
    if (isLeaf(id)) continue;
    if (read[id] === 0) return false;
    if (ARITY[op[id]] > 0) read[left[id]] = 1;
    if (ARITY[op[id]] > 1) read[right[id]] = 1;
  }
  return true;
};

const NO_IDS = new Int32Array(0);

/** How many entries are alike at most. */
const mostAlike = (first: Int32Array): number => {
  const count = new Uint32Array(first.length);
  let most = 0;
  for (const e of first) most = Math.max(most, ++count[e]);
  return most;
};
