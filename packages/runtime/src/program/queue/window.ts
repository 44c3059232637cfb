import type { Scalar } from '@filigree/ir';

/** Launches that wait, each as a small whole number that says what is launched, and their arguments. */
export class Window {
  readonly kinds: number[] = [];
  /** Arguments, those of one launch after those of the one before. */
  readonly args: Scalar[] = [];
  /** Where the arguments of each launch begin. */
  readonly starts: number[] = [];
  /** A rolling hash of `kinds`. */
  hash = 0;
  /** For each length so far, the longest part that both begins and ends the sequence (Knuth, Morris and Pratt). */
  private readonly borders: number[] = [];

  get length(): number {
    return this.kinds.length;
  }

  add(kind: number, args: readonly Scalar[]): void {
    const { kinds, borders } = this;
    this.starts.push(this.args.length);
    for (let k = 0; k < args.length; k++) this.args.push(args[k]);
    this.hash = hashed(this.hash, kind);
    let border = kinds.length === 0 ? 0 : borders[kinds.length - 1];
    if (kinds.length > 0) {
      while (border > 0 && kinds[border] !== kind) border = borders[border - 1];
      if (kinds[border] === kind) border++;
    }
    kinds.push(kind);
    borders.push(border);
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
    this.args.length = this.starts[length] ?? this.args.length;
    this.kinds.length = this.starts.length = this.borders.length = length;
    this.hash = this.kinds.reduce(hashed, 0);
  }

  /** The arguments of a launch. */
  argsOf(launch: number): readonly Scalar[] {
    const [begin, end] = [this.starts[launch], this.starts[launch + 1] ?? this.args.length];
    return begin === end ? NONE : this.args.slice(begin, end);
  }

  /** Whether it is these launches. */
  equals(kinds: readonly number[]): boolean {
    const own = this.kinds;
    if (kinds.length !== own.length) return false;
    for (let k = 0; k < own.length; k++) if (kinds[k] !== own[k]) return false;
    return true;
  }

  clear(): void {
    this.kinds.length = this.args.length = this.starts.length = this.borders.length = 0;
    this.hash = 0;
  }
}

const NONE: readonly Scalar[] = [];

/** Launches that hardly come again by chance. */
const CONVINCING = 16;

const hashed = (hash: number, kind: number): number => (Math.imul(hash, 31) + kind + 1) | 0;
