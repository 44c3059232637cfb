import type { Graph } from '@filigree/ir';
import { ARITY } from '../../decompose/codes.js';
import { defaultOptions } from '../../options.js';
import { IntList } from '../../decompose/int-list.js';
import type { OutputSlot } from '../output-slot.js';
import { matricesOf } from '../products/sum-of-products.js';
import { elementsOfSum, NO_FACTOR, type Elements, type Sums, type Terms } from './elements.js';

/**
 * Settles which sums of sparse algebra there are: one that is nothing but a term of one other is part of it, and of one that nothing reads no term is left. One
 * with which a few results begin that add next to nothing is the head of these.
 *
 * @param isOwn whether a node stands for such a sum
 */
export const settled = (
  graph: Graph,
  outputs: readonly Pick<OutputSlot, 'nodes' | 'product'>[],
  blocks: readonly Int32Array[],
  all: readonly Elements[],
  isOwn: (id: number) => boolean,
): Elements[] => {
  const isAlgebra = ({ sums }: Elements): boolean => sums.ptr.length > 1 && isOwn(sums.first);
  const algebra = all.filter(isAlgebra);
  if (algebra.length === 0) return [...all];
  const uses = usesOf(
    graph,
    outputs,
    blocks,
    algebra,
    all.filter((e) => !isAlgebra(e)),
  );
  const done: { readonly sums: Sums }[] = [];
  const before = (id: number): Sums | undefined => (isOwn(id) ? elementsOfSum(done, id)?.sums : undefined);
  const heads = headsOf(graph, algebra, uses, isOwn);
  return all.map((e) => {
    if (!isAlgebra(e)) return e;
    const sums = settledSums(e.sums, uses, graph.algebraic, heads, before);
    done.push({ sums });
    return sums === e.sums ? e : { ...e, sums };
  });
};

/** Users, and terms of each besides the head, that are evaluated with it; as `decompose` joins them. */
const MOST_USERS = 4;
export const MOST_MORE_TERMS = 2;
export const MOST_HEAD_TERMS = 16;

/** Whether evaluating a sum once saves as much as `decompose` wants it to. A product is two loads and an operation. */
const isWorthStoring = ({ first, ptr }: Sums, id: number, uses: number): boolean =>
  (uses - 1) * (4 * (ptr[id - first + 1] - ptr[id - first]) - 1) >= defaultOptions.decompose.minComplexity;

/** 1 for sums that are heads, by their nodes. */
const headsOf = (
  graph: Graph,
  algebra: readonly Elements[],
  uses: Uses,
  isOwn: (id: number) => boolean,
): Uint8Array => {
  const users = new Uint8Array(graph.length);
  const heads = new Uint8Array(graph.length);
  for (const { sums } of algebra) {
    const { first, ptr, terms } = sums;
    for (let s = 0; s + 1 < ptr.length; s++) {
      const [from, to] = [ptr[s], ptr[s + 1]];
      const id = first + s;
      const isResult = uses.all[id] > 0 && uses.all[id] === uses.outputs[id];
      if (!isResult || to - from > 1 + MOST_MORE_TERMS || factorOf(sums, from) !== NO_FACTOR) continue;
      if (sums.negative[from] === 1 || !isOwn(terms[from])) continue;
      let small = true;
      for (let t = from + 1; t < to; t++) small &&= !isOwn(terms[t]);
      if (small && users[terms[from]] <= MOST_USERS) users[terms[from]]++;
    }
  }
  for (const { sums } of algebra)
    for (let s = 0; s + 1 < sums.ptr.length; s++) {
      const id = sums.first + s;
      const few = users[id] > 1 && users[id] <= MOST_USERS && sums.ptr[s + 1] - sums.ptr[s] <= MOST_HEAD_TERMS;
      if (few && users[id] === uses.all[id] && isWorthStoring(sums, id, users[id])) heads[id] = 1;
    }
  return heads;
};

/** Lists of terms as they are made. */
const newTerms = () => {
  const terms = new IntList();
  const factors = new IntList();
  const negative = new IntList();
  const ends = new IntList();
  return {
    put: (from: Terms, t: number, minus: number): void => {
      terms.push(from.terms[t]);
      factors.push(factorOf(from, t));
      negative.push(from.negative[t] ^ minus);
    },
    end: (): number => {
      ends.push(terms.length);
      return ends.length - 1;
    },
    finish: (): Terms => ({
      ptr: ends.starts(),
      terms: terms.values().slice(),
      factors: factors.values().slice(),
      negative: Uint8Array.from(negative.values()),
    }),
  };
};

