import { areSet, orBits, setRange } from './bits.js';
import { MOST_BITS } from './bit-table.js';
import type { Box } from './box.js';
import { ownMemory, wordsFor } from './memory.js';
import { setOfBits, setOfRuns, type PointSet } from './point-set.js';
import type { Trie } from './trie.js';

/** A set in the making: codes are added in any order, any number of times. */
export interface SetBuilder {
  /** Adds base + stride·x for lo ≤ x ≤ hi. */
  readonly add: (base: number, stride: number, lo: number, hi: number) => void;
  /** Adds base + x for all x of the runs first ≤ n < end of a trie. */
  readonly addRuns: (base: number, runs: Trie, first: number, end: number) => void;
  /** Adds base + n for all n < length with bit from + n set. */
  readonly addBits?: (base: number, bits: Uint32Array, from: number, length: number) => void;
  /** Whether codes from ≤ c < to are all there, where that is cheap to tell. */
  readonly isFull?: (from: number, to: number) => boolean;
  readonly finish: () => PointSet;
}

/** A builder for a box: bits where they fit, else runs that are sorted and joined when there are many. */
export const setBuilder = (box: Box): SetBuilder => (box.size <= MOST_BITS ? bitBuilder(box) : runBuilder(box));

/** A builder on bits that are given. */
export const bitBuilder = (box: Box, bits = wordsFor(box.size, ownMemory)): SetBuilder => {
  return {
    add: (base, stride, lo, hi) => {
      if (stride === 1) setRange(bits, base + lo, base + hi + 1);
      else for (let x = lo, c = base + stride * lo; x <= hi; x++, c += stride) bits[c >>> 5] |= 1 << (c & 31);
    },
    addRuns: (base, { lo, hi }, first, end) => {
      /* Codes are below 2³¹: whole numbers of 32 bits, wherever the base lies. */
      const whole = base | 0;
      if (lo === hi) {
        for (let n = first; n < end; n++) {
          const c = (whole + lo[n]) | 0;
          bits[c >>> 5] |= 1 << (c & 31);
        }
        return;
      }
      for (let n = first; n < end; n++) {
        const x = lo[n];
        const c = (whole + x) | 0;
        if (x === hi[n]) bits[c >>> 5] |= 1 << (c & 31);
        else setRange(bits, c, c + (hi[n] - x) + 1);
      }
    },
    addBits: (base, source, from, length) => orBits(bits, base, source, from, length),
    isFull: (from, to) => areSet(bits, from, to),
    finish: () => setOfBits(box, bits),
  };
};

const runBuilder = (box: Box): SetBuilder => {
  let starts: Float64Array = new Float64Array(1024);
  let ends: Float64Array = new Float64Array(1024);
  let n = 0;
  const push = (start: number, end: number): void => {
    if (n > 0 && start === ends[n - 1]) {
      ends[n - 1] = end;
      return;
    }
    if (n === starts.length) {
      /* Repeated codes may fall together. */
      const joined = n >= JOIN_FROM ? setOfRuns(box, starts, ends).runs! : { starts, ends };
      n = joined.starts.length;
      const size = Math.max(2 * n, 1024);
      [starts, ends] = [grown(joined.starts, size), grown(joined.ends, size)];
    }
    starts[n] = start;
    ends[n++] = end;
  };
  return {
    add: (base, stride, lo, hi) => {
      if (stride === 1) push(base + lo, base + hi + 1);
      else for (let x = lo; x <= hi; x++) push(base + stride * x, base + stride * x + 1);
    },
    addRuns: (base, { lo, hi }, first, end) => {
      for (let n = first; n < end; n++) push(base + lo[n], base + hi[n] + 1);
    },
    finish: () => setOfRuns(box, starts.subarray(0, n), ends.subarray(0, n)),
  };
};

const JOIN_FROM = 2 ** 20;

const grown = (data: Float64Array, size: number): Float64Array => {
  const out = new Float64Array(size);
  out.set(data);
  return out;
};

/** A set that grows while it is read, and says what was new. */
export interface GrowingSet {
  readonly box: Box;
  readonly has: (code: number) => boolean;
  /** Adds from ≤ c < to; calls back with each run of codes that were not there. */
  readonly add: (from: number, to: number, isNew: (from: number, to: number) => void) => void;
  readonly finish: () => PointSet;
}

/** Bits in pages that come to be when first used; one page where the box is small. */
export const growingSet = (box: Box): GrowingSet => {
  const flat = box.size <= MOST_BITS / 8;
  const page = flat ? Math.max(32, Math.ceil(box.size / 32) * 32) : PAGE;
  const pages = new Map<number, Uint32Array>();
  if (flat) pages.set(0, new Uint32Array(page / 32));
  const addWithin = (
    bits: Uint32Array,
    base: number,
    from: number,
    to: number,
    isNew: (a: number, b: number) => void,
  ): void => {
    let open = -1;
    for (let c = from; c < to; c++) {
      const w = c >>> 5;
      if ((c & 31) === 0 && c + 32 <= to && bits[w] === 0xffffffff) {
        if (open >= 0) isNew(base + open, base + c);
        open = -1;
        c += 31;
      } else if ((c & 31) === 0 && c + 32 <= to && bits[w] === 0) {
        if (open < 0) open = c;
        bits[w] = 0xffffffff;
        c += 31;
      } else if (((bits[w] >>> (c & 31)) & 1) === 0) {
        if (open < 0) open = c;
        bits[w] |= 1 << (c & 31);
      } else if (open >= 0) {
        isNew(base + open, base + c);
        open = -1;
      }
    }
    if (open >= 0) isNew(base + open, base + to);
  };
  return {
    box,
    has: (code) => {
      const p = Math.floor(code / page);
      const bits = pages.get(p);
      if (bits === undefined) return false;
      const c = code - p * page;
      return ((bits[c >>> 5] >>> (c & 31)) & 1) === 1;
    },
    add: (from, to, isNew) => {
      for (let start = from; start < to;) {
        const p = Math.floor(start / page);
        const base = p * page;
        const end = Math.min(to, base + page);
        let bits = pages.get(p);
        if (bits === undefined) pages.set(p, (bits = new Uint32Array(page / 32)));
        addWithin(bits, base, start - base, end - base, isNew);
        start = end;
      }
    },
    finish: () => {
      if (flat) return setOfBits(box, pages.get(0)!);
      const builder = runBuilder(box);
      for (const p of [...pages.keys()].sort((a, b) => a - b)) {
        const bits = pages.get(p)!;
        for (let c = 0; c < page; c++) if ((bits[c >>> 5] >>> (c & 31)) & 1) builder.add(p * page, 1, c, c);
      }
      return builder.finish();
    },
  };
};

/** Codes of a page. */
const PAGE = 1024;
