import { mix, type Graph } from '@filigree/ir';
import { ValueReader, type Elements, type Sums } from '../trace/elements/elements.js';
import { HEAVY_TERM } from './candidates.js';
import { ADD, ARITY, associativeIn, CONSTANT, COST } from './codes.js';

/** Cost of what a unit of sums may evaluate of elements: as much code for each number of terms. */
const MAX_UNIT_COST = 1024;
/** What a value costs that goes through memory: a store and a load. */
const COST_OF_MEMORY = 2;

/** Elements of which it is known what is needed, as in `NeededElements`. */
interface Summed extends Elements {
  readonly summed: boolean;
  readonly needed: readonly number[];
  readonly leaves: Int32Array;
}

/**
 * Of each call of elements how many terms a unit of sums may have that evaluates its values itself, instead of reading them; 0 where they are stored. A local step's
 * neighbours are such elements: what one adds goes to sums of one vertex alone, so that nothing is evaluated twice and nothing is stored. Values are stored where several
 * units would evaluate them again, each in part or whole, and that costs more than memory does; and where terms that cost much are added in order, since they are on threads and lanes by themselves.
 *
 * @param isLive whether something reads a sum
 */
export const termsInSums = (
  graph: Graph,
  elements: readonly Summed[],
  isLive: (sum: number) => boolean,
): readonly number[] => {
  const inOrder = associativeIn(graph.arithmetic)[ADD] === 0;
  const costs = elements.map((e) => costOf(graph, e));
  /* By element which list of elements the sum had that read it last. */
  const lists = elements.map(({ count }) => new Int32Array(count));
  const readings = elements.map(() => 0);
  const added = elements.map(() => 0);
  const stored = elements.map(({ needed }) => needed.length === 0);
  const reader = new ValueReader(elements);
  let alone = 0;
  /* Of the terms of a sum the call and the element; a node is its own element, of no call. */
  let calls = new Int32Array(64);
  let members = new Int32Array(64);
  const visit = ({ ptr, terms, negative, heads, factors }: Sums, s: number): void => {
    const plain = heads === undefined && factors === undefined;
    const from = ptr[s];
    const n = ptr[s + 1] - from;
    if (n > calls.length) {
      calls = new Int32Array(2 * n);
      members = new Int32Array(2 * n);
    }
    let list = 1;
    let cost = 0;
    let lastOf = -1;
    let lastElement = -1;
    for (let k = 0; k < n; k++) {
      let of = -1;
      let element = terms[from + k];
      if (element < 0) {
        const value = ~element;
        of = reader.callOf(value);
        element = reader.elementOf(value, reader.rootOf(value));
        if (of !== lastOf || element !== lastElement) cost += costs[of];
      }
      list = mix(mix(list, of), element);
      calls[k] = lastOf = of;
      members[k] = lastElement = element;
    }
    const together = cost <= MAX_UNIT_COST;
    /* One that is too long for a unit with others evaluates its terms alone. */
    if (!together) list = mix(list, ++alone);
    if (list === 0) list = 1;
    for (let k = 0; k < n; k++) {
      const of = calls[k];
      if (of < 0) continue;
      stored[of] ||= !plain;
      if (n > 1 || negative[from + k] === 1) added[of]++;
      const listsOf = lists[of];
      if (listsOf[members[k]] === list) continue;
      listsOf[members[k]] = list;
      readings[of] += inOrder && !together && costs[of] >= HEAVY_TERM ? 2 : 1;
    }
  };
  for (const { summed, sums } of elements)
    for (let s = 0; summed && s + 1 < sums.ptr.length; s++) if (isLive(sums.first + s)) visit(sums, s);
  return elements.map(({ needed }, k) => {
    let read = 0;
    for (let i = 0; i < lists[k].length; i++) if (lists[k][i] !== 0) read++;
    const again = (readings[k] - read) * costs[k];
    const pays = !stored[k] && added[k] > 0 && again < COST_OF_MEMORY * added[k];
    return pays ? Math.floor((MAX_UNIT_COST * needed.length) / Math.max(1, costs[k])) : 0;
  });
};

/** What it costs to evaluate what is needed of an element, its leaves included. */
const costOf = ({ op, left, right }: Graph, { roots, needed, leaves }: Summed): number => {
  const known = new Set<number>(leaves);
  const rest = needed.map((r) => roots[r]);
  let cost = leaves.length;
  while (rest.length > 0) {
    const id = rest.pop()!;
    if (known.has(id) || op[id] === CONSTANT) continue;
    known.add(id);
    cost += COST[op[id]];
    if (ARITY[op[id]] > 0) rest.push(left[id]);
    if (ARITY[op[id]] > 1) rest.push(right[id]);
  }
  return cost;
};
