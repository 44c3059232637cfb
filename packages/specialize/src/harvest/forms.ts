import { ARITY, ASSOCIATIVE, COMMUTATIVE, CONSTANT, VARIABLE } from '../decompose/codes.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Grouping } from '../group/group.js';
import { readToken, token } from './token.js';
import { inputOfVariable, type Marks } from './unit-walk.js';

/**
 * The form of a unit: its operations as they are written, operands from left to right, in the tokens of a canonical form.
 * Canonical order follows from it, so that units of one form need be put in that order once.
 */
export interface UnitForm {
  /** Walks the expressions `roots[from..to)`, as `UnitWalk.walk` does but in the order written; false where that is long. */
  readonly walk: (roots: Int32Array, from: number, to: number, tree: boolean) => boolean;
  readonly tokens: Int32Array;
  tokenCount: number;
  /** A hash of the tokens. */
  hash: number;
  /** Node ids of variables and stored expressions, in order. */
  readonly leaves: Int32Array;
  /** Node ids of constants, in order. */
  readonly constants: Int32Array;
  /** For the unit that was walked last: which of its leaves and constants come where in its canonical form. */
  readonly canonicalOrder: (tree: boolean) => CanonicalOrder;
}

export interface CanonicalOrder {
  readonly leaves: Int32Array;
  readonly constants: Int32Array;
}

/** Longer units are put in canonical order one by one. */
const MAX_TOKENS = 2048;
/** In the token of an operation: it is referred to again, and so is a term of its own within a sum. */
const SHARED = 1 << 8;

export const unitForm = (d: Grouping, marks: Marks): UnitForm => {
  const { graph, stored, references } = d;
  const { op, left, right } = graph;
  const { seen, localIndex } = marks;
  const inputOf = inputOfVariable(d);
  /* The node of each token. */
  const nodes = new Int32Array(MAX_TOKENS);
  const stack = new Int32Array(MAX_TOKENS + 2);
  const tokens = new Int32Array(MAX_TOKENS);
  const leaves = new Int32Array(MAX_TOKENS);
  const constants = new Int32Array(MAX_TOKENS);
  let leafCount = 0;
  let constantCount = 0;
  let inner = 0;

  const visit = (root: number, tree: boolean): boolean => {
    const { epoch } = marks;
    let { tokenCount, hash } = form;
    let top = 0;
    stack[top++] = root;
    while (top > 0) {
      if (tokenCount === MAX_TOKENS) return false;
      const id = stack[--top];
      const code = op[id];
      const again = !tree && (references[id] > 1 || stored[id] !== 0);
      let t: number = code;
      if (code === VARIABLE) {
        t = token.leaf(inputOf(id) + 1);
        leaves[leafCount++] = id;
      } else if (code === CONSTANT) {
        t = token.constant;
        constants[constantCount++] = id;
      } else if (again && seen[id] === epoch) t = token.back(localIndex[id]);
      else if (stored[id] !== 0 && id !== root) {
        t = token.leaf(INTERMEDIATE);
        leaves[leafCount++] = id;
      } else {
        if (again) {
          if (references[id] > 1) t |= SHARED;
          seen[id] = epoch;
          localIndex[id] = inner;
        }
        inner++;
        if (ARITY[code] === 2) stack[top++] = right[id];
        stack[top++] = left[id];
      }
      nodes[tokenCount] = id;
      tokens[tokenCount++] = t;
      hash = (Math.imul(hash, 0x01000193) + t) | 0;
    }
    form.tokenCount = tokenCount;
    form.hash = hash;
    return true;
  };

  const form: UnitForm = {
    walk: (roots, from, to, tree) => {
      marks.epoch++;
      inner = 0;
      leafCount = 0;
      constantCount = 0;
      form.tokenCount = 0;
      form.hash = to - from;
      for (let r = from; r < to; r++) if (!visit(roots[r], tree)) return false;
      return true;
    },
    tokens,
    tokenCount: 0,
    hash: 0,
    leaves,
    constants,
    canonicalOrder: (tree) => canonicalOrder(d, tokens.subarray(0, form.tokenCount), nodes, tree),
  };
  return form;
};

/** Goes through the operations of a form as `UnitWalk` goes through their nodes. */
const canonicalOrder = (d: Grouping, tokens: Int32Array, nodes: Int32Array, tree: boolean): CanonicalOrder => {
  const { stored, references, hashes } = d;
  const { op } = d.graph;
  const { roots, first, second } = operandPlaces(tokens);
  const hashAt = (p: number): number => hashes.asOperand(nodes[p]);
  /* As `termList` finds them. */
  const terms = (p: number): number[] => {
    const code = op[nodes[p]];
    const found: number[] = [];
    for (const rest = [second[p], first[p]]; rest.length > 0;) {
      const q = rest.pop()!;
      const id = nodes[q];
      if (op[id] === code && stored[id] === 0 && (tree || references[id] <= 1)) rest.push(second[q], first[q]);
      else found.push(q);
    }
    return found.sort((a, b) => hashAt(a) - hashAt(b));
  };
  const leafRank = rankOf(tokens, 'leaf');
  const constantRank = rankOf(tokens, 'constant');
  const leaves: number[] = [];
  const constants: number[] = [];
  const done = new Uint8Array(tokens.length);
  for (const rest = [...roots].reverse(); rest.length > 0;) {
    const p = rest.pop()!;
    if (leafRank[p] >= 0) leaves.push(leafRank[p]);
    else if (constantRank[p] >= 0) constants.push(constantRank[p]);
    else if (tree || done[p] === 0) {
      done[p] = 1;
      const code = op[nodes[p]];
      if (ASSOCIATIVE[code] === 1) rest.push(...terms(p).reverse());
      else if (ARITY[code] === 1) rest.push(first[p]);
      else if (COMMUTATIVE[code] === 1 && hashAt(first[p]) > hashAt(second[p])) rest.push(first[p], second[p]);
      else rest.push(second[p], first[p]);
    }
  }
  return { leaves: Int32Array.from(leaves), constants: Int32Array.from(constants) };
};

/** Where in a form the operands of each operation stand, and the roots; what a back reference names stands at its own place. */
const operandPlaces = (tokens: Int32Array): { roots: readonly number[]; first: Int32Array; second: Int32Array } => {
  const roots: number[] = [];
  const first = new Int32Array(tokens.length).fill(-1);
  const second = new Int32Array(tokens.length).fill(-1);
  const operations: number[] = [];
  /* Operations that wait for operands. */
  const open: number[] = [];
  for (let p = 0; p < tokens.length; p++) {
    const t = readToken(tokens[p]);
    const at = t.is === 'back' ? operations[t.index] : p;
    const reader = open.at(-1);
    if (reader === undefined) roots.push(at);
    else {
      const isFirst = first[reader] < 0;
      (isFirst ? first : second)[reader] = at;
      if (!isFirst || ARITY[tokens[reader] & 0xff] === 1) open.pop();
    }
    if (t.is !== 'operation') continue;
    operations.push(p);
    open.push(p);
  }
  return { roots, first, second };
};

/** The number of each token among those of its kind, −1 at others. */
const rankOf = (tokens: Int32Array, kind: 'leaf' | 'constant'): Int32Array => {
  let n = 0;
  return tokens.map((t) => (readToken(t).is === kind ? n++ : -1));
};
