import type { Scalar } from '@filigree/ir';

/**
 * Launches that wait, each as a small whole number that says what is launched, and their arguments. What it takes to hold them is kept from one
 * window to the next.
 */
export class Window {
  /** Launches that wait: so many of the first in `kinds` and `starts`. */
  length = 0;
  /** Arguments, those of one launch after those of the one before. */
  readonly args: Scalar[] = [];
  /** Where the arguments of each launch begin. */
  starts = new Int32Array(FIRST);
  private kinds = new Int32Array(FIRST);
  private borders = new Int32Array(0);
  private given = 0;

  /* What is said of the whole window is found out when someone asks: here every launch passes. */

  add(kind: number, args: readonly Scalar[]): void {
    const n = this.length;
    if (n === this.kinds.length) this.grow();
    this.starts[n] = this.given;
    for (let k = 0; k < args.length; k++) this.args[this.given++] = args[k];
    this.kinds[n] = kind;
    this.length = n + 1;
  }

  /** A hash of what is launched. */
  get hash(): number {
    const { kinds, length } = this;
    let hash = 0;
    for (let k = 0; k < length; k++) hash = (Math.imul(hash, 31) + kinds[k] + 1) | 0;
    return hash;
  }

  /**
   * How many launches to run now, if so many wait: as many as the user's loop has, or some multiple, so that the next window begins
   * where this one began. All, if nothing repeats: if the sequence does not begin anew for long enough to believe it.
   */
  get turn(): { readonly whole: number; readonly repeats: boolean } {
    const { length, period } = this;
    const repeats = period < length && (2 * period <= length || length - period >= CONVINCING);
    return { whole: repeats ? length - (length % period) : length, repeats };
  }

  /** After how many launches the sequence begins anew: its shortest period; its length, if nothing repeats. */
  private get period(): number {
    const { kinds, length } = this;
    if (this.borders.length < length) this.borders = new Int32Array(kinds.length);
    /* For each length, the longest part that both begins and ends the sequence (Knuth, Morris and Pratt). */
    const { borders } = this;
    let border = 0;
    for (let n = 1; n < length; n++) {
      while (border > 0 && kinds[border] !== kinds[n]) border = borders[border - 1];
      if (kinds[border] === kinds[n]) border++;
      borders[n] = border;
    }
    return length - border;
  }

  /** Drops all but the first launches. */
  cut(length: number): void {
    if (length < this.length) this.given = this.starts[length];
    this.length = length;
  }

  /** The arguments of a launch. */
  argsOf(launch: number): readonly Scalar[] {
    const begin = this.starts[launch];
    const end = launch + 1 < this.length ? this.starts[launch + 1] : this.given;
    return begin === end ? NONE : this.args.slice(begin, end);
  }

  /** What is launched. */
  list(): Int32Array {
    return this.kinds.slice(0, this.length);
  }

  /** Whether it is these launches. */
  equals(kinds: Int32Array): boolean {
    const { kinds: own, length } = this;
    if (kinds.length !== length) return false;
    for (let k = 0; k < length; k++) if (kinds[k] !== own[k]) return false;
    return true;
  }

  clear(): void {
    this.length = this.given = 0;
  }

  private grow(): void {
    const longer = (of: Int32Array): Int32Array<ArrayBuffer> => {
      const next = new Int32Array(2 * of.length);
      next.set(of);
      return next;
    };
    this.starts = longer(this.starts);
    this.kinds = longer(this.kinds);
  }
}

const NONE: readonly Scalar[] = [];

/** Launches that there is room for at first. */
const FIRST = 128;

/** Launches that hardly come again by chance. */
const CONVINCING = 16;
