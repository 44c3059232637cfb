import {
  DiagnosticError,
  opTable,
  opWith,
  useCounts,
  type Buffer,
  type Kernel,
  type Op,
  type Region,
} from '@filigree/ir';
import { dce } from '@filigree/opt';
import { taskOf, type TaskSetting } from './task-of.js';
import { isMask, type Activation, type Task } from './task.js';

/**
 * A task that no longer activates cells which are known to be active (thesis §4.6.3), and says so: its writes are lowered like those to a
 * loop's own element.
 */
export const withoutActivations = (task: Task, known: readonly Activation[], setting: TaskSetting): Task => {
  const ops = new Set(known.map((a) => a.op));
  const table = opTable(setting.dialects);
  const onlyActivates = (op: Op): boolean =>
    op.results.length === 0 &&
    (table.get(op.name)?.effects(op) ?? []).every(({ buffer }) => buffer !== undefined && isMask(buffer));
  return rewritten(task, setting, (op) => {
    if (!ops.has(op)) return op;
    return onlyActivates(op) ? undefined : opWith(op, { attrs: { ...op.attrs, activate: false, known: true } });
  });
};

/**
 * A task without its writes to states that nobody reads any more before they are overwritten (thesis §4.6.5); but for those which
 * activate cells, or whose result is used.
 */
export const withoutWrites = (task: Task, states: ReadonlySet<string>, setting: TaskSetting): Task => {
  const table = opTable(setting.dialects);
  const used = useCounts(task.kernel.body);
  const activating = new Set(task.activations.map((a) => a.op));
  return rewritten(task, setting, (op) => {
    const accesses = table.get(op.name)?.accesses?.(op) ?? [];
    const dead =
      accesses.length > 0 &&
      accesses.every((a) => (a.kind === 'write' || a.kind === 'atomic') && states.has(a.place)) &&
      op.results.every((r) => !used.has(r.id)) &&
      !activating.has(op);
    return dead ? undefined : op;
  });
};

/** A task that no longer makes lists which are there already (thesis §4.6.2). */
export const withoutLists = (task: Task, lists: ReadonlySet<string>, setting: TaskSetting): Task => {
  const table = opTable(setting.dialects);
  return rewritten(task, setting, (op) => {
    const written = (table.get(op.name)?.effects(op) ?? []).filter((e) => e.kind !== 'read');
    const known = written.length > 0 && written.every((e) => e.buffer !== undefined && lists.has(e.buffer));
    return known && op.regions.length === 0 ? undefined : op;
  });
};

/** The task with its ops replaced or, where there is nothing for one, dropped; and read anew. */
const rewritten = (task: Task, setting: TaskSetting, f: (op: Op) => Op | undefined): Task => {
  const region = (r: Region): Region => ({
    params: r.params,
    ops: r.ops.flatMap((op) => {
      const next = f(op);
      if (!next) return [];
      return [next.regions.length === 0 ? next : opWith(next, { regions: next.regions.map(region) })];
    }),
  });
  const body = region(task.kernel.body);
  return taskOf(tidy({ ...task.kernel, body }, setting), setting);
};

const tidy = (kernel: Kernel, { buffers: all, dialects }: TaskSetting): Kernel => {
  /* What a task leaves in a temporary buffer another one reads. */
  const buffers = all.map((b): Buffer => (b.role === 'temp' ? { ...b, role: 'inout' } : b));
  const tidied = dce({ dialects }).run({ name: 'task', buffers, kernels: [kernel], attrs: {} });
  if ('left' in tidied) throw new DiagnosticError(tidied.left);
  return tidied.right.kernels[0];
};
