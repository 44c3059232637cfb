import { option, optionsOf, type OptionSpec } from '@filigree/ir';

/**
 * Every stage of specialisation can be switched off or tuned; the defaults are what `specialize` uses. The switches
 * are the columns of the ablation table (paper §5.9).
 */
export interface SpecializeOptions {
  /** Scalar type of inputs, outputs and arithmetic. */
  readonly dtype: 'f32' | 'f64';
  /** Whether what loops of rewritten code repeat is found while it is traced, and becomes elements; default true. */
  readonly repetition: boolean;
  readonly decompose: DecomposeOptions;
  readonly group: GroupOptions;
  readonly simplify: SimplifyOptions | false;
  readonly order: OrderOptions;
  readonly place: PlaceOptions;
  readonly emit: EmitOptions;
}

/** What is stored, and which stored expressions are joined into blocks. */
export interface DecomposeOptions {
  /** Store expressions shared by several outputs (§4.2.1). */
  readonly global: boolean;
  /** t_ref: references from which an expression may be stored. */
  readonly minReferences: number;
  /** t_compl: cost that storing must save, in units of one load or one addition. */
  readonly minComplexity: number;
  /** Sums with more terms are computed by kernels of their own, which can be rolled into a loop over terms. */
  readonly maxSumTerms: number;
  /** Honour blocks tagged in the traced program (§4.2.4). */
  readonly tags: boolean;
  /** Find dense blocks without tags. */
  readonly detectBlocks: boolean;
  /** Evaluate expressions that repeat within a kernel once (§4.2.2). */
  readonly local: boolean;
}

/** When sums are rolled into loops. */
export interface GroupOptions {
  /** Sums with more terms than this are rolled into a loop over terms, but for those of up to 64 light terms that an eighth of the sums of a level are like; 0: all. */
  readonly maxUnrolledTerms: number;
  /** Sums of fewer instances than this share a rolled kernel with others of their kind. */
  readonly minUnrolledInstances: number;
  /** Sums that read the same elements, as the entries of a block of a matrix do, are one instance, whose operands share an index. */
  readonly blocks: boolean;
  /**
   * Where there are more groups than this, sums of a level are one loop whatever they add up, if that makes a quarter of the groups: steps of an elimination, of which each is another
   * group, compile in a fraction of the time, and run up to twice as long. Infinity: none are, and no sums are stored for it.
   */
  readonly mostGroups: number;
}

/** Which rewrite rules run on templates. */
export interface SimplifyOptions {
  /** Collects and factors sums of products. */
  readonly factor: boolean;
  /** Brings quotients to one division and reduces fractions. */
  readonly fractions: boolean;
  /** Removes summands that cancel. */
  readonly summands: boolean;
  /** Combines roots and their inverses. */
  readonly roots: boolean;
  /** Replaces expressions that are small fractions by constants. */
  readonly constants: boolean;
  /** Leaves sums as they were written, so that no cancellation is introduced (§4.5). */
  readonly keepSums: boolean;
}

/** In which order instances run. */
export interface OrderOptions {
  /**
   * Runs instances in an order that uses cache lines while they are in the cache, if the program's own does not.
   */
  readonly reorder: boolean;
}

/** How index tables are encoded, and how large tiles are. */
export interface PlaceOptions {
  /** Replaces index columns by affine forms, or by offsets from other columns, where these hold (§4.8). */
  readonly coherence: boolean;
  /** Replaces index columns that are piecewise affine by one origin per piece, if that saves bytes. */
  readonly pieces: boolean;
  /** Stores index columns as 8- or 16-bit differences where they fit. */
  readonly narrow: boolean;
  /**
   * Bytes that one tile of a launch may touch; 0 for no tiling. A tile runs its share of every kernel of the launch
   * before the next begins, so that what they share stays in the cache.
   */
  readonly tileBytes: number;
  /**
   * Instances of one tile, whatever they touch, in place of `tileBytes`: launches of different programs over equally many then have equal
   * tiles, and a scheduler can run them as one. 0: by bytes.
   */
  readonly tileInstances: number;
  /**
   * Bytes of values that a tile computes and then goes on with what the next launch would compute of them alone, while they are in the cache; 0 for launches
   * one after the other.
   */
  readonly fusedBytes: number;
}

/** What loops ask of the target. */
export interface EmitOptions {
  /** Asks for vector lanes where an instance computes more than it loads. */
  readonly simd: boolean;
  /** Lets tiles of a launch run in parallel. */
  readonly parallel: boolean;
  /** Each tile is for a team of threads, which divide its instances, however little there is to do: on one thread a device for many is slow. */
  readonly teams: boolean;
}

