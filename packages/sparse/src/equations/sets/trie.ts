import { ownMemory, type Allocate } from './memory.js';
import { forEachRowRun, type PointSet } from './point-set.js';

/**
 * A set of points by their subscripts in some order: below each value of a subscript, the values of the next, sorted; of the
 * last subscript, runs of values. With two subscripts: compressed rows, or columns.
 */
export interface Trie {
  /** The subscripts in the order of the levels. */
  readonly order: readonly number[];
  /** `values[l]`: the values of level l, all but the last. */
  readonly values: readonly Int32Array[];
  /** `begin[l][n]`: where the children of node n of level l begin in the next. */
  readonly begin: readonly Int32Array[];
  /** Runs of the last level, both ends included; one array where every run has one element. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
}

/** Nodes of the first level. */
export const rootSize = (t: Trie): number => (t.values.length > 0 ? t.values[0].length : t.lo.length);

/** The node of level l with a value among nodes from ≤ n < to, or the run that holds it; −1 where there is none. */
export const findChild = (t: Trie, l: number, from: number, to: number, value: number): number => {
  let [lo, hi] = [from, to];
  if (l === t.values.length) {
    const end = t.hi;
    while (lo < hi) {
      const mid = (lo + hi) >>> 1;
      if (end[mid] < value) lo = mid + 1;
      else hi = mid;
    }
    return lo < to && t.lo[lo] <= value ? lo : -1;
  }
  const v = t.values[l];
  /* Where most values are there, the place is known. */
  const guess = from + value - v[from];
  if (guess >= from && guess < to && v[guess] === value) return guess;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (v[mid] < value) lo = mid + 1;
    else hi = mid;
  }
  return lo < to && v[lo] === value ? lo : -1;
};

/** The first node or run of level l, among from ≤ n < to, that reaches a value. */
export const firstFrom = (t: Trie, l: number, from: number, to: number, value: number): number => {
  const ends = l === t.values.length ? t.hi : t.values[l];
  if (from < to && ends[from] >= value) return from;
  let [lo, hi] = [from, to];
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (ends[mid] < value) lo = mid + 1;
    else hi = mid;
  }
  return lo;
};

/**
 * The trie of a set by subscripts in an order. Linear where the order is that of the codes, else points are sorted by the
 * subscripts that come too early.
 */
export const trieOf = (set: PointSet, order: readonly number[], allocate = ownMemory): Trie => {
  const natural = order.every((d, k) => d === k);
  if (natural) return naturalTrie(set, allocate);
  return order.length === 2 ? columnsTrie(set, allocate) : permutedTrie(set, order, allocate);
};

/** The trie of a matrix by columns. */
const columnsTrie = (set: PointSet, allocate: Allocate): Trie => {
  const width = set.box.extent[1];
  if (width > 4 * set.count + 65536) return permutedTrie(set, [1, 0], allocate);
  const begin = new Uint32Array(width + 1);
  forEachRowRun(set, (from, to) => {
    const first = from % width;
    for (let c = first; c < first + to - from; c++) begin[c + 1]++;
  });
  for (let c = 0; c < width; c++) begin[c + 1] += begin[c];
  const next = begin.slice();
  const rows = new Int32Array(set.count);
  let row = 0;
  forEachRowRun(set, (from, to) => {
    if (from >= (row + 1) * width) row = Math.floor(from / width);
    const first = from - row * width;
    for (let c = first; c < first + to - from; c++) rows[next[c]++] = row;
  });
  const [top, left] = set.box.lower;
  const out = new TrieBuilder([1, 0], set.count);
  const at = [0];
  for (let c = 0; c < width; c++) {
    if (begin[c] === begin[c + 1]) continue;
    at[0] = c + left;
    out.enter(at, 0);
    for (let n = begin[c]; n < begin[c + 1]; n++) out.append(rows[n] + top);
  }
  return out.finish(allocate);
};

const naturalTrie = (set: PointSet, allocate: Allocate): Trie => {
  const { extent, lower, strides } = set.box;
  const dims = extent.length;
  let runs = 0;
  forEachRowRun(set, () => void runs++);
  const out = new TrieBuilder(
    extent.map((_, d) => d),
    runs,
  );
  if (dims === 0) return out.finish(allocate);
  const width = extent[dims - 1];
  const first = lower[dims - 1];
  const at = new Array<number>(dims).fill(0);
  let end = 0;
  let begin = 0;
  forEachRowRun(set, (from, to) => {
    if (from >= end) {
      /* A row behind the last: which subscripts differ? */
      const row = Math.floor(from / width);
      let changed = 0;
      let rest = row * width;
      let same = end > 0;
      for (let d = 0; d < dims - 1; d++) {
        const v = Math.floor(rest / strides[d]);
        rest -= v * strides[d];
        if (same && at[d] === v + lower[d]) changed = d + 1;
        else same = false;
        at[d] = v + lower[d];
      }
      begin = row * width;
      end = begin + width;
      out.enter(at, changed);
    }
    out.add(from - begin + first, to - begin + first - 1);
  });
  return out.finish(allocate);
};

