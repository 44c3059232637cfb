import { APART, type Graph } from '@filigree/ir';
import {
  countProducts,
  negatedValues,
  productValues,
  scaledValues,
  sumValues,
  transposePattern,
  type Csr,
  type CsrPattern,
  type Ring,
  type Together,
} from '@filigree/sparse/formats';
import { ARITY, CONSTANT, MUL, NEG, VARIABLE } from '../../decompose/codes.js';
import { IntList } from '../../decompose/int-list.js';
import type { InputSlot } from '../input-slot.js';
import { unreadProducts, type UnreadProducts } from '../products/unread-products.js';
import { symbolicRing } from '../symbolic-ring.js';
import { nextValue, NO_FACTOR, type Elements, type Sums } from './elements.js';
import { usesOfEntries } from './uses-of-entries.js';

/** Sparse algebra whose sums are listed in columns. */
export interface ColumnAlgebra {
  readonly ring: Ring<Int32Array>;
  /** What of it stands for a value now. */
  readonly nodeOf: (id: number) => number;
  readonly isSum: (id: number) => boolean;
  readonly unread: Pick<UnreadProducts, 'isUnread' | 'settled'>;
}

/** Products and sums of matrices from this work on are listed in columns. */
const LEAST_WORK = 1000;
/**
 * What so many products read is stored: a sum of products; another operation of two values; anything else. What fewer read may be evaluated where it is read:
 * then it is made of nodes, for which `decompose` decides by the same costs.
 */
const [USES_OF_SUM, USES_OF_PAIR, USES_OF_ANY] = [3, 4, 5];
/** One entry in so many is. */
const NEXT_TO_NOTHING = 128;

/**
 * Sparse algebra on nodes, where large sums of products make no node a product: such a sum is one variable of its value, and its terms are listed in `all`, as those
 * of elements are. What reads few of them, or does anything else with them, gets them written out as nodes first.
 */
