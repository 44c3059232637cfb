/** Pairs of numbers, and the first entry of each. */
export class ValueMap {
  /** Both numbers and 2 + the entry, so that no place of one is 0. */
  private readonly places: Int32Array;
  private readonly mask: number;
  private readonly shift: number;

  constructor(expected: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(expected / LOAD)));
    this.places = new Int32Array(2 ** (bits + 2));
    this.mask = 2 ** bits - 1;
    this.shift = 32 - bits;
  }

  /** The entry that had a pair first, `entry` where none had. */
  firstOf(x: number, y: number, entry: number): number {
    const { places, mask, shift } = this;
    for (let s = Math.imul(x ^ Math.imul(y, 0x2c1b3c6d), 0x9e3779b1) >>> shift; ; s = (s + 1) & mask) {
      const at = 4 * s;
      if (places[at + 2] === 0) {
        places[at] = x;
        places[at + 1] = y;
        places[at + 2] = entry + 2;
        return entry;
      }
      if (places[at] === x && places[at + 1] === y) return places[at + 2] - 2;
    }
  }
}

const LOAD = 0.6;
