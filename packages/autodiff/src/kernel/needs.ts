import type { Loc, Scalar } from '@filigree/ir';
import { elementsAt, type Touched } from './touched.js';

/** What an adjoint reads as its primal left it, and what the primal writes. */
export interface Needs {
  readonly needed: readonly Touched[];
  readonly written: readonly Touched[];
  /** The fields that it reads as they were before the launch: whoever records it keeps them. */
  readonly kept: readonly string[];
  /** The fields of which it reads what another launch of the same kernel may overwrite. */
  readonly renewed: readonly string[];
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

/**
 * The first launch that may overwrite an element whose value the adjoint of an earlier one needs; none where by the launches' arguments all
 * are different elements, such as those of different steps.
 */
export const firstOverwrite = (
  launches: readonly { readonly needs: Needs; readonly args: readonly Scalar[] }[],
): Overwrite | undefined => {
  const needed = new Map<string, Needed>();
  for (const [by, { needs, args }] of launches.entries()) {
    /* What is kept of a launch is put back before the derivatives of those before it. */
    for (const field of [...needs.kept, ...needs.renewed]) needed.delete(`field '${field}'`);
    for (const w of needs.written) {
      const at = elementsAt(w, args);
      const earlier = needed.get(w.place)?.meeting(at);
      if (earlier) return { by, needs: earlier.launch, place: w.place, at, written: w.loc, read: earlier.loc };
    }
    for (const n of needs.needed) {
      const known = needed.get(n.place) ?? new Needed();
      needed.set(n.place, known);
      known.add(elementsAt(n, args), by, n.loc);
    }
  }
  return undefined;
};

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
