import { SUB } from '@filigree/ir';
import { IntList } from '../../decompose/int-list.js';
import type { Made } from './made.js';
import type { Needed } from './needed.js';
import { addedIn, beforeOf, isLeaf } from './path-form.js';
import type { Stretches } from './stretches.js';

/**
 * The terms of a sum that stretches add to, the last first. A term is an entry, a node or `~v`, or a value of a stretch as it is, by its place; a sum that is read
 * ends with itself. What is found stands in lists that the next walk writes over.
 */
export class TermWalk {
  private readonly what = new IntList();
  private readonly stretch = new IntList();
  private readonly negative = new IntList();

  constructor(
    private readonly stretches: Stretches,
    private readonly made: Made,
    private readonly needed: Needed,
  ) {}

  get length(): number {
    return this.what.length;
  }

  /** The stretch of which a term is a value, by its place; or −1. */
  stretchAt(t: number): number {
    return this.stretch.at(t);
  }

  placeAt(t: number): number {
    return this.what.at(t);
  }

  /** The node or `~v` that it is where it is no such value. */
  entryAt(t: number): number {
    return this.what.at(t);
  }

  /** 1 where it is subtracted. */
  negativeAt(t: number): number {
    return this.negative.at(t);
  }

  /** Finds the terms of the sum that an addition ends. */
  collect(value: number, stretch: number): void {
    const { stretches, made, needed } = this;
    const { bases, leafStarts } = stretches;
    this.what.length = this.stretch.length = this.negative.length = 0;
    let [v, s] = [value, stretch];
    for (;;) {
      const form = made.formOf(s);
      const base = bases.at(s);
      const p = v - base;
      if (form.adds[p] === 0) return this.push(p, s, 0);
      const added = addedIn(form, p);
      const negative = form.code[p] === SUB ? 1 : 0;
      if (isLeaf(added)) this.push(stretches.leaves[leafStarts.at(s) + ~added], -1, negative);
      else this.push(added, s, negative);
      const before = beforeOf(form, p);
      if (isLeaf(before)) {
        const entry = stretches.leaves[leafStarts.at(s) + ~before];
        if (entry >= 0 || needed.isValue(~entry) || made.knownOf(~entry) !== -1) return this.push(entry, -1, 0);
        v = ~entry;
        s = stretches.stretchOf(v);
      } else {
        v = base + before;
        if (needed.isValue(v)) return this.push(~v, -1, 0);
      }
    }
  }

  private push(what: number, stretch: number, negative: number): void {
    this.what.push(what);
    this.stretch.push(stretch);
    this.negative.push(negative);
  }
}
