import { instantiator, type DerivedBody, type SumsOfBodies } from '@filigree/autodiff';
import { CONSTANT } from '../../decompose/codes.js';
import { type Graph } from '@filigree/ir';
import { sourceOf, closeTemplate, type Source } from './assemble.js';
import { nextValue, type Elements, type Sums } from './elements.js';

/**
 * Sums of what bodies compute, as elements: the template of each body is made once in the trace's graph, over variables of its own, and the terms of every sum are
 * listed in columns, those of a member side by side. A sum of one node is that node; where nothing is added there is 0.
 */
export const sumsOfBodies =
  (graph: Graph, all: Elements[]): SumsOfBodies =>
  (bodies, count) => {
    const made: BodyInTrace[] = [];
    for (const body of bodies.filter((b) => b.roots.length > 0)) {
      const last = made[made.length - 1];
      if (last !== undefined) all.push({ ...last.elements, sums: noSums(graph) });
      made.push(bodyInTrace(graph, nextValue(all), body));
    }
    const zero = graph.constant(0);
    const out = new Int32Array(count).fill(zero);
    const ptr = new Int32Array(count + 1);
    for (const { terms } of made) for (const { places } of terms) for (const p of places) ptr[p + 1]++;
    for (let p = 0; p < count; p++) ptr[p + 1] += ptr[p];
    const next = ptr.slice(0, count);
    const terms = new Int32Array(ptr[count]);
    const negative = new Uint8Array(ptr[count]);
    for (const body of made)
      for (let e = 0; e < body.count; e++)
        for (const { places, source } of body.terms) {
          const at = next[places[e]]++;
          terms[at] =
            source.root >= 0 ? ~(body.firstValue + source.root * body.count + e) : (source.column?.[e] ?? source.node);
          negative[at] = source.negative;
        }
    const last = made[made.length - 1];
    if (last === undefined) return out;
    const isNode = (p: number): boolean => ptr[p + 1] - ptr[p] === 1 && terms[ptr[p]] >= 0 && negative[ptr[p]] === 0;
    all.push({ ...last.elements, sums: sumsOf(graph, { ptr, terms, negative }, isNode, out) });
    return out;
  };

/** The sums that have terms and are no nodes by themselves; `out` gets what stands for each. */
const sumsOf = (
  graph: Graph,
  { ptr, terms, negative }: Omit<Sums, 'first'>,
  isNode: (sum: number) => boolean,
  out: Int32Array,
): Sums => {
  const isSum = (p: number): boolean => ptr[p + 1] > ptr[p] && !isNode(p);
  let sums = 0;
  for (let p = 0; p < out.length; p++) if (isSum(p)) sums++;
  const first = graph.variables(sums);
  const own = { first, ptr: new Int32Array(sums + 1), terms: terms.slice(), negative: negative.slice() };
  let s = 0;
  let n = 0;
  for (let p = 0; p < out.length; p++) {
    if (!isSum(p)) {
      if (isNode(p)) out[p] = terms[ptr[p]];
      continue;
    }
    out[p] = first + s;
    for (let t = ptr[p]; t < ptr[p + 1]; t++) {
      own.terms[n] = terms[t];
      own.negative[n++] = negative[t];
    }
    own.ptr[++s] = n;
  }
  return { ...own, terms: own.terms.subarray(0, n), negative: own.negative.subarray(0, n) };
};

const noSums = (graph: Graph): Sums => ({
  first: graph.length,
  ptr: Int32Array.of(0),
  terms: new Int32Array(0),
  negative: new Uint8Array(0),
});

/** A body as elements without sums, and the terms that its members add. */
interface BodyInTrace {
  readonly elements: Omit<Elements, 'sums'>;
  readonly count: number;
  readonly firstValue: number;
  readonly terms: readonly { readonly places: Int32Array; readonly source: Source }[];
}

const bodyInTrace = (graph: Graph, firstValue: number, body: DerivedBody): BodyInTrace => {
  const { template, columns, count, roots: wanted, places } = body;
  const first = graph.variables(template.leaves.length);
  const variables = Int32Array.from(template.leaves, (_, k) => first + k);
  const values = instantiator(template, wanted, graph).build(variables);
  const traced = { count, anchor: first, variables, columns, writes: [] };
  const depends = closeTemplate(graph, traced);
  const roots = new Map<number, number>();
  const isZero = (id: number): boolean => graph.op[id] === CONSTANT && graph.constantValue(id) === 0;
  const terms = [...values]
    .map((value, r) => ({ places: places[r], value }))
    .filter(({ value }) => !isZero(value))
    .map(({ places: at, value }) => ({ places: at, source: sourceOf(graph, traced, depends, roots, value) }));
  return {
    ...{ count, firstValue, terms },
    elements: { count, variables, columns, roots: Int32Array.from(roots.keys()), firstValue },
  };
};
