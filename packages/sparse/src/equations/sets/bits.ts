/**
 * Sets of codes below 2³¹ as bits, 32 to a word, and operations on stretches of them that begin anywhere. Stretches lie
 * within their arrays.
 */

export const bitCount = (x: number): number => {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** The bits from ≤ b < from + 32, those behind the end 0. */
export const wordFrom = (bits: Uint32Array, from: number): number => {
  const w = from >>> 5;
  const shift = from & 31;
  if (shift === 0) return bits[w];
  const high = w + 1 < bits.length ? bits[w + 1] : 0;
  return (bits[w] >>> shift) | (high << (32 - shift));
};

/** Sets bits from ≤ b < to. */
export const setRange = (bits: Uint32Array, from: number, to: number): void => {
  if (to - from === 1) {
    bits[from >>> 5] |= 1 << (from & 31);
    return;
  }
  if (to <= from) return;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  const head = 0xffffffff << (from & 31);
  const tail = 0xffffffff >>> (31 - ((to - 1) & 31));
  if (first === last) {
    bits[first] |= head & tail;
    return;
  }
  bits[first] |= head;
  bits.fill(0xffffffff, first + 1, last);
  bits[last] |= tail;
};

/** Whether bits from ≤ b < to are all set. */
export const areSet = (bits: Uint32Array, from: number, to: number): boolean => {
  for (let w = from >>> 5; w * 32 < to; w++) {
    let missing = ~bits[w];
    if (w * 32 < from) missing &= 0xffffffff << (from & 31);
    if (w * 32 + 32 > to) missing &= 0xffffffff >>> (32 - (to & 31));
    if (missing !== 0) return false;
  }
  return true;
};

/** target[a + n] |= source[b + n] for 0 ≤ n < length, in bits. */
export const orBits = (target: Uint32Array, a: number, source: Uint32Array, b: number, length: number): void => {
  if (length <= 0) return;
  const first = a >>> 5;
  const last = (a + length - 1) >>> 5;
  const head = 0xffffffff << (a & 31);
  const tail = 0xffffffff >>> (31 - ((a + length - 1) & 31));
  /* The bit of the source that stands behind the first word's first: it may lie before the source begins. */
  const from = b - (a & 31);
  if (first === last) {
    target[first] |= around(source, from) & head & tail;
    return;
  }
  target[first] |= around(source, from) & head;
  const shift = from & 31;
  let s = (from >> 5) + 1;
  if (shift === 0) for (let w = first + 1; w < last; w++, s++) target[w] |= source[s];
  else {
    let low = source[s];
    for (let w = first + 1; w < last; w++) {
      const high = source[++s];
      target[w] |= (low >>> shift) | (high << (32 - shift));
      low = high;
    }
  }
  target[last] |= around(source, from + (last - first) * 32) & tail;
};

/** 32 bits that may reach over either end. */
const around = (bits: Uint32Array, from: number): number => (from < 0 ? bits[0] << -from : wordFrom(bits, from));

/** Visits the runs of bits that are set. */
export const forEachRunOfBits = (bits: Uint32Array, visit: (start: number, end: number) => void): void => {
  let open = -1;
  for (let w = 0; w < bits.length; w++) {
    const word = bits[w];
    if (open < 0 ? word === 0 : word === 0xffffffff) continue;
    const base = w * 32;
    /* Bits where the state changes. */
    let edges = (word ^ ((word << 1) | (open < 0 ? 0 : 1))) >>> 0;
    while (edges !== 0) {
      const b = 31 - Math.clz32(edges & -edges);
      if (open < 0) open = base + b;
      else {
        visit(open, base + b);
        open = -1;
      }
      edges &= edges - 1;
    }
  }
  if (open >= 0) visit(open, bits.length * 32);
};

/** Some dimensions of bits in rows: `before` × `rows` × `columns`. */
export interface BitShape {
  readonly before: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Adds to `target`, `before` × `columns` × `rows`, what `source` has, `before` × `rows` × `columns`: the columns from ≤ c < to,
 * `from` a multiple of 32.
 */
export const addTransposed = (
  target: Uint32Array,
  source: Uint32Array,
  { before, rows, columns }: BitShape,
  from = 0,
  to = columns,
): void => {
  const block = new Uint32Array(32);
  for (let p = 0; p < before; p++) {
    const base = p * rows * columns;
    for (let c = from; c < to; c += 32) {
      const width = Math.min(32, to - c);
      const mask = 0xffffffff >>> (32 - width);
      for (let r = 0; r < rows; r += 32) {
        const height = Math.min(32, rows - r);
        let any = 0;
        for (let n = 0; n < height; n++) any |= block[n] = wordFrom(source, base + (r + n) * columns + c) & mask;
        if (any === 0) continue;
        block.fill(0, height);
        transposeBlock(block);
        for (let n = 0; n < width; n++) addWord(target, base + (c + n) * rows + r, block[n]);
      }
    }
  }
};

const addWord = (bits: Uint32Array, at: number, word: number): void => {
  if (word === 0) return;
  const w = at >>> 5;
  const shift = at & 31;
  bits[w] |= word << shift;
  const high = shift === 0 ? 0 : word >>> (32 - shift);
  if (high !== 0) bits[w + 1] |= high;
};

/** Bit c of word r becomes bit r of word c: halves are exchanged, and within them quarters, down to bits. */
const transposeBlock = (block: Uint32Array): void => {
  let mask = 0x0000ffff;
  for (let half = 16; half !== 0; half >>= 1, mask ^= mask << half)
    for (let k = 0; k < 32; k = (k + half + 1) & ~half) {
      const moved = ((block[k] >>> half) ^ block[k + half]) & mask;
      block[k + half] ^= moved;
      block[k] ^= moved << half;
    }
};
