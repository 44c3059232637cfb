import { graphCodes, type Graph } from '@filigree/ir';
import { NONE } from './guarded.js';
import { operandsOf } from './rule-of.js';
import type { Term } from './terms.js';
import type { Walk } from './walk.js';

const { CONSTANT, VARIABLE } = graphCodes;

/**
 * A sum of terms without its leaves. Nodes are numbered as they are met, operands first; node k has the four words from 4·k: its op and its operands. A leaf is a
 * variable: its second word says whether it is one of those by which we differentiate. A constant that shapes its derivative, such as an exponent, stays:
 * its second word is its node in the graph.
 */
export interface Form {
  readonly words: Int32Array;
  /** Pairs of node and factor, whose products are added. */
  readonly terms: Int32Array;
  readonly leaves: number;
}

/** An expression as its form and its leaves, in the order in which the form has them. */
export interface Formed {
  readonly form: Form;
  readonly leaves: readonly number[];
  /** Nodes of the expression. */
  readonly size: number;
}

/** All forms met so far. */
export class FormTable {
  private readonly byHash = new Map<number, Form[]>();
  private readonly number: Int32Array;

  constructor(
    private readonly graph: Graph,
    private readonly active: Uint8Array,
  ) {
    this.number = new Int32Array(graph.length);
  }

  formOf(terms: readonly Term[], walk: Walk): Formed {
    const { graph, active, number } = this;
    const words: number[] = [];
    const leaves: number[] = [];
    const visit = (id: number): void => {
      number[id] = words.length / 4;
      if (active[id] === 1) {
        const [a, b = NONE, c = NONE] = operandsOf(graph, id);
        words.push(graph.op[id], number[a], b < 0 ? NONE : number[b], c < 0 ? NONE : number[c]);
      } else if (graph.isConstant(id) && isPlain(graph.constantValue(id))) words.push(CONSTANT, id, NONE, NONE);
      else {
        words.push(VARIABLE, active[id] === 2 ? 1 : 0, NONE, NONE);
        leaves.push(id);
      }
    };
    walk.begin();
    const pairs: number[] = [];
    for (const { node, factor } of terms) {
      walk.below(node, visit);
      walk.below(factor, visit);
      pairs.push(number[node], number[factor]);
    }
    return { form: this.known(words, pairs, leaves.length), leaves, size: words.length / 4 };
  }

  private known(words: readonly number[], terms: readonly number[], leaves: number): Form {
    let hash = terms.length;
    for (const w of words) hash = (Math.imul(hash, 0x01000193) + w) | 0;
    for (const w of terms) hash = (Math.imul(hash, 0x01000193) + w) | 0;
    const candidates = this.byHash.get(hash) ?? [];
    this.byHash.set(hash, candidates);
    const found = candidates.find((f) => equal(f.words, words) && equal(f.terms, terms));
    if (found) return found;
    const form = { words: Int32Array.from(words), terms: Int32Array.from(terms), leaves };
    candidates.push(form);
    return form;
  }
}

/**
 * Numbers that programs write, rather than have: they stay in a form, whose derivative is simpler for them. Data that happens to be so makes forms of its own.
 */
const isPlain = (value: number): boolean => Number.isInteger(2 * value) && Math.abs(value) <= 64;

const equal = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};
