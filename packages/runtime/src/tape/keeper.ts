import { NeededElements, placeOfField, type Needs } from '@filigree/autodiff';
import type { Scalar } from '@filigree/ir';
import { areSame } from './alike.js';
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
 * What a derivative needs as it was before the launch is copied always; of what the launch writes, the fields of which derivatives of earlier launches need elements as they are now, unless its arguments tell that
 * it writes others, such as those of another step. When the adjoint of the launch has run they are put back: then all is as before the launch, so that each derivative finds what its launch left.
 *
 * @param all what the kernels of the program need, by name
 * @param save copies fields
 */
export const keeperOf = (all: ReadonlyMap<string, Needs>, save: (fields: readonly string[]) => Saved): Keeper => {
  const written = new Set([...all.values()].flatMap(({ writes }) => writes.map(placeOfField)));
  let needed = new NeededElements();
  /* What is optimised is recorded again and again: while launches are those of the last time, so is what is kept of them. */
  let trail: Step[] = [];
  let at = 0;
  let follows = false;
  const notice = (needs: Needs, { args, renewed }: Step): void => {
    for (const f of needs.kept) needed.forget(placeOfField(f));
    for (const f of renewed) needed.forget(placeOfField(f));
    for (const n of needs.needed) if (written.has(n.place)) needed.add(n, args, 0);
  };
  const renewedBy = (
    needs: Needs,
    kernel: string,
    args: readonly Scalar[],
    state: ReadonlySet<string> | undefined,
  ): readonly string[] => {
    const known = follows ? trail[at] : undefined;
    if (known?.kernel === kernel && areSame(known.args, args) && known.state === state) {
      at++;
      return known.renewed;
    }
    if (follows) {
      trail = trail.slice(0, at);
      for (const step of trail) notice(all.get(step.kernel)!, step);
      follows = false;
    }
    const renewed = needs.writes.filter(
      (f) =>
        !state?.has(f) &&
        !needs.kept.includes(f) &&
        needs.written.some((w) => w.place === placeOfField(f) && needed.meeting(w, args) !== undefined),
    );
    const step = { kernel, args: args.slice(), state, renewed };
    trail.push(step);
    notice(needs, step);
    return renewed;
  };
  return {
    begin: () => {
      needed = new NeededElements();
      at = 0;
      follows = true;
    },
    before: (kernel, args, state) => {
      const needs = all.get(kernel);
      if (!needs) return undefined;
      const renewed = renewedBy(needs, kernel, args, state);
      if (needs.kept.length + renewed.length === 0) return undefined;
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

/** A launch of a recording, and which fields that earlier ones need were kept before it. */
interface Step {
  readonly kernel: string;
  readonly args: readonly Scalar[];
  readonly state: ReadonlySet<string> | undefined;
  readonly renewed: readonly string[];
}
