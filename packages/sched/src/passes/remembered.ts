import { onceEach } from '@filigree/ir';
import type { Task, TaskSetting } from '@filigree/sparse/tasks';

type Rewrite = (task: Task, names: readonly string[], setting: TaskSetting) => Task;

/**
 * A rewrite of tasks that is done once for each task and names (thesis §4.7.2, the IR bank): windows repeat, and so do their tasks.
 * A task belongs to one setting.
 */
export const remembered = (rewrite: Rewrite): Rewrite => {
  const done = onceEach((_: Task) => new Map<string, Task>());
  return (task, names, setting) => {
    const of = done(task);
    const key = names.length === 1 ? names[0] : names.join('\n');
    const known = of.get(key) ?? rewrite(task, names, setting);
    of.set(key, known);
    return known;
  };
};
