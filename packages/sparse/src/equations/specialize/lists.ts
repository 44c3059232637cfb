import type { Builder, Value } from '@filigree/ir';
import type { IndexType } from '../../trace/code/loops.js';
import { tableEntry, type TableRef, type Tables } from '../../trace/code/tables.js';
import type { PointSet } from '../sets/point-set.js';
import { trieOf, type Trie } from '../sets/trie.js';

/** Iterations as compressed lists: below each value of an iterator the values of the next, and runs of the last. */
export interface Lists {
  readonly trie: Trie;
  /** Iterators in all; without one a set that is not empty is one iteration. */
  readonly dims: number;
  /** Iterators that loops outside give. */
  readonly fixed: number;
  /** Where the nodes below each value of the fixed iterators begin, row by row of their box. */
  readonly starts:
    | { readonly table: TableRef; readonly lower: readonly number[]; readonly extent: readonly number[] }
    | undefined;
  readonly values: readonly (TableRef | undefined)[];
  readonly begin: readonly (TableRef | undefined)[];
  readonly lo: TableRef | undefined;
  /** Missing where all runs have one element. */
  readonly hi: TableRef | undefined;
}

/** Puts the lists of a set into tables. */
export const placeLists = (set: PointSet, fixed: number, tables: Tables): Lists => {
  const dims = set.box.extent.length;
  const trie = trieOf(
    set,
    set.box.extent.map((_, d) => d),
  );
  const single = trie.lo.every((x, n) => x === trie.hi[n]);
  const inner = fixed < dims;
  const { lower, extent } = set.box;
  return {
    trie,
    dims,
    fixed,
    starts:
      fixed === 0
        ? undefined
        : {
            table: tables.add(startsOf(trie, fixed, lower, extent)),
            lower: lower.slice(0, fixed),
            extent: extent.slice(0, fixed),
          },
    values: trie.values.map((v, l) => (l >= fixed ? tables.add(v) : undefined)),
    begin: trie.begin.map((v, l) => (l >= fixed ? tables.add(v) : undefined)),
    lo: inner ? tables.add(trie.lo) : undefined,
    hi: inner && !single ? tables.add(trie.hi) : undefined,
  };
};

/** For each value of the fixed iterators the first node of the next level, or the first point where there is none. */
const startsOf = (trie: Trie, fixed: number, lower: readonly number[], extent: readonly number[]): Int32Array => {
  const size = extent.slice(0, fixed).reduce((n, x) => n * x, 1);
  const counts = new Int32Array(size + 1);
  const leaf = trie.values.length;
  const visit = (l: number, from: number, to: number, code: number): void => {
    for (let n = from; n < to; n++) {
      if (l === leaf) {
        /* All iterators are fixed: a run is that many points. */
        for (let v = trie.lo[n]; v <= trie.hi[n]; v++) counts[code * extent[l] + v - lower[l] + 1]++;
        continue;
      }
      const next = code * extent[l] + trie.values[l][n] - lower[l];
      const [a, z] = [trie.begin[l][n], trie.begin[l][n + 1]];
      if (l === fixed - 1) counts[next + 1] += z - a;
      else visit(l + 1, a, z, next);
    }
  };
  visit(0, 0, leaf > 0 ? trie.values[0].length : trie.lo.length, 0);
  for (let c = 0; c < size; c++) counts[c + 1] += counts[c];
  return counts;
};

/** Loops over the iterations below the values of the fixed iterators. */
export const emitLists = (
  b: Builder,
  lists: Lists,
  outer: readonly Value[],
  type: IndexType,
  simd: boolean,
  point: (at: readonly Value[]) => void,
): void => {
  const { trie, dims, fixed, starts } = lists;
  const number = (n: number): Value => b.constant(type === 'i64' ? BigInt(n) : n, type);
  const loop = (from: Value, to: Value, body: (n: Value) => void, attrs = {}): void =>
    void b.for(from, to, number(1), attrs, [], (n) => body(n));
  const level = (l: number, at: readonly Value[], from: Value, to: Value): void => {
    if (l < dims - 1) {
      loop(from, to, (n) => {
        const x = tableEntry(b, lists.values[l]!, n);
        level(l + 1, [...at, x], tableEntry(b, lists.begin[l]!, n), tableEntry(b, lists.begin[l]!, n, 1));
      });
      return;
    }
    if (lists.hi === undefined) return loop(from, to, (n) => point([...at, tableEntry(b, lists.lo!, n)]));
    loop(from, to, (n) => {
      const end = b.add(tableEntry(b, lists.hi!, n), number(1));
      loop(tableEntry(b, lists.lo!, n), end, (x) => point([...at, x]), simd ? { simd: true } : {});
    });
  };
  if (starts === undefined) {
    if (dims === 0) return point([]);
    level(0, [], number(0), number(trie.values.length > 0 ? trie.values[0].length : trie.lo.length));
    return;
  }
  /* Loops outside may go beyond the box of this statement. */
  const inside = outer
    .map((x, d) =>
      b.and(b.cmp('ge', x, number(starts.lower[d])), b.cmp('le', x, number(starts.lower[d] + starts.extent[d] - 1))),
    )
    .reduce((x, y) => b.and(x, y));
  b.if(inside, () => {
    const code = outer.reduce<Value | undefined>((c, x, d) => {
      const here = starts.lower[d] === 0 ? x : b.sub(x, number(starts.lower[d]));
      return c === undefined ? here : b.add(b.mul(c, number(starts.extent[d])), here);
    }, undefined)!;
    const [from, to] = [tableEntry(b, starts.table, code), tableEntry(b, starts.table, code, 1)];
    if (fixed === dims) loop(from, to, () => point(outer));
    else level(fixed, outer, from, to);
  });
};
