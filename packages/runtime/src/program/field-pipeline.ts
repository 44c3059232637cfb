import { fail, pipeline, type Module, type Pass, type Pipeline } from '@filigree/ir';
import { defaultPipeline, fuseProducts, serialLanes, superword, unevenLoops, vectorizeNests } from '@filigree/opt';
import { lowerFields, type LowerFieldsOptions, type Storage } from '@filigree/sparse';

export interface FieldPipelineOptions {
  /**
   * Checks every index, every sum, difference, product and quotient of `i32` and `i64`, and every `assumeInRange` at run
   * time, and reports the first that is outside its field, does not fit, or is not where it was said to be, with its place
   * in the source; without, an index is clamped in silence, and integers wrap. Fields are not cached. Default false.
   */
  readonly debug?: boolean;
  /** Lets compilers reassociate and contract; default true. */
  readonly fastMath?: boolean;
  /** Parts of the lowering to switch off or change. */
  readonly lowering?: LowerFieldsOptions;
  /** Whether the target multiplies and adds in one instruction; default: what the backend of a program says, else false. */
  readonly fma?: boolean;
  /** Whether loops whose iterations are independent run on vector lanes; default true. */
  readonly lanes?: boolean;
  /** Passes that run after the lowering, those of `defaultPipeline`, `unevenLoops`, `vectorizeNests`, `superword` and `fuseProducts`, to leave out by name; `true` leaves out all. */
  readonly omit?: readonly string[] | true;
}

/** The passes from kernels on fields to kernels on the memory of a storage. Throws `pipeline/unknown-pass` where `omit` names none. */
export const fieldPipeline = (storage: Storage, options: FieldPipelineOptions = {}): Pipeline<Module> => {
  const { debug = false, fastMath = true, fma = false, lowering = {}, lanes = true, omit = [] } = options;
  return pipeline([
    lowerFields(storage, { ...lowering, ...(debug ? { checks: true } : {}) }),
    ...(omit === true
      ? []
      : without(
          [...defaultPipeline({ fastMath }).passes, unevenLoops(), vectorizeNests(), superword(), fuseProducts()],
          omit,
        ).filter((p) => (fma && fastMath) || p.name !== FUSE)),
    ...(lanes ? [] : [serialLanes()]),
  ]);
};

const without = (passes: readonly Pass<Module>[], omit: readonly string[]): readonly Pass<Module>[] => {
  for (const name of omit)
    if (!passes.some((p) => p.name === name))
      fail('pipeline/unknown-pass', `there is no pass '${name}' to leave out`, {
        remedy: `use some of ${[...new Set(passes.map((p) => p.name))].join(', ')}`,
      });
  return passes.filter((p) => !omit.includes(p.name));
};

const FUSE = 'fuse-products';
