import { onceEach, pass, type Pass } from '@filigree/ir';
import { isList, withoutLists, type Task, type TaskSetting } from '@filigree/sparse/tasks';
import { nodeOf, type Graph, type Node } from '../graph/graph.js';
import { ownersAfter, staysThrough, type Owners } from '../graph/owners.js';
import { doesNothing } from './does-nothing.js';
import { remembered } from './remembered.js';

/**
 * Makes no list of active cells that is there already (thesis §4.6.2): it was made in this window or one before, and neither its
 * node nor one around it has changed since, nor does the task change them that would make it.
 */
export const listRemoval = (setting: TaskSetting): Pass<Graph> =>
  pass('list-removal', (graph) => {
    let owners = graph.owners;
    const nodes: Node[] = [];
    for (const node of graph.nodes) {
      const next = relisted(node, owners, setting);
      if (next === undefined) continue;
      owners = ownersAfter(owners, next);
      nodes.push(next);
    }
    return nodes.length === graph.nodes.length && nodes.every((n, k) => n === graph.nodes[k])
      ? graph
      : { ...graph, nodes };
  });

const relisted = (node: Node, owners: Owners, setting: TaskSetting): Node | undefined => {
  const [part, ...others] = node.parts;
  const lists = listsMade(part.task).filter((state) =>
    owners.some((a) => a.key === state && staysThrough(a, part.task.touches)),
  );
  if (lists.length === 0 || others.length > 0) return node;
  const task = lessListing(part.task, lists, setting);
  return doesNothing(task) ? undefined : nodeOf({ ...part, task });
};

const listsMade = onceEach(({ touches }: Task): readonly string[] =>
  [...touches].flatMap(([state, { writes }]) => (isList(state) && writes ? [state] : [])),
);

const lessListing = remembered((task: Task, lists: readonly string[], setting: TaskSetting) =>
  withoutLists(task, new Set(lists), setting),
);
