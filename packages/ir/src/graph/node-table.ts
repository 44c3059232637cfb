/** Load factor at which the table doubles. */
const LOAD = 0.75;

/**
 * Finds the node that has three given residues, by open addressing. An entry is a node + 1 in its low bits and, in the
 * bits that nodes do not need, a tag of the residues, so that a probe leaves the table only for a likely match. The
 * residues are the caller's array, three words a node.
 */
export class NodeTable {
  private entries: Int32Array;
  private mask: number;
  private shift: number;
  /** Bits of an entry that hold the node. */
  private nodeBits: number;
  private nodeMask: number;
  /** One bit a node: whether it is in the table. So the table is made anew in the order of nodes, as they lie in memory. */
  private entered: Uint8Array;
  private count = 0;
  /** What was read ahead; kept, since what nobody keeps nobody reads. */
  glanced = 0;

  /** A table for `expected` entries, of nodes below `capacity`. */
  constructor(expected: number, capacity: number) {
    const bits = Math.max(7, Math.ceil(Math.log2(expected / LOAD)));
    this.entries = new Int32Array(2 ** bits);
    this.mask = 2 ** bits - 1;
    this.shift = 32 - bits;
    this.nodeBits = bitsOf(capacity);
    this.nodeMask = 2 ** this.nodeBits - 1;
    this.entered = new Uint8Array((capacity >>> 3) + 1);
  }

  /** How many more nodes may be entered before it must grow. */
  get room(): number {
    return Math.floor(this.entries.length * LOAD) - this.count;
  }

  get bytes(): number {
    return this.entries.byteLength + this.entered.byteLength;
  }

  /** The node with these residues, or ~s where it belongs into slot s. */
  find(residues: Int32Array, h0: number, h1: number, h2: number): number {
    const { entries, mask, nodeMask } = this;
    const word = wordOf(h0, h1, h2);
    const tag = word << this.nodeBits;
    for (let s = word >>> this.shift; ; s = (s + 1) & mask) {
      const entry = entries[s];
      if (entry === 0) return ~s;
      if ((entry & ~nodeMask) !== tag) continue;
      const node = (entry & nodeMask) - 1;
      const h = 3 * node;
      if (residues[h] === h0 && residues[h + 1] === h1 && residues[h + 2] === h2) return node;
    }
  }

  /** Enters a node into the slot that `find` named for its residues. */
  enter(slot: number, node: number, h0: number, h1: number, h2: number): void {
    this.entries[slot] = (wordOf(h0, h1, h2) << this.nodeBits) | (node + 1);
    this.entered[node >>> 3] |= 1 << (node & 7);
    this.count++;
  }

  /** Lets another node of the same residues take the place of one that `find` found. */
  replace(old: number, node: number, h0: number, h1: number, h2: number): void {
    const { entries, mask, nodeMask } = this;
    let s = wordOf(h0, h1, h2) >>> this.shift;
    while ((entries[s] & nodeMask) - 1 !== old) s = (s + 1) & mask;
    this.entered[old >>> 3] &= ~(1 << (old & 7));
    this.enter(s, node, h0, h1, h2);
    this.count--;
  }

  /** Takes a node out, if it was entered. Entries behind it that stood further on for its sake move up, so that searches end where they did. */
  remove(residues: Int32Array, node: number): void {
    const { entries, entered, mask, shift, nodeMask } = this;
    if ((entered[node >>> 3] & (1 << (node & 7))) === 0) return;
    const slotOf = (id: number): number =>
      wordOf(residues[3 * id], residues[3 * id + 1], residues[3 * id + 2]) >>> shift;
    let free = slotOf(node);
    while ((entries[free] & nodeMask) - 1 !== node) free = (free + 1) & mask;
    for (let s = (free + 1) & mask; entries[s] !== 0; s = (s + 1) & mask) {
      const from = slotOf((entries[s] & nodeMask) - 1);
      if (((s - from) & mask) < ((s - free) & mask)) continue;
      entries[free] = entries[s];
      free = s;
    }
    entries[free] = 0;
    entered[node >>> 3] &= ~(1 << (node & 7));
    this.count--;
  }

  /**
   * Reads what the searches for `n` triples of residues would read, `h[3·from ..]`, so that the searches find it near.
   * First all entries and then all nodes, without asking what was read: so the machine fetches them side by side.
   */
  glance(residues: Int32Array, h: Int32Array, from: number, n: number): void {
    const { entries, shift, nodeBits, nodeMask } = this;
    const end = 3 * (from + n);
    let sum = 0;
    for (let i = 3 * from; i < end; i += 3) sum ^= entries[wordOf(h[i], h[i + 1], h[i + 2]) >>> shift];
    for (let i = 3 * from; i < end; i += 3) {
      const word = wordOf(h[i], h[i + 1], h[i + 2]);
      const entry = entries[word >>> shift];
      if (entry !== 0 && (entry & ~nodeMask) === word << nodeBits) sum ^= residues[3 * ((entry & nodeMask) - 1)];
    }
    this.glanced = sum;
  }

  /** Makes room for `more` entries, and for nodes below `capacity`. */
  grow(more: number, capacity: number, residues: Int32Array): void {
    let bits = 32 - this.shift;
    while (this.count + more > 2 ** bits * LOAD) bits++;
    const { entered } = this;
    if ((capacity >>> 3) + 1 > entered.length) {
      this.entered = new Uint8Array((capacity >>> 3) + 1);
      this.entered.set(entered);
    }
    if (bits === 32 - this.shift && bitsOf(capacity) <= this.nodeBits) return;
    this.nodeBits = Math.max(this.nodeBits, bitsOf(capacity));
    this.nodeMask = 2 ** this.nodeBits - 1;
    this.entries = new Int32Array(2 ** bits);
    this.mask = 2 ** bits - 1;
    this.shift = 32 - bits;
    this.refill(residues);
  }

  /** Enters all nodes into an empty table, a batch of searches side by side. */
  private refill(residues: Int32Array): void {
    const { entries, entered, mask, shift, nodeBits } = this;
    const batch = new Int32Array(BATCH + 8);
    let n = 0;
    let sum = 0;
    for (let i = 0; i < entered.length; i++) {
      for (let rest = entered[i], node = 8 * i; rest !== 0; rest >>>= 1, node++)
        if ((rest & 1) === 1) batch[n++] = node;
      if (n < BATCH && i + 1 < entered.length) continue;
      for (let k = 0; k < n; k++) {
        const h = 3 * batch[k];
        sum ^= entries[wordOf(residues[h], residues[h + 1], residues[h + 2]) >>> shift];
      }
      for (let k = 0; k < n; k++) {
        const h = 3 * batch[k];
        const word = wordOf(residues[h], residues[h + 1], residues[h + 2]);
        let s = word >>> shift;
        while (entries[s] !== 0) s = (s + 1) & mask;
        entries[s] = (word << nodeBits) | (batch[k] + 1);
      }
      n = 0;
    }
    this.glanced = sum;
  }
}

/** Searches that are begun together. */
const BATCH = 64;

/** Bits of an entry that hold 1 to `capacity`: many from the start, so that the table need not be made anew for their sake. */
const bitsOf = (capacity: number): number => Math.max(26, 32 - Math.clz32(capacity));

/** 32 bits of the residues: the high ones choose the slot, the low ones are the tag. */
const wordOf = (h0: number, h1: number, h2: number): number =>
  Math.imul(h0 ^ Math.imul(h1, 0x2c1b3c6d), 0x297a2d39) ^ Math.imul(h2, 0x85ebca6b);
