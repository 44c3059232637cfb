import type { Grouping } from '../group/group.js';
import { INTERMEDIATE } from '../group/cut-hash.js';
import { termList } from '../group/terms.js';
import { ARITY, ASSOCIATIVE, COMMUTATIVE, CONSTANT, VARIABLE } from '../decompose/codes.js';
import { token } from './token.js';

/**
 * Writes a unit down in canonical order: a prefix sequence of tokens that is the same for every unit of one structure,
 * and the leaves met on the way (§4.4). Iterative.
 */
export interface UnitWalk {
  /**
   * Walks the expressions `roots[from..to)` as one unit. As a `tree`, shared subexpressions are written out each time, so
   * that sharing that only some members have does not tell them apart; otherwise a second visit is a back reference.
   * Returns false when more than `limit` tokens were needed.
   */
  readonly walk: (roots: Int32Array, from: number, to: number, tree: boolean, limit: number) => boolean;
  /** Walks one operand of a rolled sum: a stored expression is a leaf. */
  readonly walkTerm: (id: number) => void;
  tokens: Int32Array;
  tokenCount: number;
  /** Node ids of variables and stored expressions, in order. */
  leaves: Int32Array;
  leafCount: number;
  /** Node ids of constants, in order. */
  constants: Int32Array;
  constantCount: number;
}

/** Which nodes the walk that is under way has met, and the number of each among its operations. */
export interface Marks {
  /** `epoch` where a node was met. */
  readonly seen: Int32Array;
  readonly localIndex: Int32Array;
  /** The number of the walk. */
  epoch: number;
}

export const unitMarks = ({ graph }: Grouping): Marks => ({
  seen: new Int32Array(graph.length),
  localIndex: new Int32Array(graph.length),
  epoch: 0,
});

export const unitWalk = (d: Grouping, marks: Marks): UnitWalk => {
  const { graph, stored, references, hashes } = d;
  const { op, left, right } = graph;
  const treeTerms = termList(d, hashes, () => false);
  const dagTerms = termList(d, hashes, (id) => references[id] > 1);
  const inputOf = inputOfVariable(d);
  const { seen, localIndex } = marks;
  let inner = 0;
  let stack = new Int32Array(256);
  let top = 0;

  const w: UnitWalk = {
    tokens: new Int32Array(256),
    tokenCount: 0,
    leaves: new Int32Array(256),
    leafCount: 0,
    constants: new Int32Array(64),
    constantCount: 0,
    walk: (roots, from, to, tree, limit) => {
      begin();
      for (let r = from; r < to; r++) if (!visit(roots[r], true, tree, limit)) return false;
      return true;
    },
    walkTerm: (id) => {
      begin();
      visit(id, false, true, Infinity);
    },
  };

  const begin = (): void => {
    marks.epoch++;
    inner = 0;
    w.tokenCount = 0;
    w.leafCount = 0;
    w.constantCount = 0;
  };

  const emit = (t: number): void => {
    if (w.tokenCount === w.tokens.length) w.tokens = double(w.tokens);
    w.tokens[w.tokenCount++] = t;
  };

  const leaf = (id: number, kind: number): void => {
    emit(token.leaf(kind));
    if (w.leafCount === w.leaves.length) w.leaves = double(w.leaves);
    w.leaves[w.leafCount++] = id;
  };

  const push = (id: number): void => {
    if (top === stack.length) stack = double(stack);
    stack[top++] = id;
  };

  const visit = (root: number, isRoot: boolean, tree: boolean, limit: number): boolean => {
    const { epoch } = marks;
    top = 0;
    push(root);
    while (top > 0) {
      const id = stack[--top];
      const code = op[id];
      if (code === VARIABLE) {
        leaf(id, inputOf(id) + 1);
        continue;
      }
      if (code === CONSTANT) {
        emit(token.constant);
        if (w.constantCount === w.constants.length) w.constants = double(w.constants);
        w.constants[w.constantCount++] = id;
        continue;
      }
      /*
       * What is met once need not be remembered: in a tree nothing is, else what is referred to again and the roots. A root
       * met again below another root of the same unit is a back reference before it is a leaf.
       */
      const again = !tree && (references[id] > 1 || stored[id] !== 0);
      if (again && seen[id] === epoch) {
        emit(token.back(localIndex[id]));
        continue;
      }
      if (stored[id] !== 0 && !(isRoot && id === root)) {
        leaf(id, INTERMEDIATE);
        continue;
      }
      if (w.tokenCount >= limit) return false;
      if (again) {
        seen[id] = epoch;
        localIndex[id] = inner;
      }
      inner++;
      if (ASSOCIATIVE[code] === 1) {
        const list = tree ? treeTerms : dagTerms;
        const n = list.collect(id);
        emit(token.operation(code, n));
        for (let t = n - 1; t >= 0; t--) push(list.terms[t]);
        continue;
      }
      emit(token.operation(code, ARITY[code]));
      if (ARITY[code] === 1) push(left[id]);
      else if (COMMUTATIVE[code] === 1 && hashes.asOperand(left[id]) > hashes.asOperand(right[id])) {
        push(left[id]);
        push(right[id]);
      } else {
        push(right[id]);
        push(left[id]);
      }
    }
    return true;
  };
  return w;
};

/** Which input a variable belongs to. */
export const inputOfVariable = (d: Grouping): ((id: number) => number) => {
  const { inputs } = d;
  if (inputs.length === 1) return () => 0;
  return (id) => {
    let k = 0;
    while (id >= inputs[k].firstNode + inputs[k].length || id < inputs[k].firstNode) k++;
    return k;
  };
};

const double = (a: Int32Array): Int32Array<ArrayBuffer> => {
  const wider = new Int32Array(2 * a.length);
  wider.set(a);
  return wider;
};
