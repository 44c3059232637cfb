import { coreDialects, mapKernels, pass, pipeline, type Kernel, type Module, type Pass } from '@filigree/ir';
import { cse, dce } from '@filigree/opt';
import type { Storage } from '../storage/storage.js';
import { fieldDialect } from './field-dialect.js';
import { batchActivations } from './simplify/batch.js';
import { resolveDigits } from './simplify/digits.js';
import { readEdges } from './simplify/edges.js';
import { footprints } from './simplify/effects.js';
import { forwardValues } from './simplify/forward.js';
import { guardMultiples } from './simplify/guard.js';
import { hoistAccesses } from './simplify/hoist.js';
import { mergeAccesses } from './simplify/merge.js';
import { splitAtBounds } from './simplify/split-bounds.js';
import { splitLoops } from './simplify/split.js';
import { snodeDialect } from './snode-dialect.js';

/** Parts of the simplification, each on unless said otherwise. */
export interface SimplifyOptions {
  /** Loops in parts: those that stay within a block or within bounds, and those that look beyond. */
  readonly split?: boolean;
  /** Loops over elements without branches, before their accesses are lowered. */
  readonly flatten?: boolean;
  /** Loops that follow a multiple of an index, in pieces in which it stays within a block and within bounds. */
  readonly guard?: boolean;
  /** Loops over a row of a block whole: what they read beyond its ends is read before. */
  readonly edges?: boolean;
  /** Digits of indices, and bounds that need no clamp. */
  readonly digits?: boolean;
  /** One lookup for accesses that share a path, offsets, and no activation of what is active. */
  readonly merge?: boolean;
  /** Lookups before the loops in which they do not change. */
  readonly hoist?: boolean;
  /** Values through cells, without loads and stores. */
  readonly forward?: boolean;
  /** Activations that follow one another in one. */
  readonly batch?: boolean;
}

/**
 * Simplifies micro-accesses (thesis §4.2, §5.1 and appendix F): what several accesses share is done once, as far out as it
 * can be. The passes are named `guard-multiples`, `read-edges`, `split-loops`, `resolve-digits`, `merge-accesses`, `hoist-accesses`, `forward-values` and
 * `batch-activations`; between them what
 * is equal is shared and what is not needed is dropped.
 */
export const simplifyAccess = (storage: Storage, options: SimplifyOptions = {}): Pass<Module> => {
  const {
    guard = true,
    edges = true,
    split = true,
    digits = true,
    merge = true,
    hoist = true,
    forward = true,
    batch = true,
  } = options;
  const dialects = [...coreDialects, fieldDialect(storage.layout), snodeDialect(storage.layout)];
  const part = (name: string, change: (kernel: Kernel, module: Module) => Kernel): Pass<Module> =>
    pass(name, (module) => mapKernels(module, (k) => change(k, module)));
  const footprint = footprints(storage, dialects);
  const merging = part('merge-accesses', (k, m) => mergeAccesses(k, storage, dialects, m.buffers, footprint));
  const resolving = digits && merge;
  /* First what is written alike, which is most: accesses have been taken apart each for itself. */
  const share = cse({ dialects });
  const clean = digits || merge || hoist || forward;
  return pipeline<Module>(
    [
      ...(clean ? [share] : []),
      ...(guard && resolving ? [part('guard-multiples', (k, m) => guardMultiples(k, dialects, m.buffers))] : []),
      ...(edges && resolving
        ? [part('read-edges', (k, m) => readEdges(k, storage, dialects, m.buffers, footprint))]
        : []),
      ...(split && resolving
        ? [part('split-loops', (k, m) => splitAtBounds(splitLoops(k, dialects, m.buffers), dialects, m.buffers))]
        : []),
      ...(digits ? [part('resolve-digits', (k, m) => resolveDigits(k, storage.layout, dialects, m.buffers))] : []),
      ...(merge ? [merging] : []),
      ...(hoist
        ? [
            part('hoist-accesses', (k, m) => hoistAccesses(k, storage, dialects, m.buffers, footprint)),
            ...(merge ? [merging] : []),
          ]
        : []),
      ...(forward ? [part('forward-values', (k, m) => forwardValues(k, storage, dialects, m.buffers, footprint))] : []),
      ...(clean ? [share, dce({ dialects })] : []),
      ...(batch ? [part('batch-activations', (k) => batchActivations(k, storage, dialects, footprint))] : []),
    ],
    { name: 'simplify-access' },
  );
};
