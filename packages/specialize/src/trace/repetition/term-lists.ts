import type { Graph } from '@filigree/ir';
import { IntList } from '../../decompose/int-list.js';
import type { Sums } from '../elements/elements.js';

/** The terms of sums, of equal ones once. What is pushed, the last term first, is the sum that comes next, until it ends or is dropped. */
export class TermLists {
  private readonly ends = new IntList();
  private readonly terms: Int32Array;
  private readonly negatives: Uint8Array;
  private from = 0;
  private to = 0;
  private hash = 0;
  /* Open addressing: 1 + the number of a sum. */
  private readonly table: Int32Array;
  private readonly hashes: Int32Array;

  /**
   * @param terms how many terms there are at the most
   * @param sums how many sums
   */
  constructor(terms: number, sums: number) {
    this.terms = new Int32Array(terms);
    this.negatives = new Uint8Array(terms);
    this.hashes = new Int32Array(sums);
    this.table = new Int32Array(2 ** Math.ceil(Math.log2(2 * sums + 2)));
  }

  /** How many sums there are. */
  get length(): number {
    return this.ends.length;
  }

  push(term: number, negative: number): void {
    this.hash = Math.imul(this.hash ^ term, 0x2c1b3c6d) + negative + (this.hash >>> 15);
    this.terms[this.to] = term;
    this.negatives[this.to++] = negative;
  }

  /** The terms of the sum that comes next. */
  get pending(): number {
    return this.to - this.from;
  }

  /** Its only term, where there is one that is not subtracted. */
  get single(): number | undefined {
    return this.pending === 1 && this.negatives[this.from] === 0 ? this.terms[this.from] : undefined;
  }

  /** Forgets the sum that comes next. */
  drop(): void {
    this.to = this.from;
    this.hash = 0;
  }

  /** Ends the sum that comes next, and gives its number. */
  end(): number {
    const { table, hashes, terms, negatives, from, to } = this;
    const hash = this.hash ^ (this.hash >>> 16);
    for (let a = from, b = to - 1; a < b; a++, b--) {
      const term = terms[a];
      const negative = negatives[a];
      terms[a] = terms[b];
      negatives[a] = negatives[b];
      terms[b] = term;
      negatives[b] = negative;
    }
    const mask = table.length - 1;
    /* What is added last tells most sums apart, and sums that follow one another end with elements that do. */
    let at = ~terms[to - 1] & mask;
    for (let next = hash & mask; table[at] !== 0; at = next, next = (next + 1) & mask) {
      const s = table[at] - 1;
      if (hashes[s] === hash && this.isPending(s)) {
        this.drop();
        return s;
      }
    }
    const s = this.ends.length;
    table[at] = s + 1;
    hashes[s] = hash;
    this.ends.push(to);
    this.from = to;
    this.hash = 0;
    return s;
  }

  /** The sums, with a variable of the graph for each. */
  finish(graph: Graph): Sums {
    graph.charge(9 * this.from);
    return {
      first: graph.variables(this.length),
      ptr: this.ends.starts(),
      terms: this.terms.slice(0, this.from),
      negative: this.negatives.slice(0, this.from),
    };
  }

  private isPending(s: number): boolean {
    const start = s === 0 ? 0 : this.ends.at(s - 1);
    if (this.ends.at(s) - start !== this.pending) return false;
    for (let t = 0; t < this.pending; t++)
      if (
        this.terms[start + t] !== this.terms[this.from + t] ||
        this.negatives[start + t] !== this.negatives[this.from + t]
      )
        return false;
    return true;
  }
}
