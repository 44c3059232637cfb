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
  /** Runs of the last level, both ends included. */
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

/** The trie of a set by subscripts in an order. Linear where the order is that of the codes, else it sorts. */
export const trieOf = (set: PointSet, order: readonly number[]): Trie => {
  const natural = order.every((d, k) => d === k);
  return natural ? naturalTrie(set) : permutedTrie(set, order);
};

const naturalTrie = (set: PointSet): Trie => {
  const { extent, lower, strides } = set.box;
  const dims = extent.length;
  const out = new TrieBuilder(extent.map((_, d) => d));
  if (dims === 0) return out.finish();
  const width = extent[dims - 1];
  const at = new Array<number>(dims).fill(0);
  let row = -1;
  forEachRowRun(set, (start, end) => {
    const r = Math.floor(start / width);
    let changed = dims - 1;
    if (r !== row) {
      changed = 0;
      let rest = r * width;
      let same = row >= 0;
      for (let d = 0; d < dims - 1; d++) {
        const v = Math.floor(rest / strides[d]);
        rest -= v * strides[d];
        if (same && at[d] === v + lower[d]) changed = d + 1;
        else same = false;
        at[d] = v + lower[d];
      }
      row = r;
    }
    const from = start - r * width + lower[dims - 1];
    out.add(at, changed, from, from + (end - start) - 1);
  });
  return out.finish();
};

const permutedTrie = (set: PointSet, order: readonly number[]): Trie => {
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
      if (d < dims - 1) columns[d].fill(v, n, n + length);
      else for (let k = 0; k < length; k++) columns[d][n + k] = v + k;
    }
    n += length;
  });
  let permutation: Uint32Array = Uint32Array.from({ length: n }, (_, k) => k);
  /* Stable counting sorts, the last subscript of the order first. */
  for (const d of [...order].reverse()) permutation = countingSort(permutation, columns[d], extent[d]);
  const out = new TrieBuilder(order);
  const at = new Array<number>(dims).fill(-1);
  const last = order[dims - 1];
  for (let k = 0; k < n; k++) {
    const p = permutation[k];
    let changed = dims - 1;
    for (let l = dims - 2; l >= 0; l--) {
      const v = columns[order[l]][p] + lower[order[l]];
      if (k === 0 || v !== at[l]) {
        changed = l;
        at[l] = v;
      }
    }
    const v = columns[last][p] + lower[last];
    out.add(at, changed, v, v);
  }
  return out.finish();
};

const countingSort = (items: Uint32Array, key: Int32Array, extent: number): Uint32Array => {
  if (extent > 4 * items.length + 65536) return items.sort((a, b) => key[a] - key[b]);
  const begin = new Uint32Array(extent + 1);
  for (let k = 0; k < items.length; k++) begin[key[items[k]] + 1]++;
  for (let v = 0; v < extent; v++) begin[v + 1] += begin[v];
  const out = new Uint32Array(items.length);
  for (let k = 0; k < items.length; k++) out[begin[key[items[k]]]++] = items[k];
  return out;
};

class TrieBuilder {
  private readonly values: Numbers[];
  private readonly begin: Numbers[];
  private readonly lo = new Numbers();
  private readonly hi = new Numbers();

  constructor(private readonly order: readonly number[]) {
    this.values = order.slice(1).map(() => new Numbers());
    this.begin = order.slice(1).map(() => new Numbers());
  }

  /** A run below `at`, which differs from the last one from level `changed` on. Runs of one row that touch are joined. */
  add(at: readonly number[], changed: number, lo: number, hi: number): void {
    const levels = this.values.length;
    for (let l = changed; l < levels; l++) {
      this.values[l].push(at[l]);
      this.begin[l].push(l + 1 < levels ? this.values[l + 1].length : this.lo.length);
    }
    const n = this.lo.length;
    if (
      changed === levels &&
      n > 0 &&
      this.hi.data[n - 1] === lo - 1 &&
      (levels === 0 || this.begin[levels - 1].last < n)
    )
      this.hi.data[n - 1] = hi;
    else {
      this.lo.push(lo);
      this.hi.push(hi);
    }
  }

  finish(): Trie {
    const levels = this.values.length;
    for (let l = 0; l < levels; l++) this.begin[l].push(l + 1 < levels ? this.values[l + 1].length : this.lo.length);
    return {
      order: this.order,
      values: this.values.map((v) => v.finish()),
      begin: this.begin.map((b) => b.finish()),
      lo: this.lo.finish(),
      hi: this.hi.finish(),
    };
  }
}

/** A typed array that grows. */
class Numbers {
  data = new Int32Array(16);
  length = 0;

  get last(): number {
    return this.data[this.length - 1];
  }

  push(x: number): void {
    if (this.length === this.data.length) {
      const more = new Int32Array(2 * this.length);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.length++] = x;
  }

  finish(): Int32Array {
    return this.data.slice(0, this.length);
  }
}
