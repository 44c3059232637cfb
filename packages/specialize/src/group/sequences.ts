/**
 * Numbers for sequences of whole numbers: the same for equal ones, different for all others. In a large program there are more structures at more levels than hashes of 32 bits
 * tell apart.
 */
export class Sequences {
  private readonly children = new Map<number, number>();

  /** The number of the sequence that has one more member, below `MOST_MEMBERS`; that of the empty one is 0. */
  after(sequence: number, member: number): number {
    const key = sequence * MOST_MEMBERS + member;
    let child = this.children.get(key);
    if (child === undefined) this.children.set(key, (child = this.children.size + 1));
    return child;
  }
}

const MOST_MEMBERS = 2 ** 26;

/** Small numbers for whatever is a key of maps, in the order in which they come. */
export const numbered = <K>(): ((key: K) => number) => {
  const known = new Map<K, number>();
  return (key) => {
    let number = known.get(key);
    if (number === undefined) known.set(key, (number = known.size));
    return number;
  };
};
