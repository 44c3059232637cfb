/**
 * Which nodes lead to which: the transitive closure of a graph, a bit for each pair (thesis §4.6.4). Nodes are numbered in an order
 * in which edges lead forward.
 */
export class Reach {
  private readonly words: number;
  private readonly bits: Int32Array;
  /** The node that each one has become part of; itself, if none. */
  private readonly home: number[];

  /** @param before for each node those with an edge to it */
  constructor(before: readonly (readonly number[])[]) {
    const count = before.length;
    this.home = before.map((_, n) => n);
    this.words = (count + 31) >> 5;
    this.bits = new Int32Array(count * this.words);
    before.forEach((list, n) => {
      for (const m of list) this.add(m, n);
    });
  }

  /** Whether there is a path from one node to another, or it is the same. */
  leads(from: number, to: number): boolean {
    return from === to || ((this.bits[to * this.words + (from >> 5)] >> (from & 31)) & 1) === 1;
  }

  /** Whether there is a path from one node to another that visits a third. */
  leadsAround(from: number, to: number): boolean {
    for (let n = 0; n < this.home.length; n++)
      if (this.home[n] === n && n !== from && n !== to && this.leads(from, n) && this.leads(n, to)) return true;
    return false;
  }

  /** Takes note that two nodes are one from now on, and stand as `a`: what led to one of them leads to both, and whom either led to. */
  join(a: number, b: number): void {
    const { bits, words, home } = this;
    home[b] = a;
    for (let w = 0; w < words; w++) bits[a * words + w] |= bits[b * words + w];
    for (let n = 0; n < home.length; n++) if (n !== a && (this.leads(a, n) || this.leads(b, n))) this.add(a, n);
  }

  /** All that lead to `from`, and itself, lead to `to`. */
  private add(from: number, to: number): void {
    const { bits, words } = this;
    for (let w = 0; w < words; w++) bits[to * words + w] |= bits[from * words + w];
    bits[to * words + (from >> 5)] |= 1 << (from & 31);
  }
}
