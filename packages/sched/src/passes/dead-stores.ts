import { pass, type Pass } from '@filigree/ir';
import { ANYTHING, isList, withoutWrites, type Task, type TaskSetting } from '@filigree/sparse/tasks';
import { nodeOf, type Graph, type Node } from '../graph/graph.js';
import { doesNothing } from './does-nothing.js';
import { remembered } from './remembered.js';

/**
 * Drops writes to what a later task of the window overwrites before anyone reads it (thesis §4.6.5), and tasks that then do nothing.
 * What is written last stays, as the host may read it; and so does what comes before a task that may fail.
 */
export const deadStores = (setting: TaskSetting): Pass<Graph> =>
  pass('dead-stores', (graph) => {
    const nodes: Node[] = [];
    let changed = false;
    /** States that are overwritten further on, with no read in between. */
    let dead = new Set<string>();
    for (const node of [...graph.nodes].reverse()) {
      if (node.mayFail || node.touches.has(ANYTHING)) dead = new Set();
      const next = withoutDead(node, dead, setting);
      changed ||= next !== node;
      if (next === undefined) continue;
      nodes.push(next);
      for (const [state, { reads, overwrites }] of next.touches) {
        if (reads) dead.delete(state);
        else if (overwrites) dead.add(state);
      }
    }
    return changed ? { ...graph, nodes: nodes.reverse() } : graph;
  });

const withoutDead = (node: Node, dead: ReadonlySet<string>, setting: TaskSetting): Node | undefined => {
  const [part, ...others] = node.parts;
  if (dead.size === 0 || others.length > 0) return node;
  const states: string[] = [];
  for (const [state, { writes }] of node.touches) if (writes && !isList(state) && dead.has(state)) states.push(state);
  if (states.length === 0) return node;
  /* An iteration may read what another has written. */
  const unread = states.filter((s) => lessWriting(part.task, [s], setting).touches.get(s)?.reads !== true);
  if (unread.length === 0) return node;
  const task = lessWriting(part.task, unread, setting);
  if (task.size === part.task.size) return node;
  return doesNothing(task) ? undefined : nodeOf({ ...part, task });
};

const lessWriting = remembered((task: Task, states: readonly string[], setting: TaskSetting) =>
  withoutWrites(task, new Set(states), setting),
);
