import { walk } from '@filigree/ir';
import type { AdjointKernels } from './derivative-kernels.js';
import type { Entry } from './recorder.js';

/** Which adjoints need not be zero when launches begin to run backwards: those that the first one to touch them sets wholly. */
export interface Firsts {
  /** The places of launches in what was recorded whose adjoints do so (`Adjoint.first`). */
  readonly places: ReadonlySet<number>;
  /** The fields of all these adjoints. */
  readonly fields: ReadonlySet<string>;
}

export const NO_FIRSTS: Firsts = { places: new Set(), fields: new Set() };

/**
 * What launches that run backwards from a loss set wholly, the last one first. Steps of the host, and those that run again, may look at any adjoint, so what lies before them finds all adjoints cleared, and so does the loss.
 *
 * @param touchedBy the fields that the adjoint of a kernel names
 */
export const firstsOf = (
  { of, fields: adjoints, writes, clearOf }: AdjointKernels,
  entries: readonly Entry[],
  loss: string,
  touchedBy: (kernel: string) => ReadonlySet<string>,
): Firsts => {
  if (clearOf.size === 0) return NO_FIRSTS;
  const [wanted, touched, fields] = [new Set([loss]), new Set([adjoints[loss]]), new Set<string>()];
  const places = new Set<number>();
  for (let n = entries.length - 1; n >= 0; n--) {
    const entry = entries[n];
    if (!('kernel' in entry)) break;
    if (!writes.get(entry.kernel)!.some((f) => wanted.has(f))) continue;
    const made = of.get(entry.kernel);
    if (!made || !('kernel' in made)) break;
    if (made.first?.sets.every((f) => !touched.has(f))) {
      places.add(n);
      for (const f of made.first.sets) fields.add(f);
    }
    for (const f of touchedBy(entry.kernel)) touched.add(f);
    for (const f of made.reads) wanted.add(f);
  }
  return { places, fields };
};

/** The fields that adjoints of kernels name. */
export const touchedByAdjoints = ({ of }: AdjointKernels): ((kernel: string) => ReadonlySet<string>) => {
  const known = new Map<string, ReadonlySet<string>>();
  return (kernel) => {
    const before = known.get(kernel);
    if (before) return before;
    const [found, made] = [new Set<string>(), of.get(kernel)!];
    if ('kernel' in made)
      walk(made.kernel.body, ({ attrs: { field } }) => void (typeof field === 'string' && found.add(field)));
    known.set(kernel, found);
    return found;
  };
};
