/** A set of numbers below a limit, which knows how many of them are below one. */
export class Bits {
  readonly words: Uint32Array;
  private readonly counts: Int32Array;

  constructor(limit: number) {
    this.words = new Uint32Array((limit >>> 5) + 1);
    this.counts = new Int32Array(this.words.length + 1);
  }

  set(i: number): void {
    this.words[i >>> 5] |= 1 << (i & 31);
  }

  has(i: number): boolean {
    return ((this.words[i >>> 5] >>> (i & 31)) & 1) === 1;
  }

  /** How many members there are. */
  get size(): number {
    let n = 0;
    for (let w = 0; w < this.words.length; w++) n += ones(this.words[w]);
    return n;
  }

  clear(): void {
    this.words.fill(0);
  }

  /** Takes the members of another set of numbers below the same limit away. */
  remove(others: Bits): void {
    for (let w = 0; w < this.words.length; w++) this.words[w] &= ~others.words[w];
  }

  /** All members, ascending. Ranks are right until the next is set. */
  members(): Int32Array {
    const { words } = this;
    const out = new Int32Array(this.ranked());
    let n = 0;
    for (let w = 0; w < words.length; w++)
      for (let rest = words[w]; rest !== 0; rest &= rest - 1) out[n++] = 32 * w + 31 - Math.clz32(rest & -rest);
    return out;
  }

  /** Makes ranks right until the next is set, and says how many members there are. */
  ranked(): number {
    const { words, counts } = this;
    for (let w = 0; w < words.length; w++) counts[w + 1] = counts[w] + ones(words[w]);
    return counts[words.length];
  }

  /** How many members are below one, after `members` or `ranked`. */
  rank(i: number): number {
    return this.counts[i >>> 5] + ones(this.words[i >>> 5] & ((1 << (i & 31)) - 1));
  }
}

/** Which of `length` numbers from one on are in one of two sets, 32 in a word. */
export const windowOf = (a: Bits, b: Bits, from: number, length: number): Uint32Array => {
  const window = new Uint32Array((length + 31) >>> 5);
  for (let k = 0; k < window.length; k++) window[k] = wordAt(a.words, b.words, from + 32 * k, length - 32 * k);
  return window;
};

/** Whether these are the ones. */
export const isWindow = (window: Uint32Array, a: Bits, b: Bits, from: number, length: number): boolean => {
  for (let k = 0; k < window.length; k++)
    if (window[k] !== wordAt(a.words, b.words, from + 32 * k, length - 32 * k)) return false;
  return true;
};

/** The first of 32 numbers from one on, or less than 32, that are in one of two sets. */
const wordAt = (a: Uint32Array, b: Uint32Array, from: number, count: number): number => {
  const [w, shift] = [from >>> 5, from & 31];
  let word = (a[w] | b[w]) >>> shift;
  if (shift !== 0 && count > 32 - shift) word |= (a[w + 1] | b[w + 1]) << (32 - shift);
  return (count < 32 ? word & ((1 << count) - 1) : word) >>> 0;
};

/** The last number of `[from, to)` that is in one of two sets, or −1. */
export const lastInEither = (a: Bits, b: Bits, from: number, to: number): number => {
  const [own, other] = [a.words, b.words];
  for (let i = to - 1; i >= from;) {
    const word = (own[i >>> 5] | other[i >>> 5]) << (31 - (i & 31));
    if (word === 0) i -= (i & 31) + 1;
    else {
      const found = i - Math.clz32(word);
      return found >= from ? found : -1;
    }
  }
  return -1;
};

/** The first number of `[from, to)` that is in one of two sets, or −1. */
export const firstInEither = (a: Bits, b: Bits, from: number, to: number): number => {
  const [own, other] = [a.words, b.words];
  for (let i = from; i < to;) {
    const word = (own[i >>> 5] | other[i >>> 5]) >>> (i & 31);
    if (word === 0) i += 32 - (i & 31);
    else {
      const found = i + 31 - Math.clz32(word & -word);
      return found < to ? found : -1;
    }
  }
  return -1;
};

/** These numbers below a limit, of equal ones one, ascending. */
export const distinct = (values: Int32Array, limit: number): Int32Array => {
  if (values.length < limit / FEW) {
    const sorted = values.slice().sort();
    return sorted.filter((v, i) => i === 0 || v !== sorted[i - 1]);
  }
  const set = new Bits(limit);
  for (let i = 0; i < values.length; i++) set.set(values[i]);
  return set.members();
};

/** One number among so many is sooner sorted than found among their bits. */
const FEW = 256;

const ones = (word: number): number => {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
