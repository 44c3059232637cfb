import { fail } from '@filigree/ir';

/** Which elements were active when a kernel ran over them. */
export interface Structure {
  /** Refuses to run its adjoint where others are active now. Error: `tape/structure`. */
  readonly check: () => void;
}

/**
 * Notes for each launch which elements are active that it loops over: its adjoint visits those that are active later. Sets that are the same are kept once.
 *
 * @param loops by kernel, fields in the sparse nodes that it loops over
 */
export const structuresOf = (
  loops: ReadonlyMap<string, readonly string[]>,
  activeIn: (field: string) => Iterable<readonly number[]>,
): ((kernel: string) => Structure | undefined) => {
  const last = new Map<string, ReadonlySet<string>>();
  const now = (field: string): ReadonlySet<string> => {
    const found = new Set<string>();
    for (const at of activeIn(field)) found.add(at.join());
    const before = last.get(field);
    if (before && before.size === found.size && differing(before, found) === undefined) return before;
    last.set(field, found);
    return found;
  };
  return (kernel) => {
    const kept = (loops.get(kernel) ?? []).map((field) => [field, now(field)] as const);
    if (kept.length === 0) return undefined;
    return {
      check: () => {
        for (const [field, then] of kept) {
          const here = now(field);
          if (here !== then) refuseChanged(kernel, field, then, here);
        }
      },
    };
  };
};

const refuseChanged = (kernel: string, field: string, then: ReadonlySet<string>, here: ReadonlySet<string>): void => {
  const [more, less] = [differing(here, then), differing(then, here)];
  if (more === undefined && less === undefined) return;
  const change = more === undefined ? `[${less}] is not active any more` : `[${more}] has become active since`;
  fail('tape/structure', `kernel '${kernel}' ran over the active elements of '${field}', and ${change}`, {
    remedy:
      'let what is activated be active before the first launch, and deactivate nothing that a launch has run over',
  });
};

/** An element of the first set that is not in the second. */
const differing = (a: ReadonlySet<string>, b: ReadonlySet<string>): string | undefined => {
  for (const at of a) if (!b.has(at)) return at;
  return undefined;
};
