import { mix, type Graph } from '@filigree/ir';
import { ValueReader, type Elements } from '../trace/elements/elements.js';
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
  for (const { summed, sums } of elements) {
    if (!summed) continue;
    const { ptr, terms, negative, first, heads, factors } = sums;
    const plain = heads === undefined && factors === undefined;
    for (let s = 0; s + 1 < ptr.length; s++) {
      if (!isLive(first + s)) continue;
      const several = ptr[s + 1] - ptr[s] > 1;
      let [list, cost] = [1, 0];
      let [lastOf, lastElement] = [-1, -1];
      for (let t = ptr[s]; t < ptr[s + 1]; t++) {
        let [of, element] = [-1, terms[t]];
        if (element < 0) {
          of = reader.callOf(~terms[t]);
          element = reader.elementOf(~terms[t], reader.rootOf(~terms[t]));
          if (of !== lastOf || element !== lastElement) cost += costs[of];
        }
        list = mix(mix(list, of), element);
        [lastOf, lastElement] = [of, element];
      }
      const together = cost <= MAX_UNIT_COST;
      /* One that is too long for a unit with others evaluates its terms alone. */
      if (!together) list = mix(list, ++alone);
      if (list === 0) list = 1;
      for (let t = ptr[s]; t < ptr[s + 1]; t++) {
        if (terms[t] >= 0) continue;
        const of = reader.callOf(~terms[t]);
        const element = reader.elementOf(~terms[t], reader.rootOf(~terms[t]));
        stored[of] ||= !plain;
        if (several || negative[t] === 1) added[of]++;
        if (lists[of][element] === list) continue;
        lists[of][element] = list;
        readings[of] += inOrder && !together && costs[of] >= HEAVY_TERM ? 2 : 1;
      }
    }
  }
  return elements.map(({ needed }, k) => {
    let read = 0;
    for (const list of lists[k]) if (list !== 0) read++;
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
