import { isList, isMask, type Task } from '@filigree/sparse/fields';

/**
 * What is known of the states when a window begins (thesis §4.7.1, "Partial SFG garbage collection"): which activations the
 * latest owners of masks have done, and which lists are there, so that doing it again changes nothing. Sorted, each once; a value.
 */
export type Owners = readonly Activated[];

/** An activation that was done for all iterations of a domain; or a list of active cells, whose name is the key. */
export interface Activated {
  readonly key: string;
  /** Masks on which the domain depends: where they change there may be more to activate. */
  readonly domain: readonly string[];
  /** Masks whose cells it activated: where cells are deactivated, they may be among these. */
  readonly masks: readonly string[];
}

/** Nothing is known: before the first launch, and after the host has changed structure. */
export const noOwners: Owners = [];

/** What is known after a node, from what was known before. */
export const ownersAfter = (
  owners: Owners,
  node: Pick<Task, 'touches'> & { readonly parts: readonly { readonly task: Task }[] },
): Owners => {
  const changed = new Set<string>();
  const removed = new Set<string>();
  for (const [state, { writes, removes }] of node.touches) {
    if (!isMask(state)) continue;
    if (writes) changed.add(state);
    if (removes) removed.add(state);
  }
  const stays = ({ domain, masks }: Activated): boolean =>
    !domain.some((m) => changed.has(m)) && !masks.some((m) => removed.has(m));
  const made = node.parts.flatMap(({ task }) => {
    const domain = [...task.touches].flatMap(([state, { reads }]) => (isMask(state) && reads ? [state] : []));
    const lists = [...task.touches].flatMap(([state, { overwrites }]): Activated[] =>
      isList(state) && overwrites ? [{ key: state, domain, masks: [] }] : [],
    );
    const activations = task.activations.flatMap(({ key, always, masks }): Activated[] =>
      key !== undefined && always ? [{ key, domain, masks }] : [],
    );
    return [...lists, ...activations];
  });
  if (changed.size === 0 && removed.size === 0 && made.length === 0) return owners;
  const known = new Map([...owners.filter(stays), ...made.filter(stays)].map((a) => [a.key, a]));
  return [...known.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
};
