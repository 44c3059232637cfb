/** A growing list of 32-bit integers. */
export class IntList {
  private data: Int32Array;
  length = 0;

  /** @param room how many are expected at first */
  constructor(room = 1024) {
    this.data = new Int32Array(room);
  }

  push(value: number): void {
    if (this.length === this.data.length) this.data = doubled(this.data);
    this.data[this.length++] = value;
  }

  at(i: number): number {
    return this.data[i];
  }

  set(i: number, value: number): void {
    this.data[i] = value;
  }

  /** The values so far; a view that later pushes may leave behind. */
  values(): Int32Array {
    return this.data.subarray(0, this.length);
  }

  /** Where each of several lists begins and the last ends, if the values so far are where each ends: `ptr` of rows. */
  starts(): Int32Array {
    const ptr = new Int32Array(this.length + 1);
    ptr.set(this.values(), 1);
    return ptr;
  }
}

/** The same integers with as much room again. */
export const doubled = (a: Int32Array): Int32Array<ArrayBuffer> => {
  const wider = new Int32Array(2 * a.length);
  wider.set(a);
  return wider;
};

/** The last of ascending numbers `from .. to` that is no larger than one; `from - 1` where none is. */
export const lastUpTo = (ascending: IntList, x: number, from: number, to: number): number => {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending.at(middle) <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
