import { orThrow } from '@filigree/ir';
import type { Backend } from '@filigree/backend';
import { planKernel, type Elements, type KernelDecl } from '@filigree/tensor/einsum';
import { compilePlans, tensorBackend, type GemmLibrary, type TensorProgram } from 'filigree';

/** How kernels are compiled. */
export interface CompileKernelsOptions {
  readonly dtype: 'f32' | 'f64';
  readonly backend?: string | Backend | undefined;
  readonly threads?: number;
  /** Who does products of matrices; with a library the backend is `cpp`. Default `own`. */
  readonly gemm?: GemmLibrary;
}

/** Plans kernels for the vectors of this machine and compiles them into one program. Throws `DiagnosticError`. */
export const compileKernels = async (
  kernels: readonly KernelDecl[],
  elements: Elements,
  { dtype, backend, threads, gemm = 'own' }: CompileKernelsOptions,
): Promise<{ readonly program: TensorProgram; readonly planMs: number }> => {
  const wanted = gemm === 'own' ? backend : 'cpp';
  const { target } = await tensorBackend({ backend: wanted, gemm });
  const begin = performance.now();
  const plans = kernels.map((k) => orThrow(planKernel(k, { type: dtype, target })));
  const planMs = performance.now() - begin;
  return { program: await compilePlans(plans, { elements, target, backend: wanted, threads, gemm }), planMs };
};

/** Elements whose tensors of these names fit a cache together: they are written and read within one chunk of elements. */
export const slotsFor = ({ tensors, dtype }: TensorProgram, names: RegExp, most: number): number => {
  const numbers = Object.values(tensors)
    .filter((t) => names.test(t.tensor.name))
    .reduce((sum, t) => sum + t.layout.size, 0);
  const bytes = numbers * (dtype === 'f32' ? 4 : 8);
  return Math.max(8, Math.min(most, 1024, Math.floor(CACHE / Math.max(bytes, 1))));
};

/** What may stay in a second-level cache besides everything else. */
const CACHE = 1 << 17;
