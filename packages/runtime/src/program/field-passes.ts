import { dialectsOf } from '@filigree/backend';
import { threadsOption } from '@filigree/backend/options';
import {
  fail,
  pipeline,
  type Extension,
  type Module,
  type Pass,
  type Pipeline,
  checkOptions,
  option,
  optionsOf,
  type OptionSpec,
} from '@filigree/ir';
import {
  approximate,
  carryStores,
  dce,
  defaultPipeline,
  distribute,
  factorScales,
  fuseProducts,
  serialLanes,
  groupIterations,
  holdRows,
  jamNests,
  joinRows,
  privatizeScatters,
  shareIndices,
  stageStrides,
  superword,
  tile,
  unevenLoops,
  vectorizeNests,
} from '@filigree/opt';
import type { countLosses, quantPasses } from '@filigree/quant/passes';
import { quantSpec, type QuantOptions } from '@filigree/quant/options';
import { type Layout, type Storage } from '@filigree/sparse/fields';
import {
  grainSpec,
  lowerFields,
  type LoopGrain,
  type LowerFieldsOptions,
  lowerFieldsSpec,
} from '@filigree/sparse/lowering';

/** How kernels on fields are lowered and optimised. */
export interface FieldPipelineOptions {
  /**
   * Checks every index, every sum, difference, product and quotient of `i32` and `i64`, and every `assumeInRange` at
   * run time, and reports the first that is out of bounds, overflows or breaks its promise, with its place in the
   * source. Otherwise indices are clamped silently and integers wrap. Fields are not cached then. Default false.
   */
  readonly debug?: boolean;
  /**
   * Counts what kernels lose where they store numbers in few bits, for `losses` of the program. Loops over bits then run over single elements.
   * Default as `debug`.
   */
  readonly losses?: boolean;
  /** Those whose ops kernels may have. */
  readonly extensions?: readonly Extension[];
  /** Lets compilers reassociate and contract; default true. */
  readonly fastMath?: boolean;
  /** Parts of the lowering to switch off or change. */
  readonly lowering?: LowerFieldsOptions;
  /** Optimisations of quantised fields to switch off. */
  readonly quant?: QuantOptions;
  /**
   * Whether the target multiplies and adds in one instruction; default what the backend of a program says, else false.
   */
  readonly fma?: boolean;
  /** What it costs to load an element from where a vector's lane says, in operations on floats, 0 for never; default what the backend of a program says, else 0. */
  readonly gathers?: number;
  /** Whether a vector is put through a function of `math` in the time of one number; default what the backend of a program says, else false. */
  readonly laneFunctions?: boolean;
  /** Bytes of a vector of the target, by which rows of words are cut; default what the backend of a program says, else 32. */
  readonly vectorBytes?: 16 | 32 | 64;
  /** Whether fences order what kernels publish that activate cells; default what the backend of a program says, else false. */
  readonly fences?: boolean;
  /** How loops are cut; default what the backend of a program says, else for a processor. */
  readonly grain?: LoopGrain;
  /** Whether loops whose iterations are independent run on vector lanes; default true. */
  readonly lanes?: boolean;
  /** How many threads run loops, each of which has memory of its own for sums that scatter; default what a program is made with, else 1. */
  readonly threads?: number;
  /**
   * Passes after the lowering to leave out, by name: `holdRows`, those of `defaultPipeline`, `unevenLoops`, `tile`, `vectorizeNests`,
   * `joinRows`, `jamNests`, `carryStores`, `factorScales`, `distribute`, `superword`, `groupIterations`, `privatizeScatters`, `shareIndices`, `fuseProducts` and `stageStrides`; `true` leaves out all of them.
   */
  readonly omit?: readonly string[] | true;
}

/** Passes from kernels on fields to kernels on memory. */
export interface FieldPasses extends Pipeline<Module> {
  /** The same in two parts: those that know of fields, and those for which an address is a number like any other. */
  readonly parts: readonly [onFields: Pass<Module>, onMemory: Pass<Module>];
}

/** The passes for numbers in few bits, of `@filigree/quant`. */
export interface BitPasses {
  readonly quantPasses: typeof quantPasses;
  readonly countLosses: typeof countLosses;
}

/**
 * The passes from kernels on fields to kernels on the memory of a storage. Throws `pipeline/unknown-pass` where `omit` names none.
 *
 * @param bits not needed where no field is stored in few bits and no losses are counted
 */
