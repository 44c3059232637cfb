import { IntList } from '../../decompose/int-list.js';

/** Before the first term of a sum. */
export const NO_TERM = -1;

/**
 * The terms of sums, in the order in which the program adds them; each knows the one before it in its sum. A term is an entry, a node or `~v`, or a value of a stretch as it is,
 * by its place.
 */
export class SumTerms {
  private readonly what: IntList;
  /* Twice the stretch, and 1 more where a term is subtracted. */
  private readonly from: IntList;
  private readonly before: IntList;

  /** @param room how many are expected */
  constructor(room: number) {
    this.what = new IntList(room);
    this.from = new IntList(room);
    this.before = new IntList(room);
  }

  get length(): number {
    return this.what.length;
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
    this.what.push(what);
    this.from.push(2 * stretch + negative);
    this.before.push(before);
    return this.before.length - 1;
  }

  beforeOf(t: number): number {
    return this.before.at(t);
  }

  /** The stretch of which a term is a value, by its place; or −1. */
  stretchOf(t: number): number {
    return this.from.at(t) >> 1;
  }

  placeOf(t: number): number {
    return this.what.at(t);
  }

  /** The node or `~v` that it is where it is no such value. */
  entryOf(t: number): number {
    return this.what.at(t);
  }

  /** 1 where it is subtracted. */
  negativeOf(t: number): number {
    return this.from.at(t) & 1;
  }
}
