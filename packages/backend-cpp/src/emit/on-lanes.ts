import { gnuVectorOps, gnuWordOps, splitVectors } from '@filigree/backend';
import { coreDialects, type Dialect, type Module, type Pass } from '@filigree/ir';
import { branchingGathers, guardedReads, ifToSelect, overlappingLanes, vectorize } from '@filigree/opt';

/** Puts loops on lanes, of vectors that registers of so many bytes hold. */
export const onLanes = (bytes: number, dialects: readonly Dialect[] = coreDialects): readonly Pass<Module>[] => [
  overlappingLanes({ dialects }),
  branchingGathers({ dialects }),
  ifToSelect({ dialects, extremes: true }),
  vectorize({ dialects, bytes, gathers: true }),
  guardedReads({ dialects }),
  splitVectors({ bytes, ops: gnuVectorOps, words: gnuWordOps }, dialects),
];
