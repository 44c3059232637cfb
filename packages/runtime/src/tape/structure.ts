import { fail, locText, type Loc } from '@filigree/ir';

/** Which elements were active when a kernel ran over them. */
export interface Structure {
  /** Refuses to run its adjoint where others are active now. Error: `tape/structure`. */
  readonly check: () => void;
}

/** What a kernel does to which elements are active, and where it loops over them. */
export interface Structural {
  /** A field of each sparse node that it loops over, where the loop is, and what effects call the cells around its elements. */
  readonly loops: readonly {
    readonly field: string;
    readonly loc: Loc | undefined;
    readonly cells: readonly string[];
  }[];
  /** Where it may activate or deactivate cells, by what effects call these. */
  readonly changes: ReadonlyMap<string, Loc | undefined>;
}

/**
 * Notes for each launch which elements are active that it loops over: its adjoint visits those that are active later. Sets that are the same are kept once.
 */
export const structuresOf = (
  kernels: ReadonlyMap<string, Structural>,
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
  let latest: Launch | undefined;
  return (kernel) => {
    if (!kernels.has(kernel)) return undefined;
    const launch: Launch = { kernel };
    if (latest) latest.next = launch;
    latest = launch;
    const kept = kernels.get(kernel)!.loops.map((over) => [over, now(over.field)] as const);
    if (kept.length === 0) return undefined;
    return {
      check: () => {
        for (const [over, then] of kept) {
          const here = now(over.field);
          if (here !== then) refuseChanged(launch, over, then, here, kernels);
        }
      },
    };
  };
};

/** A launch, and the one that was recorded after it. */
interface Launch {
  readonly kernel: string;
  next?: Launch;
}

const refuseChanged = (
  launch: Launch,
  { field, loc, cells }: Structural['loops'][number],
  then: ReadonlySet<string>,
  here: ReadonlySet<string>,
  kernels: ReadonlyMap<string, Structural>,
): void => {
  const [more, less] = [differing(here, then), differing(then, here)];
  if (more === undefined && less === undefined) return;
  const change = more === undefined ? `[${less}] is not active any more` : `[${more}] has become active since`;
  fail(
    'tape/structure',
    `kernel '${launch.kernel}' ran${placed(loc)} over the active elements of '${field}', and ${change}${changedBy(launch, cells, kernels)}`,
    {
      loc,
      remedy:
        'let what is activated be active before the first launch, and deactivate nothing that a launch has run over',
    },
  );
};

/** Who may have changed cells first, of a launch and those after it; nothing where the host did. */
const changedBy = (first: Launch, cells: readonly string[], kernels: ReadonlyMap<string, Structural>): string => {
  for (let at: Launch | undefined = first; at; at = at.next) {
    const { changes } = kernels.get(at.kernel)!;
    const changed = cells.find((c) => changes.has(c));
    if (changed !== undefined) return `, which kernel '${at.kernel}' may do${placed(changes.get(changed))}`;
  }
  return '';
};

const placed = (loc: Loc | undefined): string => (loc ? ` (${locText(loc)})` : '');

/** An element of the first set that is not in the second. */
const differing = (a: ReadonlySet<string>, b: ReadonlySet<string>): string | undefined => {
  for (const at of a) if (!b.has(at)) return at;
  return undefined;
};
