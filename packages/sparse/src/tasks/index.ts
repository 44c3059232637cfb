/** Kernels as tasks: parallel loops and serial stretches with what each reads and writes. */
export { cutCoreKernels, cutKernels, type CutKernels } from './cut.js';
export { inStretches, iterationsIn, stretchesOf, type Iterations, type Stretches } from './in-stretches.js';
export { overFields } from './over-fields.js';
export { taskOf, type TaskSetting } from './task-of.js';
export { withoutActivations, withoutLists, withoutWrites } from './without.js';
export { referenceTasks } from './reference-tasks.js';
export {
  allocatorName,
  ANYTHING,
  isList,
  isMask,
  taskKind,
  type Activation,
  type Task,
  type TaskKind,
  type Touch,
} from './task.js';
