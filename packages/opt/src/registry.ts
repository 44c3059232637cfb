import {
  checkOptions,
  coreDialects,
  option,
  pipeline,
  type Dialect,
  type Module,
  type PassRegistry,
  type Pipeline,
} from '@filigree/ir';
import { canonicalize } from './canonicalize/canonicalize.js';
import { cse } from './cse.js';
import { dce } from './dce.js';
import { fuseProducts } from './fuse-products/fuse-products.js';
import { ifToSelect } from './if-to-select.js';
import { integerRange } from './integer-range/integer-range.js';
import { licm } from './licm.js';
import { offload } from './offload.js';
import { partition } from './partition/partition.js';
import { privatize } from './privatize/privatize.js';
import { shareIndices } from './share-indices.js';
import { storeForwarding } from './store-forwarding/store-forwarding.js';
import { superword } from './superword/superword.js';
import { unevenLoops } from './uneven.js';
import { unroll } from './unroll.js';
import { serialLanes } from './vectorize/serial-lanes.js';
import { vectorizeNests } from './vectorize/nests.js';
import { vectorize } from './vectorize/vectorize.js';

/** The passes of this package for these dialects, by the name that `parsePipeline` reads. */
export const corePassesOver = (dialects: readonly Dialect[]): PassRegistry<Module> => ({
  canonicalize: canonicalize.over(dialects),
  cse: cse.over(dialects),
  dce: dce.over(dialects),
  'fuse-products': fuseProducts.over(dialects),
  'if-to-select': ifToSelect.over(dialects),
  'integer-range': integerRange.over(dialects),
  licm: licm.over(dialects),
  offload: offload.over(dialects),
  partition: partition.over(dialects),
  privatize: privatize.over(dialects),
  'share-indices': shareIndices.over(dialects),
  'store-forwarding': storeForwarding.over(dialects),
  superword: superword.over(dialects),
  'uneven-loops': unevenLoops.over(dialects),
  unroll: unroll.over(dialects),
  vectorize: vectorize.over(dialects),
  'serial-lanes': serialLanes.over(dialects),
  'vectorize-nests': vectorizeNests.over(dialects),
});

/** The passes of this package for the core dialects, by the name that `parsePipeline` reads. */
export const corePasses: PassRegistry<Module> = corePassesOver(coreDialects);

/**
 * The passes that suit every kernel, in the order in which each makes work for the next: simplify, share, forward through
 * memory, flatten branches, hoist out of loops, privatise reductions, confine clamps to the edges of loops, simplify
 * integers, and clean up. It neither unrolls nor vectorises: targets ask for that.
 */
export const defaultPipeline = (options?: PipelineChoices): Pipeline<Module> => {
  const { dialects = coreDialects, fastMath = false } = checkOptions<PipelineChoices>('defaultPipeline', options, {
    dialects: option.array('a list of dialects'),
    fastMath: option.truth,
  });
  return pipeline([
    canonicalize({ dialects, fastMath }),
    cse({ dialects }),
    storeForwarding({ dialects }),
    ifToSelect({ dialects }),
    licm({ dialects }),
    privatize({ dialects }),
    partition({ dialects }),
    integerRange({ dialects }),
    canonicalize({ dialects, fastMath }),
    cse({ dialects }),
    storeForwarding({ dialects }),
    dce({ dialects }),
  ]);
};

interface PipelineChoices {
  readonly dialects?: readonly Dialect[];
  readonly fastMath?: boolean;
}
