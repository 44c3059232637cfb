import { coreDialects, DiagnosticError, type Dialect, type Module } from '@filigree/ir';
import { offload } from '@filigree/opt';
import { noLayout, type Layout } from '../fields/layout/layout.js';
import type { Storage } from '../fields/storage/storage.js';
import { taskOf, type TaskSetting } from './task-of.js';
import type { Task } from './task.js';
import { withLists } from './with-lists.js';

/** The kernels of a module as tasks. */
export interface CutKernels {
  /** The tasks of each kernel, by its name, in the order in which they run. */
  readonly tasks: ReadonlyMap<string, readonly Task[]>;
  /** With the buffers of the module, and those in which one task leaves values for the next. */
  readonly setting: TaskSetting;
}

/**
 * Cuts kernels into outermost parallel loops and the serial stretches between them, and says of each what it does to which state
 * (thesis §4.4). For kernels with ops of the dialect `field`, before they are lowered.
 *
 * @param dialects all that the ops of the module are of
 * @param storage with it, lists of active cells that loops need are made by tasks of their own
 */
export const cutKernels = (
  module: Module,
  layout: Layout,
  dialects: readonly Dialect[],
  storage?: Storage,
): CutKernels => {
  const cut = offload({ dialects }).run(storage ? withLists(module, storage) : module);
  if ('left' in cut) throw new DiagnosticError(cut.left);
  const { buffers, kernels } = cut.right;
  const setting: TaskSetting = { layout, buffers, dialects };
  const tasks = new Map<string, Task[]>(module.kernels.map((k) => [k.name, []]));
  for (const kernel of kernels) tasks.get(String(kernel.attrs.origin ?? kernel.name))!.push(taskOf(kernel, setting));
  return { tasks, setting };
};

/** The same of kernels of core ops, which have no fields: traced programs, tensors. */
export const cutCoreKernels = (module: Module): CutKernels => cutKernels(module, noLayout, coreDialects);