export const columnAlgebra = (graph: Graph, inputs: readonly InputSlot[], all: Elements[]): ColumnAlgebra => {
  const plain = symbolicRing(graph);
  const own: Sums[] = [];
  /* Sums that were written out, and what stands for them now. */
  const written = new Map<number, number>();
  /* 1 for sums that are factors of others, by what they are behind the first of all. */
  let factors = new Uint8Array(0);
  const sumsOf = (id: number): Sums | undefined => {
    for (let k = own.length - 1; k >= 0 && id >= own[0].first; k--)
      if (id >= own[k].first) return id < own[k].first + own[k].ptr.length - 1 ? own[k] : undefined;
    return undefined;
  };
  const termsIn = (id: number): number => {
    const { first, ptr } = sumsOf(id)!;
    return ptr[id - first + 1] - ptr[id - first];
  };
  const isSum = (id: number): boolean => sumsOf(id) !== undefined;
  const nodeOf = (id: number): number => (written.size > 0 ? (written.get(id) ?? id) : id);
  const isFactor = (id: number): boolean => factors[id - own[0].first] === 1;
  const markFactor = (id: number): void => {
    const at = id - own[0].first;
    if (at >= factors.length) {
      const wider = new Uint8Array(2 * (graph.length - own[0].first));
      wider.set(factors);
      factors = wider;
    }
    factors[at] = 1;
  };

  /** The terms of a sum, each as a node; those that are sums are written out before. */
  const termNodes = ({ first, ptr, terms, factors: by, negative }: Sums, id: number): Int32Array => {
    const [from, to] = [ptr[id - first], ptr[id - first + 1]];
    return Int32Array.from({ length: to - from }, (_, i) => {
      const t = from + i;
      const node = nodeOf(terms[t]);
      const term = by === undefined || by[t] === NO_FACTOR ? node : graph.mul(node, nodeOf(by[t]));
      return negative[t] === 1 ? graph.neg(term) : term;
    });
  };

  const writtenOut = (sums: Sums, id: number): number => {
    const t = sums.ptr[id - sums.first];
    if (sums.ptr[id - sums.first + 1] - t > 1) return graph.sumInPlaceOf(id, termNodes(sums, id));
    return graph.productInPlaceOf(id, nodeOf(sums.terms[t]), nodeOf(sums.factors![t]), sums.negative[t] === 1);
  };

  /** A value as general code reads it: made of nodes, unless it is stored anyway. */
  const asNode = (id: number): number => {
    const known = nodeOf(id);
    if (known !== id || !isSum(id) || isFactor(id)) return known;
    const found = new Set<number>();
    for (const rest = [id]; rest.length > 0;) {
      const at = rest.pop()!;
      const sums = sumsOf(at);
      if (found.has(at) || written.has(at) || sums === undefined || isFactor(at)) continue;
      found.add(at);
      for (let t = sums.ptr[at - sums.first]; t < sums.ptr[at - sums.first + 1]; t++) rest.push(sums.terms[t]);
    }
    for (const at of [...found].sort((x, y) => x - y)) written.set(at, writtenOut(sumsOf(at)!, at));
    return nodeOf(id);
  };

  /** 1 for entries of a factor of a product that stand for expressions to be evaluated where they are read; `undefined` where none does. */
  const inlined = ({ values }: Csr<Int32Array>, uses: (entry: number) => number): Uint8Array | undefined => {
    let marks: Uint8Array | undefined;
    const { op, left } = graph;
    const leastUses = (id: number, sum: boolean): number =>
      sum && termsIn(id) > 1 ? USES_OF_SUM : sum || ARITY[op[id]] === 2 ? USES_OF_PAIR : USES_OF_ANY;
    for (let p = 0; p < values.length; p++) {
      const known = nodeOf(values[p]);
      const id = op[known] === NEG && graph.algebraic ? left[known] : known;
      const sum = isSum(id);
      if (op[id] === VARIABLE && !sum) continue;
      if (op[id] === CONSTANT || op[id] === NEG || (uses(p) < leastUses(id, sum) && !(sum && isFactor(id))))
        (marks ??= new Uint8Array(values.length))[p] = 1;
      else if (sum) markFactor(id);
    }
    return marks;
  };

  const together = (a: Csr<Int32Array>, b: Csr<Int32Array>, product?: CsrPattern): Together<Int32Array> | undefined => {
    if (!graph.findsByResidues) return undefined;
    /* Reading them may make nodes, behind which those of the batch stand. */
    const [x, y] = [a.values, b.values];
    let marks: readonly (Uint8Array | undefined)[] = [];
    if (product !== undefined) {
      const work = countProducts(a.pattern, b.pattern);
      /* Where most entries are one product there is nothing to list. */
      if (work < LEAST_WORK || work < 1.5 * product.colIdx.length) return undefined;
      const uses = usesOfEntries(a.pattern, b.pattern);
      marks = [inlined(a, uses.left), inlined(b, uses.right)];
    } else if (!x.some(isSum) && !y.some(isSum)) return undefined;
    return batch(marks);
  };

  /** Variables for the sums of one matrix, made one after the other; what is to be nodes is made at the end. */
  const batch = ([ofA, ofB]: readonly (Uint8Array | undefined)[]): Together<Int32Array> => {
    const first = graph.length;
    const ends = new IntList();
    const terms = new IntList();
    const by = new IntList();
    const negatives = new IntList();
    /* Position, what is to be done, number of pairs, pairs. */
    const later = new IntList();
    const put = (id: number, factor: number, negative: number): void => {
      terms.push(id);
      by.push(factor);
      negatives.push(negative);
    };
    const done = (from: number): void => {
      graph.charge(BYTES_A_TERM * (terms.length - from));
      ends.push(terms.length);
    };
    const isNew = (id: number): boolean => id === first + ends.length;
    const defer = (o: number, what: number, x: number, y: number): void => {
      later.push(o);
      later.push(what);
      later.push(1);
      later.push(x);
      later.push(y);
    };
    const putProduct = (x: number, y: number): void => {
      let [p, q, negative] = [nodeOf(x), nodeOf(y), 0];
      if (graph.op[p] === NEG) [p, negative] = [graph.left[p], 1];
      if (graph.op[q] === NEG) [q, negative] = [graph.left[q], 1 - negative];
      put(p, q, negative);
    };
    const dots: Together<Int32Array>['dots'] = (out, o, a, ai, b, bi, ptr, count) => {
      for (let e = 0; e < count; e++) {
        let apart = -1;
        if (ofA !== undefined || ofB !== undefined)
          for (let t = ptr[e]; t < ptr[e + 1]; t++) if (ofA?.[ai[t]] === 1 || ofB?.[bi[t]] === 1) apart = APART;
        out[o + e] = apart;
      }
      graph.dotsAsVariables(out, o, a, ai, b, bi, ptr, count);
      for (let e = 0; e < count; e++) {
        const id = out[o + e];
        if (isNew(id)) {
          const from = terms.length;
          for (let t = ptr[e]; t < ptr[e + 1]; t++) putProduct(a[ai[t]], b[bi[t]]);
          done(from);
        } else if (id < 0) {
          later.push(o + e);
          later.push(DOT);
          later.push(ptr[e + 1] - ptr[e]);
          for (let t = ptr[e]; t < ptr[e + 1]; t++) {
            later.push(a[ai[t]]);
            later.push(b[bi[t]]);
          }
        }
      }
    };
    /* A value that is a term as it is, or times another: of anything else the operations would be lost. */
    const isLeaf = (id: number): boolean => graph.op[id] === VARIABLE || graph.op[id] === CONSTANT;
    const isTerm = (id: number): boolean => {
      const known = nodeOf(id);
      const x = graph.op[known] === NEG ? graph.left[known] : known;
      return graph.op[x] === VARIABLE || (graph.op[x] === MUL && isLeaf(graph.left[x]) && isLeaf(graph.right[x]));
    };
    const putTerm = (id: number, minus: number): void => {
      const known = nodeOf(id);
      const isNeg = graph.op[known] === NEG;
      const x = isNeg ? graph.left[known] : known;
      const negative = isNeg ? 1 - minus : minus;
      if (graph.op[x] === MUL) put(graph.left[x], graph.right[x], negative);
      else put(x, NO_FACTOR, negative);
    };
    const combined = (out: Int32Array, o: number, x: number, y: number, minus: boolean): void => {
      const what = minus ? MINUS : PLUS;
      if (!isSum(x) && !isSum(y)) return defer(o, what, x, y);
      /* Where order counts, terms can be added to a sum, but it cannot be added to them term by term. */
      const mayList = graph.algebraic || (isSum(x) ? !isSum(y) : !minus);
      if (!mayList || !isTerm(x) || !isTerm(y)) return defer(o, what | OF_NODES, x, y);
      const id = graph.sumAsVariable(x, y, minus);
      if (isNew(id)) {
        const from = terms.length;
        if (isSum(y) && !minus) putTerm(y, 0);
        putTerm(x, 0);
        if (!isSum(y) || minus) putTerm(y, minus ? 1 : 0);
        done(from);
      } else if (id < 0) defer(o, what, x, y);
      out[o] = id;
    };
    return {
      dots,
      copy: plain.copy,
      add: (out, o, a, i, b, j) => combined(out, o, a[i], b[j], false),
      sub: (out, o, a, i, b, j) => combined(out, o, a[i], b[j], true),
      neg: (out, o, a, i) => {
        const x = a[i];
        /* Rounding is the same for both signs, but a sum of nothing is 0 and never −0. */
        const sums = graph.algebraic && nodeOf(x) === x ? sumsOf(x) : undefined;
        if (sums === undefined) return defer(o, NEGATIVE, x, x);
        const id = graph.sumAsVariable(graph.constant(0), x, true);
        if (isNew(id)) {
          const from = terms.length;
          for (let t = sums.ptr[x - sums.first]; t < sums.ptr[x - sums.first + 1]; t++)
            put(sums.terms[t], sums.factors?.[t] ?? NO_FACTOR, 1 - sums.negative[t]);
          done(from);
        }
        out[o] = id;
      },
      finish: (out) => {
        if (ends.length > 0) {
          const sums: Sums = {
            first,
            ptr: ends.starts(),
            terms: terms.values().slice(),
            negative: Uint8Array.from(negatives.values()),
            factors: by.values().slice(),
          };
          own.push(sums);
          all.push({ ...NO_ELEMENTS, firstValue: nextValue(all), sums });
        }
        const waiting = later.values();
        for (let i = 0; i < waiting.length;) {
          const [o, what, n] = [waiting[i], waiting[i + 1], waiting[i + 2]];
          i += 3;
          const of = (k: number): number => (what === PLUS || what === MINUS ? waiting[i + k] : asNode(waiting[i + k]));
          if (what === DOT) {
            const pairs = Array.from({ length: n }, (_, t) => [of(2 * t), of(2 * t + 1)] as const);
            const count = Int32Array.from(pairs.keys());
            out[o] = graph.dot(
              Int32Array.from(pairs, (p) => p[0]),
              count,
              Int32Array.from(pairs, (p) => p[1]),
              count,
              n,
            );
          } else if ((what & ~OF_NODES) === PLUS) out[o] = graph.add(of(0), of(1));
          else out[o] = what === NEGATIVE ? graph.neg(of(1)) : graph.sub(of(0), of(1));
          i += 2 * n;
        }
      },
    };
  };

  const read = (values: Int32Array, at: Int32Array, n: number): Int32Array =>
    Int32Array.from({ length: n }, (_, t) => asNode(values[at[t]]));
  const inOrder = (n: number): Int32Array => Int32Array.from({ length: n }, (_, t) => t);
  const isStored = (id: number): boolean => isSum(id) && nodeOf(id) === id;
  const unread = unreadProducts(graph, inputs, own, nodeOf, isStored, () => all.length === own.length);
  /* What few products read is stored all the same where it is next to nothing. */
  const isFactorOfProduct = (m: Csr<Int32Array>, uses: (entry: number) => number): boolean => {
    const marks = inlined(m, uses);
    if (marks === undefined) return true;
    let count = 0;
    for (const mark of marks) count += mark;
    if (count * NEXT_TO_NOTHING > marks.length) return false;
    m.values.forEach((id, p) => {
      if (marks[p] === 1 && isStored(id)) markFactor(id);
    });
    return true;
  };
  const ring: Ring<Int32Array> = {
    ...plain,
    together,
    product: (a, b, pattern) => {
      if (!graph.findsByResidues || countProducts(a.pattern, b.pattern) < LEAST_WORK) return undefined;
      const uses = usesOfEntries(a.pattern, b.pattern);
      const [left, right] = [unread.withoutScale(a), unread.withoutScale(b)];
      if (!isFactorOfProduct(left.matrix, uses.left) || !isFactorOfProduct(right.matrix, uses.right)) return undefined;
      return unread.product(left, right, pattern, () => productValues(ring, a, b, pattern));
    },
    combined: (a, b, pattern, minus) =>
      unread.combined(a, b, pattern, minus, () => sumValues(ring, a, b, pattern, minus)),
    scaled: (s, a) =>
      graph.findsByResidues
        ? unread.scaled(s, a, () => (s === -1 ? negatedValues(ring, a) : scaledValues(ring, s, a)))
        : undefined,
    transposed: (a) => unread.transposed(a, () => transposePattern(a.pattern).from.map((e) => a.values[e])),
    add: (out, o, a, i, b, j) => {
      out[o] = graph.add(asNode(a[i]), asNode(b[j]));
    },
    sub: (out, o, a, i, b, j) => {
      out[o] = graph.sub(asNode(a[i]), asNode(b[j]));
    },
    neg: (out, o, a, i) => {
      out[o] = graph.neg(asNode(a[i]));
    },
    scale: (out, o, s, a, i) => {
      out[o] = graph.mul(graph.constant(s), asNode(a[i]));
    },
    dot: (out, o, a, ai, b, bi, n) => {
      out[o] = graph.dot(read(a, ai, n), inOrder(n), read(b, bi, n), inOrder(n), n);
    },
    dots: (out, o, a, ai, b, bi, ptr, count) => {
      const n = ptr[count];
      if (own.length === 0) graph.dots(out, o, a, ai, b, bi, ptr, count);
      else graph.dots(out, o, read(a, ai, n), inOrder(n), read(b, bi, n), inOrder(n), ptr, count);
    },
    sum: (out, o, a, ai, n) => {
      out[o] = graph.sum(read(a, ai, n), n);
    },
  };
  return { ring, nodeOf, isSum, unread };
};

/* What is done in the end, the last: with operands that are written out as nodes. */
const [DOT, PLUS, MINUS, NEGATIVE, OF_NODES] = [0, 1, 2, 3, 4];

/** A node, a factor and a sign. */
const BYTES_A_TERM = 9;

const NO_ELEMENTS = { count: 0, variables: new Int32Array(0), columns: [], roots: new Int32Array(0) } as const;
