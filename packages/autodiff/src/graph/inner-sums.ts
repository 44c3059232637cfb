import { graphCodes, type Graph } from '@filigree/ir';
import type { Activity } from './active.js';

const { ADD, ARITY, DIV, MUL, NEG, SELECT } = graphCodes;

/**
 * The few long sums that what is at `root` is a function of, as `log(1 + e)` is of `e`: the outermost of them, in the order of their nodes. What is a term of the
 * sum at the root is none. Where there are many, as many residuals that are squared are, none are given.
 */
export const innerSums = (graph: Graph, root: number, { active }: Activity): readonly number[] => {
  const { op, left, right } = graph;
  const operandsOf = (id: number): readonly number[] =>
    op[id] === SELECT ? [left[right[id]], right[right[id]]] : ARITY[op[id]] === 2 ? [left[id], right[id]] : [left[id]];
  const isLinear = (id: number): boolean =>
    op[id] === ADD ||
    op[id] === NEG ||
    (op[id] === MUL && (active[left[id]] === 0 || active[right[id]] === 0)) ||
    (op[id] === DIV && active[right[id]] === 0);

  /* How many terms each sum has; one that stands twice counts twice. */
  const terms = new Float64Array(root + 1);
  for (let id = 0; id <= root; id++) {
    if (active[id] === 0) continue;
    terms[id] = active[id] === 1 && isLinear(id) ? operandsOf(id).reduce((n, o) => n + terms[o], 0) : 1;
  }
  const found = new Set<number>();
  const asTerm = new Uint8Array(root + 1);
  const within = new Uint8Array(root + 1);
  asTerm[root] = 1;
  for (let id = root; id >= 0; id--) {
    if (active[id] !== 1 || (asTerm[id] === 0 && within[id] === 0)) continue;
    if (within[id] === 1 && terms[id] >= LONG) {
      found.add(id);
      within[id] = 0;
    }
    const linear = isLinear(id);
    for (const operand of operandsOf(id)) {
      if (asTerm[id] === 1 && linear) asTerm[operand] = 1;
      if (within[id] === 1 || (asTerm[id] === 1 && !linear)) within[operand] = 1;
    }
  }
  return found.size > MOST ? [] : [...found].sort((a, b) => a - b);
};

/** Pairs of so many terms are many more than pairs of the variables that they often have in common. */
const LONG = 32;

/** Each is differentiated for itself. */
const MOST = 8;