const permutedTrie = (set: PointSet, order: readonly number[], allocate: Allocate): Trie => {
  const { extent, lower, strides } = set.box;
  const dims = extent.length;
  const columns = extent.map(() => new Int32Array(set.count));
  let n = 0;
  forEachRowRun(set, (start, end) => {
    const length = end - start;
    let rest = start;
    for (let d = 0; d < dims; d++) {
      const v = Math.floor(rest / strides[d]);
      rest -= v * strides[d];
      const column = columns[d];
      if (d === dims - 1) for (let k = 0; k < length; k++) column[n + k] = v + k;
      else if (length === 1) column[n] = v;
      else column.fill(v, n, n + length);
    }
    n += length;
  });
  /* Stable counting sorts, beginning with the last subscript without which those behind it are out of order. */
  let sorted = dims - 1;
  while (sorted > 0 && order[sorted - 1] < order[sorted]) sorted--;
  let permutation: Uint32Array | undefined;
  for (let l = sorted - 1; l >= 0; l--) permutation = countingSort(permutation, columns[order[l]], extent[order[l]]);
  const out = new TrieBuilder(order, n);
  const at = new Array<number>(dims).fill(-1);
  const last = columns[order[dims - 1]];
  const first = lower[order[dims - 1]];
  const upper = order.slice(0, -1).map((d) => ({ column: columns[d], first: lower[d] }));
  for (let k = 0; k < n; k++) {
    const p = permutation![k];
    let changed = dims - 1;
    for (let l = dims - 2; l >= 0; l--) {
      const v = upper[l].column[p] + upper[l].first;
      if (k > 0 && v === at[l]) continue;
      changed = l;
      at[l] = v;
    }
    if (changed < dims - 1) out.enter(at, changed);
    const v = last[p] + first;
    out.append(v);
  }
  return out.finish(allocate);
};

const countingSort = (items: Uint32Array | undefined, key: Int32Array, extent: number): Uint32Array => {
  const n = key.length;
  if (extent > 4 * n + 65536) return (items ?? Uint32Array.from(key.keys())).sort((a, b) => key[a] - key[b]);
  const begin = new Uint32Array(extent + 1);
  for (let k = 0; k < n; k++) begin[key[k] + 1]++;
  for (let v = 0; v < extent; v++) begin[v + 1] += begin[v];
  const out = new Uint32Array(n);
  if (items === undefined) for (let k = 0; k < n; k++) out[begin[key[k]]++] = k;
  else for (let k = 0; k < n; k++) out[begin[key[items[k]]]++] = items[k];
  return out;
};

class TrieBuilder {
  private readonly values: Numbers[];
  private readonly begin: Numbers[];
  private readonly lo: Int32Array;
  private readonly hi: Int32Array;
  private n = 0;
  /** Where the runs of the current row begin. */
  private row = 0;
  private single = true;

  /** For at most `runs` runs. */
  constructor(
    private readonly order: readonly number[],
    runs: number,
  ) {
    this.values = order.slice(1).map(() => new Numbers());
    this.begin = order.slice(1).map(() => new Numbers());
    this.lo = new Int32Array(runs);
    this.hi = new Int32Array(runs);
  }

  /** What follows is below `at`, which differs from the last one from level `changed` on. */
  enter(at: readonly number[], changed: number): void {
    const levels = this.values.length;
    for (let l = changed; l < levels; l++) {
      this.values[l].push(at[l]);
      this.begin[l].push(l + 1 < levels ? this.values[l + 1].length : this.n);
    }
    this.row = this.n;
  }

  /** A run behind the last one of its row, which it does not touch. */
  add(lo: number, hi: number): void {
    this.lo[this.n] = lo;
    this.hi[this.n++] = hi;
    if (lo !== hi) this.single = false;
  }

  /** A value behind the last one of its row. */
  append(value: number): void {
    if (this.n > this.row && this.hi[this.n - 1] === value - 1) {
      this.hi[this.n - 1] = value;
      this.single = false;
    } else this.add(value, value);
  }

  finish(allocate: Allocate): Trie {
    const levels = this.values.length;
    for (let l = 0; l < levels; l++) this.begin[l].push(l + 1 < levels ? this.values[l + 1].length : this.n);
    const lo = copied(this.lo, this.n, allocate);
    return {
      order: this.order,
      values: this.values.map((v) => copied(v.data, v.length, allocate)),
      begin: this.begin.map((b) => copied(b.data, b.length, allocate)),
      lo,
      hi: this.single ? lo : copied(this.hi, this.n, allocate),
    };
  }
}

const copied = (data: Int32Array, length: number, allocate: Allocate): Int32Array => {
  const out = new Int32Array(allocate(4 * length));
  out.set(data.subarray(0, length));
  return out;
};

/** A typed array that grows. */
class Numbers {
  data = new Int32Array(16);
  length = 0;

  push(x: number): void {
    if (this.length === this.data.length) {
      const more = new Int32Array(2 * this.length);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.length++] = x;
  }
}
