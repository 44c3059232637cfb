import { pipeline, type Module, type Pipeline } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { lowerFields, type LowerFieldsOptions, type Storage } from '@filigree/sparse';

export interface FieldPipelineOptions {
  /**
   * Checks every index at run time, and reports the first that is outside its field with its place in the source; without,
   * it is clamped in silence. Default false.
   */
  readonly debug?: boolean;
  /** Lets compilers reassociate and contract; default true. */
  readonly fastMath?: boolean;
  /** Parts of the lowering to switch off or change. */
  readonly lowering?: LowerFieldsOptions;
  /** Whether the passes for all kernels run after it; default true. */
  readonly optimize?: boolean;
}

/** The passes from kernels on fields to kernels on the memory of a storage. */
export const fieldPipeline = (storage: Storage, options: FieldPipelineOptions = {}): Pipeline<Module> => {
  const { debug = false, fastMath = true, lowering = {}, optimize = true } = options;
  return pipeline([
    lowerFields(storage, { ...lowering, ...(debug ? { checks: true } : {}) }),
    ...(optimize ? [defaultPipeline({ fastMath })] : []),
  ]);
};
