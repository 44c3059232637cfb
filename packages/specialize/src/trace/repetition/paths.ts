import { doubled } from '../../decompose/int-list.js';

/* Operands of an operation: the place of one of the same stretch, from 0; else a leaf, */
/** which was not met before in the stretch, */
export const FRESH = -1;
/** leaf `AGAIN - k`, which was met before, */
export const AGAIN = -2;
/** or none. */
export const UNUSED = -(2 ** 30);
/** Instead of an operation: a loop within the stretch begins once more, or has ended. `a` says which. */
export const MARK = 255;

/* Words of a node, which stand side by side: the operation, or `MARK`, */
export const CODE = 0;
/** its operands, */
export const A = 1;
export const B = 2;
/** the first node that comes next, the next of those that come where this one does, */
export const CHILD = 3;
export const SIBLING = 4;
/** how many operations there are up to and with it, and the node before. */
export const OPERATIONS = 5;
const PARENT = 6;
/** A number that whoever analyses paths gives to some of them, by where they end; 0 where none was given. */
const MARKED = 7;
const WORDS = 8;

/**
 * All stretches of operations that were met, as a tree: stretches that begin alike share their beginnings. A node is the place of its first word, 0 is none.
 */
export class Paths {
  words = new Int32Array(64 * WORDS);
  private length = WORDS;

  /** Where stretches begin. */
  root(): number {
    return this.add(0, MARK, UNUSED, UNUSED);
  }

  /** A node that comes next to those which follow `parent`. */
  add(parent: number, code: number, a: number, b: number): number {
    const id = this.length;
    this.length += WORDS;
    if (id === this.words.length) this.words = doubled(this.words);
    const { words } = this;
    words[id + CODE] = code;
    words[id + A] = a;
    words[id + B] = b;
    words[id + PARENT] = parent;
    words[id + OPERATIONS] = words[parent + OPERATIONS] + (code === MARK ? 0 : 1);
    if (parent === 0) return id;
    /* What was met first is looked at first: it is met most. */
    let last = words[parent + CHILD];
    if (last === 0) words[parent + CHILD] = id;
    else {
      while (words[last + SIBLING] !== 0) last = words[last + SIBLING];
      words[last + SIBLING] = id;
    }
    return id;
  }

  codeOf(node: number): number {
    return this.words[node + CODE];
  }

  /** How many operations there are up to and with a node. */
  operationsOf(node: number): number {
    return this.words[node + OPERATIONS];
  }

  /** The operands of a node's operation, or which loop it is about. */
  operandsOf(node: number): readonly [a: number, b: number] {
    return [this.words[node + A], this.words[node + B]];
  }

  /** The nodes from where stretches begin to this one. */
  upTo(end: number): number[] {
    const found: number[] = [];
    for (let n = end; n !== 0; n = this.before(n)) found.push(n);
    return found.reverse();
  }

  /** Whether paths that end at one node pass another. */
  isWithin(node: number, end: number): boolean {
    let n = end;
    while (n > node) n = this.before(n);
    return n === node;
  }

  markOf(node: number): number {
    return this.words[node + MARKED];
  }

  setMark(node: number, mark: number): void {
    this.words[node + MARKED] = mark;
  }

  /** The node before one, or 0. */
  before(node: number): number {
    return this.words[node + PARENT];
  }
}
