import type { Loc, Scalar } from '@filigree/ir';
import { elementsAt, placeOfField, type Touched } from '../elements/touched.js';

/** What an adjoint reads as its primal left it, and what the primal writes. */
export interface Needs {
  readonly needed: readonly Touched[];
  readonly written: readonly Touched[];
  /** The fields that it reads as they were before the launch: whoever records it keeps them. */
  readonly kept: readonly string[];
  /** The fields that the primal writes, or clears. */
  readonly writes: readonly string[];
}

/** A launch that may overwrite what the adjoint of an earlier one needs: both by number, and what they touch. */
export interface Overwrite {
  readonly by: number;
  readonly needs: number;
  readonly place: string;
  /** The coordinates that are known of what is overwritten. */
  readonly at: readonly (number | undefined)[];
  /** Where it is written and read. */
  readonly written: Loc | undefined;
  readonly read: Loc | undefined;
}

/** A launch, as far as it matters for what others of a recording need. */
export interface NeedingLaunch {
  readonly needs: Needs;
  readonly args: readonly Scalar[];
  /** The fields of which it was kept how it found or left them, as others need them. */
  readonly saved: readonly string[];
}

/**
 * The first launch that may overwrite an element whose value the adjoint of an earlier one needs; none where by the launches' arguments all
 * are different elements, such as those of different steps.
 */
export const firstOverwrite = (launches: readonly NeedingLaunch[]): Overwrite | undefined => {
  const needed = new NeededElements();
  for (const [by, { needs, args, saved }] of launches.entries()) {
    /* What is kept of a launch is put back before the derivatives of those before it. */
    for (const field of saved) needed.forget(placeOfField(field));
    for (const w of needs.written) {
      const earlier = needed.meeting(w, args);
      if (earlier) return { by, needs: earlier.launch, place: w.place, at: elementsAt(w, args), written: w.loc, read: earlier.loc }; // prettier-ignore
    }
    for (const n of needs.needed) needed.add(n, args, by);
  }
  return undefined;
};

/** What adjoints of launches need, as far as their arguments tell. */
export class NeededElements {
  private readonly places = new Map<string, Needed>();

  add(touched: Touched, args: readonly Scalar[], launch: number): void {
    const known = this.places.get(touched.place) ?? new Needed();
    this.places.set(touched.place, known);
    known.add(elementsAt(touched, args), launch, touched.loc);
  }

  /** Forgets what is needed of a place. */
  forget(place: string): void {
    this.places.delete(place);
  }

  /** A launch that needs an element which may be among these, and where it reads it. */
  meeting(
    touched: Touched,
    args: readonly Scalar[],
  ): { readonly launch: number; readonly loc: Loc | undefined } | undefined {
    return this.places.get(touched.place)?.meeting(elementsAt(touched, args));
  }
}

/** Sets of elements of a place, each with the first launch that needs it, by which of their coordinates are known. */
class Needed {
  private readonly groups = new Map<string, Group>();

  add(at: Elements, launch: number, loc: Loc | undefined): void {
    const axes = at.flatMap((x, n) => (x === undefined ? [] : [n]));
    const group = this.groups.get(axes.join()) ?? { axes, sets: new Map<string, Entry>() };
    this.groups.set(axes.join(), group);
    const key = at.join();
    if (!group.sets.has(key)) group.sets.set(key, { at, launch, loc });
  }

  /** The launch that needs a set which may have an element in common with this one. */
  meeting(at: Elements): Entry | undefined {
    for (const { axes, sets } of this.groups.values()) {
      /* Where this one knows as much, only an equal set does: there may be as many as steps. */
      if (axes.length === 0) return [...sets.values()][0];
      const found = axes.every((n) => at[n] !== undefined)
        ? sets.get(at.map((x, n) => (axes.includes(n) ? x : undefined)).join())
        : [...sets.values()].find((s) => mayMeet(at, s.at));
      if (found) return found;
    }
    return undefined;
  }
}

interface Group {
  readonly axes: readonly number[];
  readonly sets: Map<string, Entry>;
}

interface Entry {
  readonly at: Elements;
  readonly launch: number;
  readonly loc: Loc | undefined;
}

type Elements = readonly (number | undefined)[];

const mayMeet = (a: Elements, b: Elements): boolean =>
  !a.some((x, n) => x !== undefined && b[n] !== undefined && x !== b[n]);
