/** Everything that tensor kernels are declared with, so that their user imports this package alone. */
export { patternOf, type BooleanTensor } from '@filigree/sparse/eqspp';
export {
  deducePattern,
  evaluateKernel,
  family,
  kernel as tensorKernel,
  parseKernel,
  planKernel,
  printActions,
  scalar,
  sum as tensorSum,
  tensor,
  tensorOf,
  type Elements,
  type Flops,
  type KernelDecl,
  type LayoutKind,
  type PlacedTensor,
  type Plan,
  type PlanOptions,
  type ProjectFile,
  type Tensor,
  type TensorDecl,
  type Term,
} from '@filigree/tensor/einsum';
export { gemmTargets, type GemmTarget } from '@filigree/tensor/linalg';
