import { onceEach } from '@filigree/ir';
import { isList, isMask, type Task } from '@filigree/sparse/tasks';

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

/** What is known after a node, from what was known before; the same value where a node changes nothing of it. */
export const ownersAfter = (
  owners: Owners,
  node: Pick<Task, 'touches'> & { readonly parts: readonly { readonly task: Task }[] },
): Owners => {
  const { touches } = node;
  if (changesBy(touches).changed.size === 0 && node.parts.every(({ task }) => madeBy(task).length === 0)) return owners;
  const stays = (a: Activated): boolean => staysThrough(a, touches);
  let known = owners.every(stays) ? owners : owners.filter(stays);
  for (const { task } of node.parts)
    for (const made of madeBy(task))
      if (stays(made) && !known.some((a) => a.key === made.key)) known = [...known, made];
  return known === owners ? owners : [...known].sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** Whether what is known is so still when what touches these states has run, and all the while. */
export const staysThrough = ({ domain, masks }: Activated, touches: Task['touches']): boolean => {
  const { changed, removed } = changesBy(touches);
  return !domain.some((m) => changed.has(m)) && !masks.some((m) => removed.has(m));
};

/** The names of what was activated, and of the lists that are there. */
export const keysOf = (owners: Owners): ReadonlySet<string> => new Set(owners.map(({ key }) => key));

/** What those who touch something change of structure. */
const changesBy = onceEach((touches: Task['touches']) => {
  const [changed, removed] = [new Set<string>(), new Set<string>()];
  for (const [state, { writes, removes }] of touches) {
    if (!isMask(state)) continue;
    if (writes) changed.add(state);
    if (removes) removed.add(state);
  }
  return { changed, removed };
});

/** The lists that a task makes, and what it activates in each iteration. */
const madeBy = onceEach((task: Task): readonly Activated[] => {
  const domain = [...task.touches].flatMap(([state, { reads }]) => (isMask(state) && reads ? [state] : []));
  const lists = [...task.touches].flatMap(([state, { overwrites }]): Activated[] =>
    isList(state) && overwrites ? [{ key: state, domain, masks: [] }] : [],
  );
  const activations = task.activations.flatMap(({ key, always, masks }): Activated[] =>
    key !== undefined && always ? [{ key, domain, masks }] : [],
  );
  return [...lists, ...activations];
});
