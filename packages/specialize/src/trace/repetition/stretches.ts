import { SUB, type Graph } from '@filigree/ir';
import { ARITY } from '../../decompose/codes.js';
import { doubled, IntList } from '../../decompose/int-list.js';
import { AGAIN, FRESH, MARK, Paths, UNUSED } from './paths.js';

/** Operations that a stretch may have. */
const MOST_OPERATIONS = 4096;
/** What is kept of a stretch besides its leaves, which is counted for so many together. */
const BYTES_A_STRETCH = 12;
const COUNTED = 1024;
/** Values have numbers of 31 bits. */
const MOST_VALUES = 2 ** 31 - 2 * MOST_OPERATIONS;

/**
 * Stretches of operations that the program made, one after the other: of each the path that it followed, and its leaves in the order in which they were met.
 * Its operations are values `base`, `base + 1`, … Leaves are nodes, or `~v` for value v of an earlier stretch.
 */
export class Stretches {
  readonly paths = new Paths();
  readonly bases = new IntList();
  readonly ends = new IntList();
  readonly leafStarts = new IntList();
  leaves = new Int32Array(1024);
  leafCount = 0;
  /** The path of the stretch that is recorded, up to now; 0 while none is. */
  cursor = 0;
  /** The first value of the stretch that is recorded. */
  base = 0;
  private firstLeaf = 0;
  /** Whether the stretch went where none went before. */
  isNew = false;

  constructor(private readonly graph: Graph) {}

  get length(): number {
    return this.bases.length;
  }

  /** How many values stretches from one on have, with that which is recorded. */
  valuesFrom(first: number): number {
    const recorded = this.cursor === 0 ? 0 : this.paths.operations[this.cursor];
    return this.base + recorded - (first < this.length ? this.bases.at(first) : this.base);
  }

  /** Begins a stretch that follows paths from a root. */
  begin(root: number): void {
    this.cursor = root;
    this.firstLeaf = this.leafCount;
    this.isNew = false;
  }

  /** Ends the stretch that is recorded. Whether it had any operation. */
  end(): boolean {
    const operations = this.cursor === 0 ? 0 : this.paths.operations[this.cursor];
    if (operations === 0) this.leafCount = this.cursor === 0 ? this.leafCount : this.firstLeaf;
    else {
      this.bases.push(this.base);
      this.ends.push(this.cursor);
      this.leafStarts.push(this.firstLeaf);
      this.base += operations;
      if (this.length % COUNTED === 0) this.graph.charge(BYTES_A_STRETCH * COUNTED);
    }
    this.cursor = 0;
    return operations > 0;
  }

  /** Whether a stretch is as long as one may be. */
  get isFull(): boolean {
    return this.cursor !== 0 && (this.paths.operations[this.cursor] >= MOST_OPERATIONS || this.base >= MOST_VALUES);
  }

  /** An operation of the stretch that is recorded, as `~v` for its value. */
  take(code: number, a: number, y: number): number {
    const { paths } = this;
    const b = code !== SUB && ARITY[code] === 1 ? UNUSED : y;
    const known = this.leafCount;
    for (let n = paths.child[this.cursor]; n !== 0; n = paths.sibling[n]) {
      if (paths.code[n] === code && this.fits(paths.a[n], a) && this.fits(paths.b[n], b)) {
        this.cursor = n;
        return ~(this.base + paths.operations[n] - 1);
      }
      this.leafCount = known;
    }
    const left = this.operandOf(a);
    this.cursor = paths.add(this.cursor, code, left, b === UNUSED ? UNUSED : this.operandOf(b));
    this.isNew = true;
    return ~(this.base + paths.operations[this.cursor] - 1);
  }

  /** Notes what a loop within the stretch does; false where it does it more or less often than before. */
  mark(event: number): boolean {
    const { paths } = this;
    for (let n = paths.child[this.cursor]; n !== 0; n = paths.sibling[n])
      if (paths.code[n] === MARK) {
        if (paths.a[n] === event) {
          this.cursor = n;
          return true;
        }
        if (paths.a[n] >> 1 === event >> 1) return false;
      }
    this.cursor = paths.add(this.cursor, MARK, event, UNUSED);
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
    const { paths, bases, ends, leafStarts } = this;
    const from = first < this.length ? leafStarts.at(first) : this.firstLeaf;
    const leaves = this.leaves.slice(from, this.leafCount);
    const given = [...ends.values().subarray(first), this.cursor].map((end, i) => ({
      end,
      base: first + i < this.length ? bases.at(first + i) : this.base,
      leaf: (first + i < this.length ? leafStarts.at(first + i) : this.firstLeaf) - from,
    }));
    if (first < this.length) this.base = bases.at(first);
    bases.length = ends.length = leafStarts.length = first;
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
        const [code, a, b] = [paths.code[n], paths.a[n], paths.b[n]];
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

  /** Whether operand and entry agree; a leaf that was not met before is kept. */
  private fits(operand: number, entry: number): boolean {
    if (operand >= 0) return entry === ~(this.base + operand);
    if (operand === UNUSED) return true;
    if (operand !== FRESH) return entry === this.leaves[this.firstLeaf + AGAIN - operand];
    if (entry < 0 && ~entry >= this.base) return false;
    this.keep(entry);
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

  private keep(entry: number): void {
    if (this.leafCount === this.leaves.length) {
      this.graph.charge(4 * this.leaves.length);
      this.leaves = doubled(this.leaves);
    }
    this.leaves[this.leafCount++] = entry;
  }
}
