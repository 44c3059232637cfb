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
export { projectPattern } from './rearrange.js';
export { contractPatterns, countProduct } from './contract.js';
export { contractionOrder, type ContractionOrder, type ContractionTree } from './order.js';
export { equivalentPatterns, type EquivalentPatterns } from './equivalent-patterns.js';
