import type { Scalar } from '@filigree/ir';
import { elementsAt, type Touched } from './touched.js';

/** What an adjoint reads as its primal left it, and what the primal writes. */
export interface Needs {
  readonly needed: readonly Touched[];
  readonly written: readonly Touched[];
}

/** A launch that may overwrite what the adjoint of an earlier one needs: both by number, and what they touch. */
export interface Overwrite {
  readonly by: number;
  readonly needs: number;
  readonly place: string;
}

/**
 * The first launch that may overwrite an element whose value the adjoint of an earlier one needs; none where by the launches' arguments all
 * are different elements, such as those of different steps.
 */
export const firstOverwrite = (
  launches: readonly { readonly needs: Needs; readonly args: readonly Scalar[] }[],
): Overwrite | undefined => {
  /* By place, what is needed so far: each set of elements once, with the first launch that needs it. */
  const needed = new Map<string, Map<string, { readonly at: Elements; readonly launch: number }>>();
  for (const [by, { needs, args }] of launches.entries()) {
    for (const w of needs.written) {
      const at = elementsAt(w, args);
      for (const earlier of needed.get(w.place)?.values() ?? [])
        if (mayMeet(at, earlier.at)) return { by, needs: earlier.launch, place: w.place };
    }
    for (const n of needs.needed) {
      const at = elementsAt(n, args);
      const known = needed.get(n.place) ?? new Map<string, { at: Elements; launch: number }>();
      needed.set(n.place, known);
      const key = at.join();
      if (!known.has(key)) known.set(key, { at, launch: by });
    }
  }
  return undefined;
};

type Elements = readonly (number | undefined)[];

const mayMeet = (a: Elements, b: Elements): boolean =>
  !a.some((x, n) => x !== undefined && b[n] !== undefined && x !== b[n]);
