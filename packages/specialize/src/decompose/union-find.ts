/** Disjoint sets over 0..n−1. */
export interface UnionFind {
  readonly find: (x: number) => number;
  /** Joins the sets of a and b. */
  readonly join: (a: number, b: number) => void;
  readonly size: (x: number) => number;
}

export const unionFind = (n: number): UnionFind => {
  /* A root holds minus its set's size, any other element its parent. */
  const parent = new Int32Array(n).fill(-1);
  const find = (x: number): number => {
    let root = x;
    while (parent[root] >= 0) root = parent[root];
    for (let at = x; parent[at] >= 0;) {
      const next = parent[at];
      parent[at] = root;
      at = next;
    }
    return root;
  };
  return {
    find,
    size: (x) => -parent[find(x)],
    join: (a, b) => {
      const x = find(a);
      const y = find(b);
      if (x === y) return;
      const [keep, drop] = x < y ? [x, y] : [y, x];
      parent[keep] += parent[drop];
      parent[drop] = keep;
    },
  };
};
