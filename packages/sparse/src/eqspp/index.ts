export {
  boundingBox,
  countNonzeros,
  fullPattern,
  intersectPatterns,
  patternOf,
  unitePatterns,
  type BooleanTensor,
  type IndexedPattern,
} from './boolean-tensor.js';
export { positionsOf, projectPattern, stridesIn } from './rearrange.js';
export { contractPatterns, countProduct } from './contract.js';
export type { ContractionTree } from './tree.js';
export { contractionOrder, type ContractionOrder } from './order.js';
export type { KnownFactors } from './search.js';
export {
  contractedPattern,
  equivalentPatterns,
  type EquivalentPatterns,
  type ProductTarget,
} from './equivalent-patterns.js';
