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

/**
 * All stretches of operations that were met, as a tree: stretches that begin alike share their beginnings. Nodes are numbers from 1, 0 is none.
 */
export class Paths {
  code = new Int32Array(64);
  a = new Int32Array(64);
  b = new Int32Array(64);
  parent = new Int32Array(64);
  child = new Int32Array(64);
  sibling = new Int32Array(64);
  /** Operations up to and with a node. */
  operations = new Int32Array(64);
  private length = 1;

  /** Where stretches begin. */
  root(): number {
    return this.add(0, MARK, UNUSED, UNUSED);
  }

  /** A node that comes next to those which follow `parent`. */
  add(parent: number, code: number, a: number, b: number): number {
    const id = this.length++;
    if (id === this.code.length)
      for (const column of ['code', 'a', 'b', 'parent', 'child', 'sibling', 'operations'] as const)
        this[column] = doubled(this[column]);
    this.code[id] = code;
    this.a[id] = a;
    this.b[id] = b;
    this.parent[id] = parent;
    this.operations[id] = this.operations[parent] + (code === MARK ? 0 : 1);
    if (parent === 0) return id;
    /* What was met first is looked at first: it is met most. */
    let last = this.child[parent];
    if (last === 0) this.child[parent] = id;
    else {
      while (this.sibling[last] !== 0) last = this.sibling[last];
      this.sibling[last] = id;
    }
    return id;
  }

  /** The nodes from where stretches begin to this one. */
  upTo(end: number): number[] {
    const found: number[] = [];
    for (let n = end; n !== 0; n = this.parent[n]) found.push(n);
    return found.reverse();
  }
}
