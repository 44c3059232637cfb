/**
 * Which nodes lead to which: the transitive closure of a graph, two bits for each pair (thesis §4.6.4). Nodes are numbered in an order
 * in which edges lead forward.
 */
export class Reach {
  private readonly words: number;
  /** For each node those that lead to it, and those to which it leads. */
  private readonly before: Int32Array;
  private readonly after: Int32Array;
  /** Those that have not become part of another. */
  private readonly there: Int32Array;

  /** @param edges for each node those with an edge to it */
  constructor(private readonly edges: readonly (readonly number[])[]) {
    const count = edges.length;
    this.words = (count + 31) >> 5;
    this.before = new Int32Array(count * this.words);
    this.after = new Int32Array(count * this.words);
    this.there = new Int32Array(this.words).fill(-1);
    edges.forEach((list, n) => {
      for (const m of list) include(this.before, n, m, this.words);
    });
    for (let n = count - 1; n >= 0; n--) for (const m of edges[n]) include(this.after, m, n, this.words);
  }

  /** Whether there is a path from one node to another that visits a third. */
  leadsAround(from: number, to: number): boolean {
    const { words, before, after, there } = this;
    for (let w = 0; w < words; w++) {
      const between = after[from * words + w] & before[to * words + w] & there[w];
      if ((between & ~(bitIn(from, w) | bitIn(to, w))) !== 0) return true;
    }
    return false;
  }

  /** Takes note that two nodes are one from now on, and stand as `a`: what led to one of them leads to both, and whom either led to. */
  join(a: number, b: number): void {
    const { words, before, after, there } = this;
    there[b >> 5] &= ~(1 << (b & 31));
    for (let w = 0; w < words; w++) {
      before[a * words + w] |= before[b * words + w];
      after[a * words + w] |= after[b * words + w];
    }
    for (let n = 0; n < this.edges.length; n++) {
      if (n === a || n === b) continue;
      if (has(after, a, n, words)) include(before, n, a, words);
      if (has(before, a, n, words)) include(after, n, a, words);
    }
  }
}

/** The bit of a node in a word of a set. */
const bitIn = (node: number, word: number): number => (node >> 5 === word ? 1 << (node & 31) : 0);

const has = (sets: Int32Array, of: number, node: number, words: number): boolean =>
  ((sets[of * words + (node >> 5)] >> (node & 31)) & 1) === 1;

/** A node, and all in its set, are in the set of another. */
const include = (sets: Int32Array, of: number, node: number, words: number): void => {
  for (let w = 0; w < words; w++) sets[of * words + w] |= sets[node * words + w];
  sets[of * words + (node >> 5)] |= 1 << (node & 31);
};
