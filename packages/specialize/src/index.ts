export {
  defaultOptions,
  specializeSpec,
  overridesFor,
  traceFor,
  type DecomposeOptions,
  type EmitOptions,
  type GroupOptions,
  type OrderOptions,
  type PlaceOptions,
  type SimplifyOptions,
  type SpecializeOptions,
} from './options.js';
export * from './trace/trace.js';
export { printTrace } from './trace/print-trace.js';
export {
  describeElements,
  type DescribedElements,
  type DescribedOperation,
} from './trace/elements/describe-elements.js';
export { templatePicture } from './trace/elements/picture.js';
export type { TracedOutput } from './trace/traced-output.js';
export type { Derivatives } from './trace/derivatives.js';
export {
  plainElements,
  type ElementOf,
  type Elements,
  type ElementsWord,
  type IndexTable,
  type Sums,
} from './trace/elements/elements.js';
export { symbolicRing } from './trace/symbolic-ring.js';
export { printDecomposition } from './decompose/print-decomposition.js';
export { decompose, type Decomposition } from './decompose/decompose.js';
export { group, type Grouping } from './group/group.js';
export type { Group } from './group/groups.js';
export { harvest } from './harvest/harvest.js';
export type { Body, Harvest, HarvestedGroup, Segment } from './harvest/harvested.js';
export type { Template } from './harvest/template.js';
export { simplify, simplifyTemplate } from './simplify/simplify.js';
export { order, type Ordered } from './order/order.js';
export { place, type Launch, type PlacedGroup, type Placement } from './place/place.js';
export { emit } from './emit/emit.js';
export { specialize, type Specialized } from './specialize.js';
