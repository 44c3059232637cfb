import { checkOptions, option, type OptionSpec, orThrow } from '@filigree/ir';
import { cppProject as projectFiles, type KernelDecl, type ProjectFile } from '@filigree/tensor/einsum';
import { type GemmTarget, targetOption } from '@filigree/tensor/linalg';
import { platform } from '#platform';
import { planAll, type TensorCompileOptions, tensorCompileSpec } from './compile.js';
import { machineTarget } from './target.js';

/** What a project is called, and how its kernels are written. */
export interface CppProjectOptions extends Pick<TensorCompileOptions, 'dtype' | 'plan'> {
  /** The name of the library, its namespace, its C functions' prefix and its Fortran module; default `kernels`. */
  readonly name?: string | undefined;
  /** What micro-kernels are made for; default this machine. */
  readonly target?: GemmTarget | undefined;
}

/**
 * Sources of kernels that a C++, C or Fortran project can take, with a CMakeLists.txt and a unit test for every kernel, and
 * with nothing of Filigree needed to build or run them. Rejects with a `DiagnosticError`: `project/…`, `notation/…`, `plan/…`,
 * `emit/…`.
 */
export const cppProject = async (
  kernels: readonly KernelDecl[],
  given?: CppProjectOptions,
): Promise<readonly ProjectFile[]> => {
  const options = checkOptions('cppProject', given, projectSpec);
  const target = options.target ?? machineTarget();
  const plans = planAll(kernels, options, target);
  return orThrow(
    projectFiles(
      kernels.map((decl, k) => ({ decl, plan: plans[k]! })),
      { name: options.name ?? 'kernels', emit: platform.cppEmitter(target), target },
    ),
  );
};

const projectSpec: OptionSpec<CppProjectOptions> = {
  name: option.text,
  dtype: tensorCompileSpec.dtype,
  plan: tensorCompileSpec.plan,
  target: targetOption,
};