/** What `specialize` uses unless told otherwise. */
export const defaultOptions: SpecializeOptions = {
  dtype: 'f64',
  repetition: true,
  decompose: {
    global: true,
    minReferences: 2,
    minComplexity: 8,
    maxSumTerms: 16,
    tags: true,
    detectBlocks: true,
    local: true,
  },
  group: { maxUnrolledTerms: 16, minUnrolledInstances: 64, blocks: true, mostGroups: 192 },
  simplify: { factor: true, fractions: true, summands: true, roots: true, constants: true, keepSums: false },
  order: { reorder: true },
  place: { coherence: true, pieces: true, narrow: true, tileBytes: 1 << 18, tileInstances: 0, fusedBytes: 1 << 19 },
  emit: { simd: true, parallel: true, teams: false },
};

/** The defaults, at every depth overridden by what is given. */
export const withDefaults = (given: Partial<SpecializeOptions>): SpecializeOptions => ({
  dtype: given.dtype ?? defaultOptions.dtype,
  repetition: given.repetition ?? defaultOptions.repetition,
  decompose: { ...defaultOptions.decompose, ...given.decompose },
  group: { ...defaultOptions.group, ...given.group },
  simplify: given.simplify === false ? false : { ...(defaultOptions.simplify as SimplifyOptions), ...given.simplify },
  order: { ...defaultOptions.order, ...given.order },
  place: { ...defaultOptions.place, ...given.place },
  emit: { ...defaultOptions.emit, ...given.emit },
});

/** What tracing does for these options: what is listed in columns or repeated is stored, whatever it costs to evaluate again. */
export const traceFor = ({
  decompose,
  repetition,
}: {
  readonly decompose: { readonly global: boolean };
  readonly repetition: boolean;
}): { readonly columns: boolean; readonly repetition: boolean } => ({
  columns: decompose.global,
  repetition: decompose.global && repetition,
});

/** What to specialise with for a target: on GPUs, whose threads run in teams, many small tiles keep more of them busy than a cache saves. */
export const overridesFor = (target: {
  readonly team?: unknown;
}): {
  readonly place?: { readonly fusedBytes: number; readonly tileBytes: number };
  readonly emit?: { readonly teams: boolean };
} => (target.team === undefined ? {} : { place: { fusedBytes: 0, tileBytes: TEAM_BYTES }, emit: { teams: true } });

/** What one tile for a team touches: some hundred instances, which neighbouring threads take. */
const TEAM_BYTES = 1 << 15;

/* What the options of each stage take. Infinity is no limit. */

export const decomposeSpec: OptionSpec<DecomposeOptions> = {
  global: option.truth,
  minReferences: option.number(0),
  minComplexity: option.number(0),
  maxSumTerms: option.number(0),
  tags: option.truth,
  detectBlocks: option.truth,
  local: option.truth,
};

export const groupSpec: OptionSpec<GroupOptions> = {
  maxUnrolledTerms: option.number(0),
  minUnrolledInstances: option.number(0),
  blocks: option.truth,
  mostGroups: option.number(0),
};

export const simplifySpec: OptionSpec<SimplifyOptions> = {
  factor: option.truth,
  fractions: option.truth,
  summands: option.truth,
  roots: option.truth,
  constants: option.truth,
  keepSums: option.truth,
};

export const orderSpec: OptionSpec<OrderOptions> = { reorder: option.truth };

export const placeSpec: OptionSpec<PlaceOptions> = {
  coherence: option.truth,
  pieces: option.truth,
  narrow: option.truth,
  tileBytes: option.number(0),
  tileInstances: option.whole(0),
  fusedBytes: option.number(0),
};

export const emitSpec: OptionSpec<EmitOptions> = {
  simd: option.truth,
  parallel: option.truth,
  teams: option.truth,
};

/** What `specialize` takes; what is left out at any depth is as in `defaultOptions`. */
export const specializeSpec: OptionSpec<SpecializeOptions> = {
  dtype: option.choice('f32', 'f64'),
  repetition: option.truth,
  decompose: optionsOf(decomposeSpec),
  group: optionsOf(groupSpec),
  simplify: option.or(false, optionsOf(simplifySpec)),
  order: optionsOf(orderSpec),
  place: optionsOf(placeSpec),
  emit: optionsOf(emitSpec),
};
