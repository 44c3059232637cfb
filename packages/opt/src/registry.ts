import {
  checkOptions,
  coreDialects,
  option,
  passesOf,
  pipeline,
  type Dialect,
  type Extension,
  type Module,
  type PassFactory,
  type PassRegistry,
  type Pipeline,
} from '@filigree/ir';
import { canonicalize } from './canonicalize/canonicalize.js';
import { carryLoads } from './carry-loads/carry-loads.js';
import { carryStores } from './carry-stores/carry-stores.js';
import { cse } from './cse.js';
import { dce } from './dce.js';
import { factorScales } from './factor-scales.js';
import { fuseProducts } from './fuse-products/fuse-products.js';
import { groupIterations } from './group-iterations/group-iterations.js';
import { ifToSelect } from './if-to-select.js';
import { integerRange } from './integer-range/integer-range.js';
import { jamNests } from './jam-nests/jam-nests.js';
import { joinRows } from './join-rows/join-rows.js';
import { promote } from './own-arrays/promote.js';
import { writeOut } from './own-arrays/write-out.js';
import { licm } from './licm.js';
import { offload } from './offload.js';
import { predicateLoops } from './predicate-loops.js';
import { partition } from './partition/partition.js';
import { privatizeScatters } from './privatize/privatize-scatters.js';
import { privatize } from './privatize/privatize.js';
import { quickRemainders } from './quick-remainders/quick-remainders.js';
import { shareIndices } from './share-indices.js';
import { storeForwarding } from './store-forwarding/store-forwarding.js';
import { superword } from './superword/superword.js';
import { tile } from './tile/tile.js';
import { unevenLoops } from './uneven.js';
import { holdElements } from './hold-elements/hold-elements.js';
import { holdRows } from './unroll/hold-rows.js';
import { unroll } from './unroll/unroll.js';
import { approximate } from './lane-functions/approximate.js';
import { expandFunctions } from './lane-functions/expand-functions.js';
import { serialLanes } from './vectorize/serial-lanes.js';
import { markChoices } from './vectorize/mark-choices.js';
import { branchingGathers } from './vectorize/branching-gathers.js';
import { guardedReads } from './vectorize/guarded-reads.js';
import { overlappingLanes } from './vectorize/overlapping-lanes.js';
import { distribute } from './vectorize/distribute.js';
import { stageStrides } from './vectorize/stage-strides.js';
import { vectorizeNests } from './vectorize/nests.js';
import { vectorize } from './vectorize/vectorize.js';

const factories = {
  'branching-gathers': branchingGathers,
  canonicalize,
  'carry-loads': carryLoads,
  'carry-stores': carryStores,
  cse,
  dce,
  distribute,
  'factor-scales': factorScales,
  'fuse-products': fuseProducts,
  'group-iterations': groupIterations,
  'guarded-reads': guardedReads,
  'hold-elements': holdElements,
  'hold-rows': holdRows,
  'if-to-select': ifToSelect,
  'integer-range': integerRange,
  'jam-nests': jamNests,
  'join-rows': joinRows,
  licm,
  'mark-choices': markChoices,
  offload,
  'overlapping-lanes': overlappingLanes,
  partition,
  'predicate-loops': predicateLoops,
  privatize,
  'privatize-scatters': privatizeScatters,
  promote,
  'quick-remainders': quickRemainders,
  'share-indices': shareIndices,
  'store-forwarding': storeForwarding,
  superword,
  tile,
  'uneven-loops': unevenLoops,
  unroll,
  approximate,
  'expand-functions': expandFunctions,
  vectorize,
  'serial-lanes': serialLanes,
  'stage-strides': stageStrides,
  'vectorize-nests': vectorizeNests,
  'write-out': writeOut,
} satisfies Readonly<Record<string, { readonly over: (dialects: readonly Dialect[]) => PassFactory<Module, never> }>>;

/** The core dialects and the passes of this package: the extension that all others come on top of. */
export const core: Extension = {
  name: 'core',
  dialects: coreDialects,
  passes: Object.fromEntries(
    Object.entries(factories).map(([name, { over }]) => [name, (options, dialects) => over(dialects)(options)]),
  ),
};

/** The passes of this package for these dialects, by the name that `parsePipeline` reads. */
export const corePassesOver = (dialects: readonly Dialect[]): PassRegistry<Module> => passesOf(core, dialects);

/** The passes of this package for the core dialects, by the name that `parsePipeline` reads. */
export const corePasses: PassRegistry<Module> = corePassesOver(coreDialects);

/**
 * The passes that suit every kernel, in the order in which each makes work for the next: simplify, share, forward through
 * memory, flatten branches, hoist out of loops, privatise reductions, confine clamps to the edges of loops, simplify
 * integers, and remainders of floats, carry what is read at indices that loops choose, hold elements that loops change, clean up, and say which loops choose alone. It neither unrolls nor vectorises: targets ask for that.
 */
export const defaultPipeline = (options?: PipelineChoices): Pipeline<Module> => {
  const {
    dialects = coreDialects,
    fastMath = false,
    team = 0,
    atomicBytes = 8,
  } = checkOptions<PipelineChoices>('defaultPipeline', options, {
    dialects: option.array('a list of dialects'),
    fastMath: option.truth,
    team: option.whole(0),
    atomicBytes: option.whole(0),
  });
  return pipeline([
    canonicalize({ dialects, fastMath }),
    cse({ dialects }),
    storeForwarding({ dialects }),
    ...(team === 0 ? [partition({ dialects, nests: true }), canonicalize({ dialects, fastMath })] : []),
    ifToSelect({ dialects }),
    licm({ dialects }),
    privatize({ dialects, team, atomicBytes }),
    partition({ dialects, wrapping: team === 0 }),
    integerRange({ dialects }),
    quickRemainders({ dialects, fastMath }),
    canonicalize({ dialects, fastMath }),
    cse({ dialects }),
    storeForwarding({ dialects }),
    carryLoads({ dialects }),
    holdElements({ dialects }),
    dce({ dialects }),
    markChoices({ dialects, sums: fastMath }),
  ]);
};

interface PipelineChoices {
  readonly dialects?: readonly Dialect[];
  readonly fastMath?: boolean;
  /** Threads of the teams that run loops together, a power of two; default 0, none. */
  readonly team?: number;
  /** Bytes of the widest type that they have atomics of; default 8. */
  readonly atomicBytes?: number;
}
