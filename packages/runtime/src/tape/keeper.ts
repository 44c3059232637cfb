import { NeededElements, placeOfField, type Needs } from '@filigree/autodiff';
import type { Scalar } from '@filigree/ir';
import type { Kept, Saved } from './saved.js';

/** Copies what launches overwrite in place. */
export interface Keeper {
  /** No launch has needed anything yet: a recording begins, or steps run again. */
  readonly begin: () => void;
  /** What is to be kept of a launch, before it runs; what belongs to the state of steps is kept by these. */
  readonly before: (
    kernel: string,
    args: readonly Scalar[],
    state: ReadonlySet<string> | undefined,
  ) => Kept | undefined;
}

/**
 * What a derivative needs as it was before the launch is copied always; what earlier ones need as their launches left it, where the arguments of this launch do not tell that
 * it writes other elements, such as those of another step.
 *
 * @param all what the kernels of the program need, by name
 * @param save copies fields
 */
export const keeperOf = (all: ReadonlyMap<string, Needs>, save: (fields: readonly string[]) => Saved): Keeper => {
  const renewable = new Set([...all.values()].flatMap(({ renewed }) => renewed.map(placeOfField)));
  let needed = new NeededElements();
  return {
    begin: () => void (needed = new NeededElements()),
    before: (kernel, args, state) => {
      const needs = all.get(kernel);
      if (!needs) return undefined;
      const renewed = needs.renewed.filter(
        (f) =>
          !state?.has(f) &&
          needs.written.some((w) => w.place === placeOfField(f) && needed.meeting(w, args) !== undefined),
      );
      const fields = [...needs.kept, ...renewed];
      for (const f of fields) needed.forget(placeOfField(f));
      for (const n of needs.needed) if (renewable.has(n.place)) needed.add(n, args, 0);
      if (fields.length === 0) return undefined;
      const [before, after] = [needs.kept, renewed].map((fields) => (fields.length > 0 ? save(fields) : undefined));
      return {
        fields,
        bytes: (before?.bytes ?? 0) + (after?.bytes ?? 0),
        before: () => before?.restoreLast(),
        after: () => after?.restoreLast(),
      };
    },
  };
};