export const fieldPasses = (
  storage: Storage,
  options: FieldPipelineOptions | undefined,
  bits: BitPasses | undefined,
): FieldPasses => {
  const {
    debug = false,
    losses = debug,
    fastMath = true,
    fma = false,
    gathers = 0,
    laneFunctions = false,
    vectorBytes,
    grain,
    fences = false,
    lowering = {},
    quant = {},
    lanes = true,
    threads = 1,
    omit = [],
    extensions = [],
  } = checkOptions('fieldPipeline', options, pipelineSpec);
  const dialects = dialectsOf(extensions);
  const functions = laneFunctions && fastMath;
  const { onFields: onBits = [], onCells = [] } = bits?.quantPasses(storage, quant) ?? {};
  const counting = losses && bits ? [bits.countLosses(storage)] : [];
  const onFields = pipeline([
    /* Before branches are flattened, but after checks, which are of what the user wrote. */
    ...(debug ? [] : counting),
    lowerFields(storage, {
      onFields: [...(debug ? counting : []), ...onBits],
      onCells,
      ...(grain && { grain }),
      fences,
      ...(lanes && grain === undefined && { lanes: { sums: fastMath } }),
      ...lowering,
      ...(vectorBytes !== undefined &&
        lowering.simplify !== false && { simplify: { vectorBytes, ...lowering.simplify } }),
      ...(debug ? { checks: true } : {}),
    }),
  ]);
  const onMemory = pipeline([
    ...(omit === true
      ? []
      : without(
          [
            /* Teams of threads take iterations each for itself. */
            ...(grain === undefined ? [holdRows({ dialects })] : []),
            ...defaultPipeline({ dialects, fastMath, ...(grain?.team && teamChoices(grain.team)) }).passes,
            unevenLoops({ dialects }),
            /* Threads of teams are lanes themselves, take iterations each for itself, and read what is near beside their neighbours. */
            ...(grain === undefined
              ? [
                  joinRows({ dialects }),
                  tile({ dialects }),
                  vectorizeNests({
                    dialects,
                    functions,
                    ...(vectorBytes !== undefined && { registerBytes: vectorBytes }),
                  }),
                  jamNests({ dialects, ...(vectorBytes !== undefined && { bytes: vectorBytes }) }),
                ]
              : []),
            carryStores({ dialects }),
            factorScales({ dialects }),
            distribute({ dialects }),
            superword({ dialects, gathers: lanes ? gathers : 0, ...(vectorBytes !== undefined && { vectorBytes }) }),
            /* Threads of teams take iterations each for itself. */
            ...(grain === undefined ? [groupIterations({ dialects })] : []),
            /* Where threads are few, and each has memory of its own. */
            ...(grain === undefined ? [privatizeScatters({ dialects, threads })] : []),
            shareIndices({ dialects }),
            dce({ dialects }),
            fuseProducts({ dialects }),
            /* Teams of threads have loops of their own, and memory that they share. */
            ...(grain === undefined ? [stageStrides({ dialects })] : []),
          ],
          omit,
        ).filter(
          ({ name }) =>
            (fastMath || name !== FACTOR) &&
            ((fma && fastMath) || name !== FUSE) &&
            ((gathers > 0 && lanes) || name !== DISTRIBUTE),
        )),
    ...(lanes ? [] : [serialLanes({ dialects })]),
    ...(functions ? [approximate({ dialects })] : []),
  ]);
  return { ...pipeline([onFields, onMemory]), parts: [onFields, onMemory] };
};

/** Whether passes for numbers in few bits have something to do. */
export const hasBits = ({ nodes }: Layout, { debug = false, losses = debug }: FieldPipelineOptions): boolean =>
  losses || nodes.some((n) => n.stored !== undefined);

/** What `fieldPipeline` takes, for those that pass it on. */
export const pipelineSpec: OptionSpec<FieldPipelineOptions> = {
  debug: option.truth,
  losses: option.truth,
  extensions: option.array('a list of extensions'),
  fastMath: option.truth,
  lowering: optionsOf(lowerFieldsSpec),
  quant: optionsOf(quantSpec),
  fma: option.truth,
  gathers: option.whole(0),
  laneFunctions: option.truth,
  vectorBytes: option.choice(16, 32, 64),
  grain: optionsOf(grainSpec),
  fences: option.truth,
  lanes: option.truth,
  threads: threadsOption,
  omit: option.or(true, option.list(option.text)),
};

const teamChoices = ({ threads, atomicBytes }: NonNullable<LoopGrain['team']>) => ({
  team: threads,
  ...(atomicBytes === undefined ? {} : { atomicBytes }),
});

const without = (passes: readonly Pass<Module>[], omit: readonly string[]): readonly Pass<Module>[] => {
  for (const name of omit)
    if (!passes.some((p) => p.name === name))
      fail('pipeline/unknown-pass', `there is no pass '${name}' to leave out`, {
        remedy: `use some of ${[...new Set(passes.map((p) => p.name))].join(', ')}`,
      });
  return passes.filter((p) => !omit.includes(p.name));
};

const FUSE = 'fuse-products';

const DISTRIBUTE = 'distribute';

const FACTOR = 'factor-scales';