const settledSums = (
  sums: Sums,
  uses: Uses,
  anyOrder: boolean,
  isHead: Uint8Array,
  before: (id: number) => Sums | undefined,
): Sums => {
  const { first, ptr, terms } = sums;
  const count = ptr.length - 1;
  const headAt = (s: number): number => {
    const t = ptr[s];
    return t < ptr[s + 1] && factorOf(sums, t) === NO_FACTOR && isHead[terms[t]] === 1 ? terms[t] : -1;
  };
  /* Where order counts, terms go on only where a sum begins. */
  const partOf = (s: number, t: number): Sums | undefined => {
    if ((!anyOrder && t > ptr[s]) || factorOf(sums, t) !== NO_FACTOR || uses.outputs[terms[t]] > 0) return undefined;
    const found = before(terms[t]);
    return found && (uses.all[terms[t]] === 1 || !isWorthStoring(found, terms[t], uses.all[terms[t]]))
      ? found
      : undefined;
  };
  let same = true;
  for (let s = 0; s < count && same; s++) {
    same = uses.all[first + s] > 0 && headAt(s) < 0;
    for (let t = ptr[s]; t < ptr[s + 1] && same; t++) same = partOf(s, t) === undefined;
  }
  if (same) return sums;
  const own = newTerms();
  const heads = newTerms();
  const known = new Map<number, number>();
  const of = new Int32Array(count).fill(-1);
  const putAll = (into: typeof own, from: Sums, id: number, minus: number): void => {
    const at = id - from.first;
    for (let t = from.ptr[at]; t < from.ptr[at + 1]; t++) into.put(from, t, minus);
  };
  for (let s = 0; s < count; s++) {
    if (uses.all[first + s] > 0) {
      const head = headAt(s);
      if (head >= 0) {
        let h = known.get(head);
        if (h === undefined) {
          putAll(heads, before(head)!, head, 0);
          known.set(head, (h = heads.end()));
        }
        of[s] = h;
      }
      for (let t = head >= 0 ? ptr[s] + 1 : ptr[s]; t < ptr[s + 1]; t++) {
        const part = partOf(s, t);
        if (part === undefined) own.put(sums, t, 0);
        else putAll(own, part, terms[t], sums.negative[t]);
      }
    }
    own.end();
  }
  return { first, ...own.finish(), ...(known.size > 0 && { heads: { of, ...heads.finish() } }) };
};

const factorOf = ({ factors }: Terms, t: number): number => (factors === undefined ? NO_FACTOR : factors[t]);

/** How often each node is read by what is needed, and by outputs alone; `KEPT` for what must stay as it is. */
interface Uses {
  readonly all: Uint8Array;
  readonly outputs: Uint8Array;
}

const KEPT = 255;

const usesOf = (
  graph: Graph,
  outputs: readonly Pick<OutputSlot, 'nodes' | 'product'>[],
  blocks: readonly Int32Array[],
  algebra: readonly Elements[],
  others: readonly Elements[],
): Uses => {
  const { op, left, right, length } = graph;
  const uses = new Uint8Array(length);
  const use = (id: number): void => {
    if (uses[id] < KEPT) uses[id]++;
  };
  const keep = (ids: Int32Array): void => {
    for (const id of ids) if (id >= 0) uses[id] = KEPT;
  };
  for (const { nodes } of outputs) for (const id of nodes) use(id);
  const byOutputs = uses.slice();
  for (const nodes of blocks) keep(nodes);
  for (const { product } of outputs) for (const factor of matricesOf(product)) keep(factor.values);
  for (const { roots, columns, sums } of others) for (const ids of [roots, sums.terms, ...columns]) keep(ids);
  let k = algebra.length - 1;
  for (let id = length - 1; id >= 0; id--) {
    if (uses[id] === 0) continue;
    const arity = ARITY[op[id]];
    if (arity > 0) use(left[id]);
    if (arity > 1) use(right[id]);
    if (arity > 0) continue;
    while (k >= 0 && id < algebra[k].sums.first) k--;
    if (k < 0) continue;
    const { sums } = algebra[k];
    const s = id - sums.first;
    if (s + 1 >= sums.ptr.length) continue;
    for (let t = sums.ptr[s]; t < sums.ptr[s + 1]; t++) {
      const factor = factorOf(sums, t);
      if (factor === NO_FACTOR) use(sums.terms[t]);
      else uses[sums.terms[t]] = uses[factor] = KEPT;
    }
  }
  return { all: uses, outputs: byOutputs };
};
