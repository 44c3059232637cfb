import { COMMUTATIVE } from './codes.js';

/** Readers of a node that are looked through one after the other; more of them are found by hash. */
const MOST_IN_A_ROW = 6;
/** Load factor at which the table of these doubles. */
const LOAD = 0.5;

/** What it needs of a graph, whose arrays may be replaced by longer ones. */
interface Nodes {
  readonly op: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/**
 * Finds the node of an operation on given nodes, by these alone. Each node has a list of what reads it and no later node; so whether there is such an operation is told by the list of its
 * later operand, which most programs made not long ago: it is near, and mostly empty. A hash table of all nodes has each at a random place, which is what finding costs where
 * they are many. Node 0 reads nothing, so 0 ends a list.
 */
export class StructureTable {
  /** By operand: the latest of its readers. */
  private first: Int32Array;
  /* By reader: the reader before it, and a word of its operation and other operand. */
  private links: Int32Array;
  /* Of nodes with more readers: the rest of these, by open addressing. */
  private rest = new Int32Array(0);
  private shift = 32;
  private restCount = 0;
  /* What the last search in vain found: whose reader it would be, the word, and whether that has room. */
  private operand = 0;
  private word = 0;
  private isFull = false;

  constructor(
    private readonly nodes: Nodes,
    capacity: number,
  ) {
    this.first = new Int32Array(capacity);
    this.links = new Int32Array(2 * capacity);
  }

  get bytes(): number {
    return this.first.byteLength + this.links.byteLength + this.rest.byteLength;
  }

  /**
   * The node of an operation; else −1, and `enter` takes what is made then.
   *
   * @param operand the operand in whose list it is, which is the same for both orders of commutative operations; `other` is the other one, or 0
   */
  find(code: number, a: number, b: number, operand: number, other: number): number {
    const { first, links } = this;
    const word = (Math.imul(other, 0x9e3779b1) + code) | 0;
    this.operand = operand;
    this.word = word;
    let n = 0;
    for (let id = first[operand]; id !== 0; id = links[2 * id]) {
      if (links[2 * id + 1] === word && this.is(id, code, a, b)) return id;
      n++;
    }
    this.isFull = n >= MOST_IN_A_ROW;
    if (!this.isFull || this.restCount === 0) return -1;
    const { rest } = this;
    for (let s = this.slotOf(operand, word); rest[s] !== 0; s = (s + 1) & (rest.length - 1)) {
      const id = rest[s];
      if (links[2 * id] === operand && links[2 * id + 1] === word && this.is(id, code, a, b)) return id;
    }
    return -1;
  }

  /** Enters the node that was made after a search in vain. */
  enter(id: number): void {
    const { first, links, operand } = this;
    links[2 * id + 1] = this.word;
    if (!this.isFull) {
      links[2 * id] = first[operand];
      first[operand] = id;
      return;
    }
    /* Of these the operand, so that searches need not look at the node. */
    links[2 * id] = operand;
    if (++this.restCount > LOAD * this.rest.length) this.growRest();
    this.put(id);
  }

  /** Makes room for nodes below `capacity`. */
  grow(capacity: number): void {
    const { first, links } = this;
    this.first = new Int32Array(capacity);
    this.first.set(first);
    this.links = new Int32Array(2 * capacity);
    this.links.set(links);
  }

  private is(id: number, code: number, a: number, b: number): boolean {
    const { op, left, right } = this.nodes;
    if (op[id] !== code) return false;
    return (left[id] === a && right[id] === b) || (COMMUTATIVE[code] === 1 && left[id] === b && right[id] === a);
  }

  private put(id: number): void {
    const { rest, links } = this;
    let s = this.slotOf(links[2 * id], links[2 * id + 1]);
    while (rest[s] !== 0) s = (s + 1) & (rest.length - 1);
    rest[s] = id;
  }

  private growRest(): void {
    const before = this.rest;
    const bits = before.length === 0 ? 10 : 33 - this.shift;
    this.rest = new Int32Array(2 ** bits);
    this.shift = 32 - bits;
    for (let s = 0; s < before.length; s++) if (before[s] !== 0) this.put(before[s]);
  }

  private slotOf(operand: number, word: number): number {
    const h = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + Math.imul(operand, 0x85ebca6b);
    return Math.imul(h ^ (h >>> 13), 0x297a2d39) >>> this.shift;
  }
}
