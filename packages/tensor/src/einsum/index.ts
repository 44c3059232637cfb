export {
  layoutKinds,
  type Assignment,
  type Coefficient,
  type Expr,
  type KernelDecl,
  type LayoutKind,
  type TensorDecl,
} from './notation/expression.js';
export {
  family,
  IndexedTerm,
  kernel,
  scalar,
  sum,
  tensor,
  tensorOf,
  Term,
  type KernelOptions,
  type Scalar,
  type Tensor,
  type TensorMember,
  type TensorOptions,
} from './notation/tensor.js';
export { parseKernel } from './notation/parse.js';
export { checkNotation } from './notation/check-notation.js';
export { indexedIn, scalarsOf } from './notation/check.js';
export type {
  ContractionNode,
  EinsumNode,
  Folded,
  IndexSumNode,
  LeafNode,
  Node,
  Statement,
  SumNode,
} from './notation/node.js';
export type { CompressedLayout, CscLayout, DenseLayout, Interval, Layout } from './layout/layout.js';
export { denseLayout } from './layout/dense-layout.js';
export { compressedLayout, cscLayout, positionIn, sameLayout, tensorLayout } from './layout/tensor-layout.js';
export { deducePattern } from './strength/deduce-pattern.js';
export { defaultGemmTimes, fusionCost, timeCost, type CostModel, type GemmTimes } from './permute/cost.js';
export { batchMapping, logMappings, type BatchMapping, type Contraction, type LogMapping } from './permute/mapping.js';
export type { PlacedNode } from './permute/permute.js';
export type { Action, Flops, Operand, Operation, Plan } from './plan/plan.js';
export type { ActionList, Step } from './plan/state.js';
export {
  analyseLiveness,
  defaultSteps,
  mergeActions,
  mergeScalarMultiplications,
  removeEmptyStatements,
  runSteps,
  substituteBackward,
  substituteForward,
} from './plan/steps.js';
export { printActions, printMappings } from './plan/print.js';
export { actionFlops } from './plan/flops.js';
export { planKernel, planningSpec, planStages, type PlanOptions, type PlanState } from './plan/plan-kernel.js';
export { explainKernel, type Explanation } from './plan/explain.js';
export { lowerPlan, lowerPlans, type LowerOptions } from './emit/lower-plan.js';
export { elementsOption, type Elements, type PlacedTensor, type Placement } from './emit/placement.js';
export { packTensor, unpackTensor } from './emit/pack.js';
export { familyOf, identifierOf, identifiersOf } from './emit/names.js';
export { evaluateKernel, type TensorValues } from './reference/evaluate.js';
export { evaluationSteps } from './reference/evaluation-steps.js';
export { cppProject, type CppProjectOptions, type PlannedKernel, type ProjectFile } from './project/project.js';
export type { CppEmitted, CppEmitter } from './project/emitter.js';
export { randomKernel, type RandomKernel } from './testing/random-kernel.js';
