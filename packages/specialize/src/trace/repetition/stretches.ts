import { SUB, type Graph } from '@filigree/ir';
import { ARITY } from '../../decompose/codes.js';
import { doubled } from '../../decompose/int-list.js';
import { A, AGAIN, B, CHILD, CODE, FRESH, MARK, OPERATIONS, Paths, SIBLING, UNUSED } from './paths.js';
import { Runs } from './runs.js';

/** Operations that a stretch may have. */
const MOST_OPERATIONS = 4096;
/** What is kept of a run of stretches besides their leaves, which is counted for so many together. */
const BYTES_A_RUN = 24;
const COUNTED = 1024;
/** Values have numbers of 31 bits. */
const MOST_VALUES = 2 ** 31 - 2 * MOST_OPERATIONS;

/** 1 for operations of one operand. */
const UNARY = Uint8Array.from({ length: 256 }, (_, code) => (code !== SUB && ARITY[code] === 1 ? 1 : 0));
/** In the place of an operand that is a leaf, where a place in the stretch would stand. */
const LEAF = -1;

/**
 * Stretches of operations that the program made, one after the other: of each the path that it followed, and its leaves in the order in which they were met.
 * Its operations are values `base`, `base + 1`, … Leaves are nodes, or `~v` for value v of an earlier stretch.
 */
export class Stretches {
  readonly paths = new Paths();
  readonly runs = new Runs();
  leaves = new Int32Array(1024);
  leafCount = 0;
  /** The path of the stretch that is recorded, up to now; 0 while none is. */
  cursor = 0;
  /** The first value of the stretch that is recorded. */
  base = 0;
  /** Where its leaves begin. */
  firstLeaf = 0;
  /** Whether the stretch went where none went before. */
  isNew = false;

  constructor(private readonly graph: Graph) {}

  get length(): number {
    return this.runs.length;
  }

  /** How many values stretches from one on have, with that which is recorded. */
  valuesFrom(first: number): number {
    const recorded = this.cursor === 0 ? 0 : this.paths.operationsOf(this.cursor);
    return this.base + recorded - (first < this.length ? this.runs.baseOf(first) : this.base);
  }

  /** Begins a stretch that follows paths from a root, while there are numbers for its values. */
  begin(root: number): void {
    if (this.base >= MOST_VALUES) return;
    this.cursor = root;
    this.firstLeaf = this.leafCount;
    this.isNew = false;
  }

  /** Ends the stretch that is recorded. Whether it had any operation. */
  end(): boolean {
    const operations = this.cursor === 0 ? 0 : this.paths.operationsOf(this.cursor);
    if (operations === 0) this.leafCount = this.cursor === 0 ? this.leafCount : this.firstLeaf;
    else {
      const { count } = this.runs;
      this.runs.push(this.cursor, this.base, this.firstLeaf, operations, this.leafCount - this.firstLeaf);
      this.base += operations;
      if (this.runs.count > count && count % COUNTED === 0) this.graph.charge(BYTES_A_RUN * COUNTED);
    }
    this.cursor = 0;
    return operations > 0;
  }

  /** Whether a stretch is as long as one may be. */
  get isFull(): boolean {
    return this.cursor !== 0 && this.paths.operationsOf(this.cursor) >= MOST_OPERATIONS;
  }

  /** An operation of the stretch that is recorded, as `~v` for its value. */
  take(code: number, a: number, b: number): number {
    const known = this.follow(code, a, b);
    return known === 0 ? this.branch(code, a, b) : known;
  }

  /** The same where stretches went this way before, else 0. */
  follow(code: number, a: number, b: number): number {
    const { base, leafCount } = this;
    const { words } = this.paths;
    const left = a < 0 ? ~a - base : LEAF;
    const right = UNARY[code] === 1 ? UNUSED : b < 0 ? ~b - base : LEAF;
    for (let n = words[this.cursor + CHILD]; n !== 0; n = words[n + SIBLING]) {
      if (words[n + CODE] !== code) continue;
      const [knownLeft, knownRight] = [words[n + A], words[n + B]];
      if (
        (knownLeft >= 0 ? knownLeft === left : left < 0 && this.fits(knownLeft, a)) &&
        (knownRight >= 0 || knownRight === UNUSED ? knownRight === right : right < 0 && this.fits(knownRight, b))
      ) {
        this.cursor = n;
        return ~(base + words[n + OPERATIONS] - 1);
      }
      this.leafCount = leafCount;
    }
    return 0;
  }

