import {
  coreDialects,
  pipeline,
  type Module,
  type Pass,
  type Pipeline,
  checkOptions,
  option,
  optionsOf,
  type OptionSpec,
} from '@filigree/ir';
import { canonicalize, cse, promote, writeOut } from '@filigree/opt';
import { rare } from '#lowering';
import { boxLoops } from './loops/box-loops.js';
import { carryElements } from './loops/carry-elements.js';
import { cutLoops } from './loops/cut-loops.js';
import { flattenBranches } from './loops/flatten.js';
import { grainSpec, lowerLoops } from './loops/lower-loops.js';
import { markLanes, markLanesSpec, type MarkLanesOptions } from './loops/mark-lanes.js';
import { ownWords } from './loops/own-words.js';
import { sumsInside } from './loops/sums-inside.js';
import type { LoopGrain } from './loops/plan.js';
import type { Storage } from './storage/storage.js';
import { fieldDialect } from './access/field-dialect.js';
import { lowerAccess, type AccessOptions } from './access/lower-access.js';
import { lowerSNodes } from './access/lower-snodes.js';
import { sharesEqual, simplifyAccess, simplifySpec, type SimplifyOptions } from './access/simplify-access.js';

/** Options of all parts of the lowering. */
export interface LowerFieldsOptions extends AccessOptions {
  /** Which parts of the simplification run; `false` for none. */
  readonly simplify?: SimplifyOptions | false;
  /** How loops are cut for a target; default for a processor. */
  readonly grain?: LoopGrain;
  /** Whether fences order what kernels publish that activate cells (`SNodeOptions`); default false. */
  readonly fences?: boolean;
  /** Whether writes are plain where no other thread writes the word meanwhile; default true. */
  readonly own?: boolean;
  /** Whether loops that run one iteration after the other say where these may be lanes, and whether floats may be added up in another order then; by default they say nothing. */
  readonly lanes?: MarkLanesOptions;
  /** Passes of other packages on ops of fields, before loops are lowered. */
  readonly onFields?: readonly Pass<Module>[];
  /** Passes of other packages on micro-accesses, when these are as simple as they become. */
  readonly onCells?: readonly Pass<Module>[];
}

/** What `lowerFields` takes, for those that pass it on. */
export const lowerFieldsSpec: OptionSpec<LowerFieldsOptions> = {
  checks: option.truth,
  simplify: option.or(false, optionsOf(simplifySpec)),
  grain: optionsOf(grainSpec),
  fences: option.truth,
  own: option.truth,
  lanes: optionsOf(markLanesSpec),
  onFields: option.array('a list of passes'),
  onCells: option.array('a list of passes'),
};

/** Lowers kernels on fields to kernels on the buffers of an arena: all passes of this package, in order. */
export const lowerFields = (storage: Storage, options?: LowerFieldsOptions): Pipeline<Module> => {
  const {
    checks = false,
    simplify,
    grain,
    fences = false,
    own = true,
    lanes,
    onFields = [],
    onCells = [],
  } = checkOptions('lowerFields', options, lowerFieldsSpec);
  const { layout } = storage;
  const dialects = [...coreDialects, fieldDialect(layout)];
  /* Checks report what a program asks for, all of it and nothing else. */
  const early = simplify !== false && !checks;
  const shares = early && sharesEqual(simplify ?? {});
  return pipeline([
    ...(checks ? [rare().debugChecks(storage)] : []),
    /* Indices in one form, so that loads of one element are one load, and what is computed from them is computed once. */
    ...(shares ? [writeOut({ dialects }), canonicalize({ dialects }), cse({ dialects }), promote({ dialects })] : []),
    ...(early && simplify?.flatten !== false ? [flattenBranches(layout)] : []),
    ...onFields,
    ...(own && early && lanes ? [sumsInside(layout)] : []),
    ...(own && early ? [carryElements(layout)] : []),
    ...(own ? [ownWords(layout)] : []),
    ...(lanes ? [boxLoops(layout), cutLoops(layout), markLanes(layout, lanes)] : []),
    /* A check looks at every value that is added to, and at each promise: neither goes with scratchpads. */
    lowerLoops(storage, { scratchpads: !checks, grain }),
    lowerAccess(storage, { checks }),
    ...(simplify === false ? [] : [simplifyAccess(storage, simplify)]),
    ...onCells,
    lowerSNodes(storage, { fences, ...(grain?.hands === undefined ? {} : { hands: grain.hands }) }),
  ]);
};
