import { kernel, tensor, type KernelDecl, type LayoutKind, type Tensor } from '@filigree/tensor/einsum';
import type { BooleanTensor } from '@filigree/sparse/eqspp';

/** Layouts by kind of tensor, where the planner shall not choose: degrees of freedom, matrices on the reference element, Jacobians, flux solvers. */
export interface ElementLayouts {
  readonly state?: LayoutKind;
  readonly reference?: LayoutKind;
  readonly star?: LayoutKind;
  readonly flux?: LayoutKind;
}

/** A tensor by its shape, with what else is known of it. */
export const shaped = (
  name: string,
  shape: readonly number[],
  pattern: BooleanTensor | undefined,
  layout: LayoutKind | undefined,
  values?: Float64Array,
): Tensor => tensor(name, shape, { ...(pattern && { pattern }), ...(values && { values }), ...(layout && { layout }) });

/** What several kernels do, as one, which asks for these tensors of the next element meanwhile. */
export const together = (name: string, kernels: readonly KernelDecl[], prefetch: readonly Tensor[] = []): KernelDecl =>
  kernel(
    name,
    kernels.flatMap((k) => k.assignments),
    { prefetch },
  );
