import { fail, Sym, type Graph } from '@filigree/ir';
import { ARITY, NEG } from '../../decompose/codes.js';
import { IntList } from '../../decompose/int-list.js';
import { elementsOfSum, nextValue, type Elements, type Sums } from './elements.js';
import { holderOf, namesIn, type Holder, type Place } from './places.js';
import { refusedAt } from './refused-at.js';
import { nodeOf } from './node-of.js';

/** What a body writes to a place: the values are added to what is there, or take its place. */
export interface Write {
  readonly place: Place;
  readonly values: readonly number[];
  readonly adds: boolean;
  /** Where in the body. */
  readonly at: Error;
}

/** A body that has run. */
export interface TracedBody {
  readonly count: number;
  /** A node before all of the template. */
  readonly anchor: number;
  readonly variables: Int32Array;
  readonly columns: readonly Int32Array[];
  readonly writes: readonly Write[];
}

/**
 * Makes sums of what elements write, and puts them where it was written. Terms are listed in columns, in the order of the program;
 * a sum that goes on with one of elements before takes over its terms.
 */
export const assemble = (graph: Graph, all: readonly Elements[], body: TracedBody): Elements => {
  const { count, variables, columns, writes } = body;
  const values = closeTemplate(graph, body);
  const firstValue = nextValue(all);
  const roots = new Map<number, number>();
  const sourced = writes.map((w) => ({
    ...w,
    sources: w.values.map((id) => sourceOf(graph, body, values, roots, id)),
  }));
  const sums = collectTerms(graph, all);
  let now: Error | undefined;
  refusedAt(
    () => now,
    () => {
      for (let e = 0; e < count; e++)
        for (const { place, sources, adds, at } of sourced) {
          now = at;
          const slot = sums.slot(place, e, adds);
          for (const { root, column, node, negative } of sources)
            sums.push(slot, root >= 0 ? ~(firstValue + root * count + e) : (column?.[e] ?? node), negative);
        }
    },
  );
  return { count, variables, columns, roots: Int32Array.from(roots.keys()), firstValue, sums: sums.finish() };
};

/**
 * Which nodes behind the anchor depend on leaves of the template, which is complete with that. Over the reals others may equal them, as −s equals y − (y + s): those
 * are made anew, since outside of the template its leaves are nothing.
 */
export const closeTemplate = (graph: Graph, { anchor, variables }: TracedBody): Uint8Array => {
  const depends = new Uint8Array(graph.length - anchor);
  for (const id of variables) depends[id - anchor] = 1;
  const of = (id: number): number => (id < anchor ? 0 : depends[id - anchor]);
  for (let id = anchor; id < graph.length; id++) {
    const arity = ARITY[graph.op[id]];
    if (arity > 0) depends[id - anchor] |= of(graph.left[id]) | (arity > 1 ? of(graph.right[id]) : 0);
    if (arity > 0 && graph.arithmetic === 'algebraic' && depends[id - anchor] === 1) graph.hide(id);
  }
  return depends;
};

/** Where the terms of one written value come from: a root of the template, a column, or one node for all elements. */
export interface Source {
  readonly root: number;
  readonly column: Int32Array | undefined;
  readonly node: number;
  readonly negative: number;
}

export const sourceOf = (
  graph: Graph,
  { anchor, variables, columns }: TracedBody,
  depends: Uint8Array,
  roots: Map<number, number>,
  value: number,
): Source => {
  const negative = graph.op[value] === NEG ? 1 : 0;
  const id = negative === 1 ? graph.left[value] : value;
  const at = variables.indexOf(id);
  if (at >= 0) return { root: -1, column: columns[at], node: -1, negative };
  if (id < anchor || depends[id - anchor] === 0) return { root: -1, column: undefined, node: id, negative };
  if (!roots.has(id)) roots.set(id, roots.size);
  return { root: roots.get(id)!, column: undefined, node: -1, negative };
};

/** Lists of terms for the places that elements write. */
const collectTerms = (graph: Graph, all: readonly Elements[]) => {
  const slots = new Map<object, { readonly names: readonly string[] | undefined; readonly at: Int32Array }>();
  const holders: Holder[] = [];
  const keys = new IntList();
  /* Terms before this one were overwritten. */
  const from: number[] = [];
  const slotOf = new IntList();
  const terms = new IntList();
  const negatives = new IntList();
  const push = (slot: number, term: number, negative: number): void => {
    slotOf.push(slot);
    terms.push(term);
    negatives.push(negative);
  };
  /* What stood there before, unless it is nothing. */
  const begin = (slot: number, value: unknown, name: string): void => {
    if (value === 0 && graph.arithmetic !== 'exact') return;
    const id = nodeOf(graph, value, name);
    const earlier = elementsOfSum(all, id)?.sums;
    if (earlier === undefined || earlier.factors !== undefined) return push(slot, id, 0);
    const s = id - earlier.first;
    for (let t = earlier.ptr[s]; t < earlier.ptr[s + 1]; t++) push(slot, earlier.terms[t], earlier.negative[t]);
  };
  const slot = (place: Place, element: number, adds: boolean): number => {
    const { holder, key } = holderOf(place, element);
    let known = slots.get(holder);
    if (known === undefined) {
      if (ArrayBuffer.isView(holder))
        fail('elements/typed-array', `elements write to '${place.name}', a typed array`, {
          remedy:
            'a typed array holds numbers only: make an ordinary array, or a `new Float64Array(n)` inside the traced function',
        });
      const names = namesIn(holder);
      const size = names === undefined ? (holder as unknown as ArrayLike<unknown>).length : names.length;
      slots.set(holder, (known = { names, at: new Int32Array(size) }));
    }
    const { names, at } = known;
    const n = typeof key === 'number' && names === undefined ? key : names!.indexOf(String(key));
    const isNew = at[n] === 0;
    if (isNew) {
      holders.push(holder);
      keys.push(n);
      from.push(0);
      at[n] = holders.length;
    }
    const s = at[n] - 1;
    if (!adds) from[s] = terms.length;
    else if (isNew) begin(s, holder[key], place.name);
    return s;
  };
  const finish = (): Sums => {
    const n = holders.length;
    const ptr = new Int32Array(n + 1);
    const isTerm = (t: number): boolean => t >= from[slotOf.at(t)];
    for (let t = 0; t < terms.length; t++) if (isTerm(t)) ptr[slotOf.at(t) + 1]++;
    for (let s = 0; s < n; s++) ptr[s + 1] += ptr[s];
    const next = ptr.slice(0, n);
    const sorted = new Int32Array(ptr[n]);
    const negative = new Uint8Array(ptr[n]);
    for (let t = 0; t < terms.length; t++) {
      if (!isTerm(t)) continue;
      const at = next[slotOf.at(t)]++;
      sorted[at] = terms.at(t);
      negative[at] = negatives.at(t);
    }
    const first = graph.variables(n);
    for (let s = 0; s < n; s++) {
      const key = keys.at(s);
      holders[s][slots.get(holders[s])!.names?.[key] ?? key] = new Sym(graph, first + s);
    }
    return { first, ptr, terms: sorted, negative };
  };
  return { slot, push, finish };
};
