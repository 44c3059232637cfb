import type { Needs } from '@filigree/autodiff';
import type { Kept, Saved } from './saved.js';

/** Copies what launches overwrite in place. */
export interface Keeper {
  /** A recording begins: no launch has needed anything yet. */
  readonly begin: () => void;
  /** What is to be kept of a launch, before it runs; what belongs to the state of steps is kept by these. */
  readonly before: (kernel: string, state: ReadonlySet<string> | undefined) => Kept | undefined;
}

/** @param save copies fields */
export const keeperOf = (
  needsOf: (kernel: string) => Needs | undefined,
  save: (fields: readonly string[]) => Saved,
): Keeper => {
  let needed = new Set<string>();
  return {
    begin: () => void (needed = new Set()),
    before: (kernel, state) => {
      const needs = needsOf(kernel);
      if (!needs || needs.kept.length + needs.renewed.length === 0) return undefined;
      const again = needs.renewed.filter((f) => !state?.has(f));
      const renewed = again.filter((f) => needed.has(f));
      for (const f of again) needed.add(f);
      const [before, after] = [needs.kept, renewed].map((fields) => (fields.length > 0 ? save(fields) : undefined));
      return {
        fields: [...needs.kept, ...renewed],
        bytes: (before?.bytes ?? 0) + (after?.bytes ?? 0),
        before: () => before?.restoreLast(),
        after: () => after?.restoreLast(),
      };
    },
  };
};
