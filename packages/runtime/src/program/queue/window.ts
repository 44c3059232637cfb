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
  /** A rolling hash of `kinds`. */
  hash = 0;
  private kinds = new Int32Array(FIRST);
  /** For each length so far, the longest part that both begins and ends the sequence (Knuth, Morris and Pratt). */
  private borders = new Int32Array(FIRST);
  private given = 0;

  add(kind: number, args: readonly Scalar[]): void {
    const n = this.length;
    if (n === this.kinds.length) this.grow();
    const { kinds, borders } = this;
    this.starts[n] = this.given;
    for (let k = 0; k < args.length; k++) this.args[this.given++] = args[k];
    this.hash = hashed(this.hash, kind);
    let border = n === 0 ? 0 : borders[n - 1];
    if (n > 0) {
      while (border > 0 && kinds[border] !== kind) border = borders[border - 1];
      if (kinds[border] === kind) border++;
    }
    kinds[n] = kind;
    borders[n] = border;
    this.length = n + 1;
  }

  /**
   * How many launches to run now, if so many wait: as many as the user's loop has, or some multiple, so that the next window begins
   * where this one began. All, if nothing repeats.
   */
  get whole(): number {
    const { length, period } = this;
    return this.repeats ? length - (length % period) : length;
  }

  /** Whether the sequence begins anew, for long enough to believe it. */
  get repeats(): boolean {
    const { length, period } = this;
    return period < length && (2 * period <= length || length - period >= CONVINCING);
  }

  /** After how many launches the sequence begins anew: its shortest period; its length, if nothing repeats. */
  private get period(): number {
    return this.length - (this.borders[this.length - 1] ?? 0);
  }

  /** Drops all but the first launches. */
  cut(length: number): void {
    if (length < this.length) this.given = this.starts[length];
    this.length = length;
    this.hash = 0;
    for (let k = 0; k < length; k++) this.hash = hashed(this.hash, this.kinds[k]);
  }

  /** The arguments of a launch. */
  argsOf(launch: number): readonly Scalar[] {
    const begin = this.starts[launch];
    const end = launch + 1 < this.length ? this.starts[launch + 1] : this.given;
    return begin === end ? NONE : this.args.slice(begin, end);
  }

  /** What is launched. */
  list(): readonly number[] {
    return [...this.kinds.subarray(0, this.length)];
  }

  /** Whether it is these launches. */
  equals(kinds: readonly number[]): boolean {
    const own = this.kinds;
    if (kinds.length !== this.length) return false;
    for (let k = 0; k < kinds.length; k++) if (kinds[k] !== own[k]) return false;
    return true;
  }

  clear(): void {
    this.length = this.given = this.hash = 0;
  }

  private grow(): void {
    const longer = (of: Int32Array): Int32Array<ArrayBuffer> => {
      const next = new Int32Array(2 * of.length);
      next.set(of);
      return next;
    };
    this.starts = longer(this.starts);
    this.kinds = longer(this.kinds);
    this.borders = longer(this.borders);
  }
}

const NONE: readonly Scalar[] = [];

/** Launches that there is room for at first. */
const FIRST = 128;

/** Launches that hardly come again by chance. */
const CONVINCING = 16;

const hashed = (hash: number, kind: number): number => (Math.imul(hash, 31) + kind + 1) | 0;
