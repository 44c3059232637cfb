import type { Graph } from '@filigree/ir';
import type { Activity } from './active.js';
import { NONE } from './guarded.js';
import { isLinear, Peel, valueOperands, type Term } from './terms.js';
import { Walk } from './walk.js';

/**
 * The sums that terms are functions of, as `log(1 + e)` is of `e`, and the curvature at a vertex of what the faces around it add up to: the outermost of them, in the order of their nodes.
 * What is a term itself is none. They are given where it pays to differentiate each sum by itself: a few long ones, or many whose terms are much smaller than what is
 * made of them. Sums within an element, which read what all of it reads, are not.
 */
export const innerSums = (graph: Graph, terms: readonly Term[], found: Activity): readonly number[] => {
  const longs = outermost(graph, terms, found, LONG);
  if (longs.length > 0 && longs.length <= FEW) return longs;
  const sums = outermost(graph, terms, found, SHORT);
  return sums.length > 0 && pays(graph, terms, sums, found) ? sums : [];
};

/** The outermost sums of at least so many terms; one that stands twice counts twice. */
const outermost = (graph: Graph, given: readonly Term[], found: Activity, least: number): readonly number[] => {
  const { active } = found;
  const terms = new Float64Array(active.length);
  for (let id = 0; id < active.length; id++)
    if (active[id] !== 0)
      terms[id] = isLinear(graph, found, id) ? valueOperands(graph, id).reduce((n, o) => n + terms[o], 0) : 1;
  const within = new Uint8Array(active.length);
  const into = (id: number): void => {
    if (active[id] === 1) for (const operand of valueOperands(graph, id)) within[operand] = 1;
  };
  for (const { node } of given) into(node);
  const sums: number[] = [];
  for (let id = active.length - 1; id >= 0; id--) {
    if (within[id] === 0 || active[id] !== 1) continue;
    if (terms[id] >= least) sums.push(id);
    else into(id);
  }
  return sums.reverse();
};

/**
 * Whether what terms are made of is looked at much less often where sums are differentiated by themselves: they have many more variables than their own terms, and
 * either are long or have terms that others have too, as the vertices around a face have what it adds to each.
 */
const pays = (graph: Graph, given: readonly Term[], sums: readonly number[], found: Activity): boolean => {
  const { active, count } = found;
  const walk = new Walk(graph, active);
  let nodes = 0;
  let variables = 0;
  const below = (id: number): number => {
    variables = 0;
    walk.begin();
    walk.below(id, (node) => {
      nodes++;
      if (active[node] === 2) variables++;
    });
    return variables;
  };
  for (const { node } of given) {
    below(node);
    if (nodes > MOST_SHARED * count) return false;
  }
  const shared = nodes / count;
  const peel = new Peel(graph, found);
  let [all, largest, terms] = [0, 0, 0];
  for (const sum of sums) {
    const own = peel.terms([{ node: sum, factor: graph.constant(1), condition: NONE }]);
    all += below(sum);
    largest += own.reduce((n, { node }) => Math.max(n, below(node)), 0);
    terms += own.length;
  }
  return all >= LEAST_WIDER * largest && (shared >= LEAST_SHARED || terms >= LONG_ON_AVERAGE * sums.length);
};

/** Pairs of so many terms are many more than pairs of the variables that they often have in common. */
const LONG = 32;

/** So many of them are differentiated for themselves whatever they are made of. */
const FEW = 8;

/** Of fewer terms a sum is one of an element. */
const SHORT = 4;

/** How many times more variables sums must have than their largest terms, on average. */
const LEAST_WIDER = 1.5;

/** In how many terms a node must stand, on average; where it stands in more than the second, they are differentiated together. */
const LEAST_SHARED = 1.5;
const MOST_SHARED = 8;

/** Sums of so many terms pay whatever is shared. */
const LONG_ON_AVERAGE = 16;
