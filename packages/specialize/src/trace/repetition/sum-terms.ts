import { doubled } from '../../decompose/int-list.js';

/** Before the first term of a sum. */
export const NO_TERM = -1;

/**
 * The terms of sums, in the order in which the program adds them; each knows the one before it in its sum. A term is an entry, a node or `~v`, or a value of a stretch as it is,
 * by its place.
 */
export class SumTerms {
  length = 0;
  private what: Int32Array;
  /* Twice the stretch, and 1 more where a term is subtracted. */
  private from: Int32Array;
  private before: Int32Array;

  /** @param room how many are expected */
  constructor(room: number) {
    this.what = new Int32Array(room);
    this.from = new Int32Array(room);
    this.before = new Int32Array(room);
  }

  /**
   * Adds a term to a sum.
   *
   * @param what a place of the stretch; an entry where there is none, −1
   * @param negative 1 where it is subtracted
   * @param before the last term that the sum had, or `NO_TERM`
   * @returns the last term that it has now
   */
  push(what: number, stretch: number, negative: number, before: number): number {
    const t = this.length++;
    if (t === this.what.length) this.grow();
    this.what[t] = what;
    this.from[t] = 2 * stretch + negative;
    this.before[t] = before;
    return t;
  }

  beforeOf(t: number): number {
    return this.before[t];
  }

  /** The stretch of which a term is a value, by its place; or −1. */
  stretchOf(t: number): number {
    return this.from[t] >> 1;
  }

  placeOf(t: number): number {
    return this.what[t];
  }

  /** The node or `~v` that it is where it is no such value. */
  entryOf(t: number): number {
    return this.what[t];
  }

  /** 1 where it is subtracted. */
  negativeOf(t: number): number {
    return this.from[t] & 1;
  }

  private grow(): void {
    this.what = doubled(this.what);
    this.from = doubled(this.from);
    this.before = doubled(this.before);
  }
}
