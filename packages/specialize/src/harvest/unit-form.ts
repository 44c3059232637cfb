import { ARITY, CONSTANT, VARIABLE } from '../decompose/codes.js';
import { doubled } from '../decompose/int-list.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import { token } from './token.js';

/**
 * Writes a unit down as it is: its operations with their operands from left to right, and which of its leaves are the same. The
 * canonical form follows from it (`canonicalForm`), so that units of one form need be put in canonical order once.
 */
export interface UnitForm {
  /**
   * Walks the expressions `roots[from..to)` as one unit. As a `tree`, shared subexpressions are written out each time, so
   * that sharing that only some members have does not tell them apart; otherwise a second visit is a back reference.
   * Returns false when more than `limit` tokens were needed.
   */
  readonly walk: (roots: Int32Array, from: number, to: number, tree: boolean, limit: number) => boolean;
  /** Walks one operand of a rolled sum: a stored expression is a leaf. Otherwise as `walk`. */
  readonly walkTerm: (id: number, tree: boolean, limit: number) => boolean;
  tokens: Int32Array;
  /** The node of each token. */
  nodes: Int32Array;
  tokenCount: number;
  /** A hash of the tokens. */
  hash: number;
  /** Node ids of variables and stored expressions, in order. */
  leaves: Int32Array;
  /** Node ids of constants, in order. */
  constants: Int32Array;
}

/** In the token of an operation: it is referred to again, and so is a term of its own within a sum. */
const SHARED = 1 << 8;

export const unitForm = (d: Grouping): UnitForm => {
  const { graph, stored, references } = d;
  const { op, left, right } = graph;
  const kindOf = kindOfVariable(d);
  /* The number of the walk in which a node was met, and then its number among the operations, or ~place of a leaf. */
  const seen = new Int32Array(graph.length);
  const local = new Int32Array(graph.length);
  let epoch = 0;
  /* Twice as long as the tokens: each that is written leaves one more waiting at the most. */
  let stack = new Int32Array(128);
  let leafCount = 0;
  let constantCount = 0;
  let inner = 0;

  const begin = (hash: number): void => {
    epoch++;
    inner = 0;
    leafCount = 0;
    constantCount = 0;
    form.tokenCount = 0;
    form.hash = hash;
  };

  const grow = (): void => {
    form.tokens = doubled(form.tokens);
    form.nodes = doubled(form.nodes);
    form.leaves = doubled(form.leaves);
    form.constants = doubled(form.constants);
    stack = doubled(stack);
  };

  const leaf = (id: number, kind: number, place: number): number => {
    form.leaves[leafCount++] = id;
    if (seen[id] === epoch) return token.again(~local[id]);
    seen[id] = epoch;
    local[id] = ~place;
    return token.leaf(kind);
  };

  const visit = (root: number, isRoot: boolean, tree: boolean, limit: number): boolean => {
    let { tokenCount, hash } = form;
    let top = 0;
    stack[top++] = root;
    while (top > 0) {
      if (tokenCount >= limit) return false;
      if (tokenCount === form.tokens.length) grow();
      const id = stack[--top];
      const code = op[id];
      /*
       * What is met once need not be remembered: in a tree no operation is, else what is referred to again and the roots. A root
       * met again below another root of the same unit is a back reference before it is a leaf.
       */
      const again = !tree && (references[id] > 1 || stored[id] !== 0);
      let t: number = code;
      if (code === VARIABLE) t = leaf(id, kindOf(id), tokenCount);
      else if (code === CONSTANT) {
        t = token.constant;
        form.constants[constantCount++] = id;
      } else if (again && seen[id] === epoch && local[id] >= 0) t = token.back(local[id]);
      else if (stored[id] !== 0 && !(isRoot && id === root)) t = leaf(id, INTERMEDIATE, tokenCount);
      else {
        if (again) {
          if (references[id] > 1) t |= SHARED;
          seen[id] = epoch;
          local[id] = inner;
        }
        inner++;
        if (ARITY[code] === 2) stack[top++] = right[id];
        stack[top++] = left[id];
      }
      form.nodes[tokenCount] = id;
      form.tokens[tokenCount++] = t;
      hash = (Math.imul(hash, 0x01000193) + t) | 0;
    }
    form.tokenCount = tokenCount;
    form.hash = hash;
    return true;
  };

  const form: UnitForm = {
    walk: (roots, from, to, tree, limit) => {
      begin(to - from);
      for (let r = from; r < to; r++) if (!visit(roots[r], true, tree, limit)) return false;
      return true;
    },
    walkTerm: (id, tree, limit) => {
      begin(0);
      return visit(id, false, tree, limit);
    },
    tokens: new Int32Array(64),
    nodes: new Int32Array(64),
    tokenCount: 0,
    hash: 0,
    leaves: new Int32Array(64),
    constants: new Int32Array(64),
  };
  return form;
};

/** The kind of leaf that a variable is: an input's, or an intermediate if it stands for a sum of elements. */
export const kindOfVariable = ({ inputs, needs }: Grouping): ((id: number) => number) => {
  if (inputs.length === 1 && needs.elements.length === 0) return () => 1;
  return (id) => {
    if (needs.isSum(id)) return INTERMEDIATE;
    let k = 0;
    while (id >= inputs[k].firstNode + inputs[k].length || id < inputs[k].firstNode) k++;
    return k + 1;
  };
};
