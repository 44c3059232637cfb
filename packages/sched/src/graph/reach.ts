/**
 * Which nodes lead to which: the transitive closure of a graph, two bits for each pair (thesis §4.6.4). Nodes are entered in an order in which edges
 * lead forward; each then stays, or becomes part of one that was entered before.
 */
export class Reach {
  private readonly words: number;
  /** For each node those that lead to it, and of those that stay to which each leads. */
  private readonly before: Int32Array;
  private readonly after: Int32Array;

  constructor(count: number) {
    this.words = (count + 31) >> 5;
    this.before = new Int32Array(count * this.words);
    this.after = new Int32Array(count * this.words);
  }

  /** @param from nodes with an edge to it, which have stayed */
  enter(node: number, from: Iterable<number>): void {
    for (const m of from) {
      unite(this.before, node, m, this.words);
      put(this.before, node, m, this.words);
    }
  }

  stay(node: number): void {
    this.each(this.before, node, (m) => put(this.after, m, node, this.words));
  }

  /** Whether there is a path from a node that has stayed to one that was entered last that visits a third. */
  leadsAround(from: number, to: number): boolean {
    const { words, before, after } = this;
    for (let w = 0; w < words; w++) if ((after[from * words + w] & before[to * words + w]) !== 0) return true;
    return false;
  }

  /** The node `b`, which was entered last, becomes part of `a`: what leads to it leads to `a`, and to all that `a` leads to. */
  join(a: number, b: number): void {
    const { words, before, after } = this;
    let more = false;
    for (let w = 0; w < words; w++) {
      const own = a >> 5 === w ? 1 << (a & 31) : 0;
      const added = before[b * words + w] & ~before[a * words + w] & ~own;
      if (added !== 0) more = true;
      before[a * words + w] |= added;
    }
    if (!more) return;
    this.each(after, a, (n) => unite(before, n, a, words));
    this.each(before, a, (m) => {
      unite(after, m, a, words);
      put(after, m, a, words);
    });
  }

  private each(sets: Int32Array, of: number, visit: (node: number) => void): void {
    for (let w = 0; w < this.words; w++)
      for (let bits = sets[of * this.words + w]; bits !== 0; bits &= bits - 1)
        visit(32 * w + 31 - Math.clz32(bits & -bits));
  }
}

/** A node is in the set of another. */
const put = (sets: Int32Array, of: number, node: number, words: number): void => {
  sets[of * words + (node >> 5)] |= 1 << (node & 31);
};

/** All in the set of a node are in that of another. */
const unite = (sets: Int32Array, of: number, node: number, words: number): void => {
  for (let w = 0; w < words; w++) sets[of * words + w] |= sets[node * words + w];
};
