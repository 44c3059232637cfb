import { pass, type Pass } from '@filigree/ir';
import { withoutActivations, type Task, type TaskSetting } from '@filigree/sparse/tasks';
import { nodeOf, type Graph, type Node } from '../graph/graph.js';
import { keysOf, ownersAfter } from '../graph/owners.js';
import { remembered } from './remembered.js';

/**
 * Activates nothing that is known to be active (thesis §4.6.3): an earlier loop over the same domain, in this window or one before,
 * activated the same cells, and since then neither has the domain grown nor have cells been deactivated. What deactivates some itself may have to activate
 * them again.
 */
export const demotion = (setting: TaskSetting): Pass<Graph> =>
  pass('demotion', (graph) => {
    let owners = graph.owners;
    let known = keysOf(owners);
    let changed = false;
    const nodes = graph.nodes.map((node): Node => {
      const next = demoted(node, known, setting);
      changed ||= next !== node;
      const before = owners;
      owners = ownersAfter(owners, next);
      if (owners !== before) known = keysOf(owners);
      return next;
    });
    return changed ? { ...graph, nodes } : graph;
  });

const demoted = (node: Node, known: ReadonlySet<string>, setting: TaskSetting): Node => {
  const [part, ...others] = node.parts;
  if (part.task.activations.length === 0 || others.length > 0) return node;
  const { activations, touches } = part.task;
  const stay = (masks: readonly string[]): boolean => !masks.some((m) => touches.get(m)?.removes === true);
  const keys = activations.flatMap(({ key, masks }) =>
    key !== undefined && known.has(key) && stay(masks) ? [key] : [],
  );
  return keys.length === 0 ? node : nodeOf({ ...part, task: lessActivating(part.task, keys, setting) });
};

const lessActivating = remembered((task: Task, keys: readonly string[], setting: TaskSetting) =>
  withoutActivations(
    task,
    task.activations.filter((a) => a.key !== undefined && keys.includes(a.key)),
    setting,
  ),
);
