import type { Graph } from '@filigree/ir';
import { doubled, IntList } from '../../decompose/int-list.js';
import type { Sums } from '../elements/elements.js';

/** The terms of one sum, as they are collected. */
export class TermList {
  terms = new Int32Array(64);
  negatives = new Int32Array(64);
  length = 0;

  push(term: number, negative: number): void {
    if (this.length === this.terms.length) {
      this.terms = doubled(this.terms);
      this.negatives = doubled(this.negatives);
    }
    this.terms[this.length] = term;
    this.negatives[this.length++] = negative;
  }
}

/** The terms of sums, of equal ones once. */
export class TermLists {
  private readonly ends = new IntList();
  private readonly terms = new IntList();
  private readonly negatives = new IntList();
  /* Open addressing: 1 + the number of a sum. */
  private table = new Int32Array(1024);
  private hashes = new Int32Array(512);

  get length(): number {
    return this.ends.length;
  }

  /** The number of the sum of these terms. */
  add(list: TermList): number {
    const hash = hashOf(list);
    let mask = this.table.length - 1;
    let at = hash & mask;
    for (; this.table[at] !== 0; at = (at + 1) & mask) {
      const s = this.table[at] - 1;
      if (this.hashes[s] === hash && this.isSum(s, list)) return s;
    }
    const s = this.ends.length;
    if (s === this.hashes.length) {
      this.hashes = doubled(this.hashes);
      this.table = new Int32Array(2 * this.table.length);
      mask = this.table.length - 1;
      for (let k = 0; k < s; k++) this.table[this.free(this.hashes[k] & mask)] = k + 1;
      at = this.free(hash & mask);
    }
    this.table[at] = s + 1;
    this.hashes[s] = hash;
    for (let t = 0; t < list.length; t++) {
      this.terms.push(list.terms[t]);
      this.negatives.push(list.negatives[t]);
    }
    this.ends.push(this.terms.length);
    return s;
  }

  /** The sums, with a variable of the graph for each. */
  finish(graph: Graph): Sums {
    graph.charge(9 * this.terms.length);
    return {
      first: graph.variables(this.length),
      ptr: this.ends.starts(),
      terms: this.terms.values().slice(),
      negative: Uint8Array.from(this.negatives.values()),
    };
  }

  private free(from: number): number {
    let at = from;
    while (this.table[at] !== 0) at = (at + 1) & (this.table.length - 1);
    return at;
  }

  private isSum(s: number, list: TermList): boolean {
    const from = s === 0 ? 0 : this.ends.at(s - 1);
    if (this.ends.at(s) - from !== list.length) return false;
    for (let t = 0; t < list.length; t++)
      if (this.terms.at(from + t) !== list.terms[t] || this.negatives.at(from + t) !== list.negatives[t]) return false;
    return true;
  }
}

const hashOf = ({ terms, negatives, length }: TermList): number => {
  let h = length;
  for (let t = 0; t < length; t++) h = Math.imul(h ^ terms[t], 0x2c1b3c6d) + negatives[t] + (h >>> 15);
  return h ^ (h >>> 16);
};