  /** The same where none did. */
  branch(code: number, a: number, b: number): number {
    const left = this.operandOf(a);
    this.cursor = this.paths.add(this.cursor, code, left, UNARY[code] === 1 ? UNUSED : this.operandOf(b));
    this.isNew = true;
    return ~(this.base + this.paths.operationsOf(this.cursor) - 1);
  }

  /** Which leaf of the stretch that is recorded an entry is, the first if there are several; or −1. */
  placeOfLeaf(entry: number): number {
    for (let k = this.firstLeaf; k < this.leafCount; k++) if (this.leaves[k] === entry) return k - this.firstLeaf;
    return -1;
  }

  /** Leaves that operations read which were met before, from one place of the recorded stretch's path to another. */
  leavesAgain(from: number, to: number): number[] {
    const { paths } = this;
    const found: number[] = [];
    for (let n = to; n !== from; n = paths.before(n))
      if (paths.codeOf(n) !== MARK)
        for (const operand of paths.operandsOf(n))
          if (operand <= AGAIN && operand !== UNUSED) found.push(this.firstLeaf + AGAIN - operand);
    return found;
  }

  /** Notes what a loop within the stretch does; false where it does it more or less often than before. */
  mark(event: number): boolean {
    const { words } = this.paths;
    for (let n = words[this.cursor + CHILD]; n !== 0; n = words[n + SIBLING])
      if (words[n + CODE] === MARK) {
        if (words[n + A] === event) {
          this.cursor = n;
          return true;
        }
        if (words[n + A] >> 1 === event >> 1) return false;
      }
    this.cursor = this.paths.add(this.cursor, MARK, event, UNUSED);
    this.isNew = true;
    return true;
  }

  /**
   * Divides stretches from one on, with that which is recorded, where loops within them do what `cuts`; values keep their numbers.
   *
   * @param rootOf where stretches begin that an event begins
   * @returns the last event that began one, or −1
   */
  divide(first: number, cuts: (event: number) => boolean, rootOf: (event: number) => number): number {
    const { paths, runs } = this;
    const from = first < this.length ? runs.leafStartOf(first) : this.firstLeaf;
    const leaves = this.leaves.slice(from, this.leafCount);
    const given = Array.from({ length: this.length - first }, (_, i) => {
      const run = runs.runOf(first + i);
      return {
        end: runs.endOf(run),
        base: runs.baseIn(run, first + i),
        leaf: runs.leafStartIn(run, first + i) - from,
      };
    });
    given.push({ end: this.cursor, base: this.base, leaf: this.firstLeaf - from });
    if (first < this.length) this.base = runs.baseOf(first);
    runs.truncate(first);
    this.leafCount = from;
    this.cursor = 0;
    let last = -1;
    for (const { end, base, leaf } of given) {
      this.end();
      if (end === 0) continue;
      let next = leaf;
      const entryOf = (operand: number): number => {
        if (operand >= 0) return ~(base + operand);
        if (operand === FRESH) return leaves[next++];
        return operand === UNUSED ? 0 : leaves[leaf + AGAIN - operand];
      };
      const [root, ...nodes] = paths.upTo(end);
      this.begin(root);
      for (const n of nodes) {
        const code = paths.codeOf(n);
        const [a, b] = paths.operandsOf(n);
        if (code !== MARK) {
          const left = entryOf(a);
          this.take(code, left, entryOf(b));
        } else if (cuts(a)) {
          this.end();
          this.begin(rootOf(a));
          last = a;
        } else this.mark(a);
      }
    }
    return last;
  }

  /** Whether an operand that is a leaf agrees with one; one that was not met before is kept. */
  private fits(operand: number, leaf: number): boolean {
    if (operand !== FRESH) return leaf === this.leaves[this.firstLeaf + AGAIN - operand];
    this.keep(leaf);
    return true;
  }

  /** Numbers are leaves of their own, however often one occurs. */
  private operandOf(entry: number): number {
    if (entry < 0 && ~entry >= this.base) return ~entry - this.base;
    if (entry < 0 || !this.graph.isConstant(entry))
      for (let k = this.leafCount - 1; k >= this.firstLeaf; k--)
        if (this.leaves[k] === entry) return AGAIN - (k - this.firstLeaf);
    this.keep(entry);
    return FRESH;
  }

  /** A leaf of the stretch that is recorded. */
  keep(entry: number): void {
    if (this.leafCount === this.leaves.length) {
      this.graph.charge(4 * this.leaves.length);
      this.leaves = doubled(this.leaves);
    }
    this.leaves[this.leafCount++] = entry;
  }
}
