import { graphCodes, type Graph } from '@filigree/ir';
import { NONE } from './guarded.js';
import type { Term } from './terms.js';
import type { Walk } from './walk.js';

const { ARITY, CONSTANT, SELECT, VARIABLE } = graphCodes;

/**
 * A sum of terms without its leaves. Nodes are numbered as they are met, operands first; node k has the four words from 4·k: its op and its operands. A leaf is a
 * variable: its second word says whether it is one of those by which we differentiate. A constant that shapes its derivative, such as an exponent, stays:
 * its second word is its node in the graph.
 */
export interface Form {
  readonly words: Int32Array;
  /** Triples of node, factor and condition: the products are added, each where its condition holds. */
  readonly terms: Int32Array;
  readonly leaves: number;
}

/** An expression as its form and its leaves, in the order in which the form has them; the leaves are overwritten by the next. */
export interface Formed {
  readonly form: Form;
  readonly leaves: Int32Array;
  /** Nodes of the expression. */
  readonly size: number;
}

/** All forms met so far. */
export class FormTable {
  private readonly byHash = new Map<number, Form[]>();
  private readonly number: Int32Array;
  /* The expression that is being written down. */
  private ownWords: Int32Array = new Int32Array(256);
  private ownLeaves: Int32Array = new Int32Array(64);
  private words = 0;
  private leaves = 0;

  constructor(
    private readonly graph: Graph,
    private readonly active: Uint8Array,
  ) {
    this.number = new Int32Array(graph.length);
  }

  formOf(terms: readonly Term[], walk: Walk): Formed {
    this.words = 0;
    this.leaves = 0;
    walk.begin();
    const triples: number[] = [];
    for (const { node, factor, condition } of terms) {
      walk.below(node, this.visit);
      triples.push(this.number[node], this.constantOf(factor, walk));
      triples.push(condition < 0 ? NONE : this.constantOf(condition, walk));
    }
    const form = this.known(this.ownWords.subarray(0, this.words), triples, this.leaves);
    return { form, leaves: this.ownLeaves.subarray(0, this.leaves), size: this.words / 4 };
  }

  /* Factors and conditions are not differentiated, also those that happen to be written as what depends on variables: by a = x·w the derivative of (a·w)·x is w·x. */
  private constantOf(id: number, walk: Walk): number {
    if (this.active[id] > 0) return this.leaf(id, 0);
    walk.below(id, this.visit);
    return this.number[id];
  }

  private leaf(id: number, isVariable: number): number {
    const own = this.words / 4;
    this.write(VARIABLE, isVariable, NONE, NONE);
    if (this.leaves === this.ownLeaves.length) this.ownLeaves = doubled(this.ownLeaves);
    this.ownLeaves[this.leaves++] = id;
    return own;
  }

  private readonly visit = (id: number): void => {
    const { graph, active, number } = this;
    number[id] = this.words / 4;
    if (active[id] === 1) {
      const { op, left, right } = graph;
      const [a, b] = [left[id], right[id]];
      if (op[id] === SELECT) this.write(SELECT, number[a], number[left[b]], number[right[b]]);
      else this.write(op[id], number[a], ARITY[op[id]] === 2 ? number[b] : NONE, NONE);
    } else if (graph.isConstant(id) && isPlain(graph.constantValue(id))) this.write(CONSTANT, id, NONE, NONE);
    else this.leaf(id, active[id] === 2 ? 1 : 0);
  };

  private write(code: number, a: number, b: number, c: number): void {
    if (this.words + 4 > this.ownWords.length) this.ownWords = doubled(this.ownWords);
    this.ownWords[this.words++] = code;
    this.ownWords[this.words++] = a;
    this.ownWords[this.words++] = b;
    this.ownWords[this.words++] = c;
  }

  private known(words: Int32Array, terms: readonly number[], leaves: number): Form {
    let hash = terms.length;
    for (let i = 0; i < words.length; i++) hash = (Math.imul(hash, 0x01000193) + words[i]) | 0;
    for (const w of terms) hash = (Math.imul(hash, 0x01000193) + w) | 0;
    const candidates = this.byHash.get(hash) ?? [];
    this.byHash.set(hash, candidates);
    const found = candidates.find((f) => equal(f.words, words) && equal(f.terms, terms));
    if (found) return found;
    const form = { words: words.slice(), terms: Int32Array.from(terms), leaves };
    candidates.push(form);
    return form;
  }
}

/**
 * Numbers that programs write, rather than have: they stay in a form, whose derivative is simpler for them. Data that happens to be so makes forms of its own.
 */
const isPlain = (value: number): boolean => Number.isInteger(2 * value) && Math.abs(value) <= 64;

export const equal = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** An array twice as long, with the same beginning. */
export const doubled = (a: Int32Array): Int32Array => {
  const out = new Int32Array(2 * a.length);
  out.set(a);
  return out;
};
