import {
  coreDialects,
  mapKernels,
  pass,
  pipeline,
  type Kernel,
  type Module,
  type Pass,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { cse, dce } from '@filigree/opt';
import { rare } from '#lowering';
import { fieldDialects } from './dialects.js';
import type { Storage } from '../storage/storage.js';
import { fieldDialect } from './field-dialect.js';
import { resolveDigits } from './simplify/digits.js';
import { readEdges } from './simplify/edges.js';
import { footprints } from './simplify/effects.js';
import { forwardValues } from './simplify/forward.js';
import { guardMultiples } from './simplify/guard.js';
import { hoistAccesses } from './simplify/hoist.js';
import { mergeAccesses } from './simplify/merge.js';
import { cutRowEnds } from './simplify/row-ends.js';
import { splitAtBounds } from './simplify/split-bounds.js';
import { splitLoops } from './simplify/split.js';
import { splitWraps } from './simplify/split-wraps.js';
import { writingWords } from './simplify/words.js';
import { snodeDialect } from './snode-dialect.js';

/** The parts of the simplification; each is on by default. */
export interface SimplifyOptions {
  /** Splits loops into the part that stays within a block or within bounds, and the parts that reach beyond or go round. */
  readonly split?: boolean;
  /** Removes branches from loops over elements before their accesses are lowered. */
  readonly flatten?: boolean;
  /** Splits loops that follow a multiple of an index into pieces in which it stays within a block and within bounds. */
  readonly guard?: boolean;
  /** Keeps loops over a row of a block whole, by reading what lies beyond its ends in advance. */
  readonly edges?: boolean;
  /** Computes digits of indices that are known, and drops clamps that are not needed. */
  readonly digits?: boolean;
  /** Shares one lookup among accesses along one path, and offsets; drops activations of what is active. */
  readonly merge?: boolean;
  /** Hoists lookups out of loops in which they do not change. */
  readonly hoist?: boolean;
  /** Forwards values through cells, without loads and stores. */
  readonly forward?: boolean;
  /** Combines consecutive activations into one. */
  readonly batch?: boolean;
  /** Prefetches slots of hash tables some iterations ahead. */
  readonly prefetch?: boolean;
  /** Bytes of a vector of the target, by which rows of words are cut; default 32. */
  readonly vectorBytes?: 16 | 32 | 64;
}

/** Whether equal expressions are shared: wherever a part is on that makes some. */
export const sharesEqual = ({ digits = true, merge = true, hoist = true, forward = true }: SimplifyOptions): boolean =>
  digits || merge || hoist || forward;

/**
 * Simplifies micro-accesses (thesis §4.2, §5.1 and appendix F): work that several accesses share is done once, as far
 * out as possible. The passes are `guard-multiples`, `read-edges`, `split-loops`, `resolve-digits`, `merge-accesses`,
 * `hoist-accesses`, `forward-values`, `batch-activations` and `prefetch-slots`; between them common subexpressions are
 * shared and dead code is dropped.
 */
export const simplifyAccess = (storage: Storage, given?: SimplifyOptions): Pass<Module> => {
  const options = checkOptions('simplifyAccess', given, simplifySpec);
  const {
    guard = true,
    edges = true,
    split = true,
    digits = true,
    merge = true,
    hoist = true,
    forward = true,
    batch = true,
    prefetch = true,
    vectorBytes,
  } = options;
  const parts = simplifications(storage, vectorBytes);
  const merging = parts['merge-accesses'];
  const resolving = digits && merge;
  /* Identical lookups are shared first, which is most of them, and what hangs on them. */
  const share = cse({
    dialects: [...coreDialects, fieldDialect(storage.layout), writingWords(storage, snodeDialect(storage.layout))],
  });
  const clean = sharesEqual(options);
  return pipeline<Module>(
    [
      ...(clean ? [share] : []),
      ...(guard && resolving ? [parts['guard-multiples']] : []),
      ...(edges && resolving ? [parts['read-edges']] : []),
      ...(split && resolving ? [parts['split-loops']] : []),
      ...(digits ? [parts['resolve-digits']] : []),
      ...(merge ? [merging] : []),
      ...(hoist ? [parts['hoist-accesses'], ...(merge ? [merging] : [])] : []),
      ...(forward ? [parts['forward-values']] : []),
      ...(clean ? [share, dce({ dialects: fieldDialects(storage.layout) })] : []),
      ...(batch ? [parts['batch-activations']] : []),
      ...(prefetch ? [parts['prefetch-slots']] : []),
    ],
    { name: 'simplify-access' },
  );
};

/** The passes that simplify micro-accesses, by name; vectors of the target have that many bytes. */
export const simplifications = (storage: Storage, vectorBytes = 32): Readonly<Record<Simplification, Pass<Module>>> => {
  const dialects = fieldDialects(storage.layout);
  const footprint = footprints(storage, dialects);
  const part = (
    name: Simplification,
    change: (kernel: Kernel, buffers: Module['buffers']) => Kernel,
  ): Record<string, Pass<Module>> => ({
    [name]: pass(name, (module) => mapKernels(module, (k) => change(k, module.buffers))),
  });
  return {
    ...part('guard-multiples', (k, buffers) => guardMultiples(k, dialects, buffers)),
    ...part('read-edges', (k, buffers) =>
      readEdges(cutRowEnds(k, storage.layout, vectorBytes, dialects, buffers), storage, dialects, buffers, footprint),
    ),
    ...part('split-loops', (k, buffers) =>
      splitAtBounds(splitLoops(splitWraps(k, dialects, buffers), dialects, buffers), dialects, buffers),
    ),
    ...part('resolve-digits', (k, buffers) => resolveDigits(k, storage.layout, dialects, buffers)),
    ...part('merge-accesses', (k, buffers) => mergeAccesses(k, storage, dialects, buffers, footprint)),
    ...part('hoist-accesses', (k, buffers) => hoistAccesses(k, storage, dialects, buffers, footprint)),
    ...part('forward-values', (k, buffers) => forwardValues(k, storage, dialects, buffers, footprint)),
    ...part('batch-activations', (k) =>
      storage.nodes.some((at) => at.pool) ? rare().batchActivations(k, storage, dialects, footprint) : k,
    ),
    ...part('prefetch-slots', (k, buffers) =>
      storage.nodes.some((at) => at.node.kind === 'hash') ? rare().prefetchSlots(k, storage, dialects, buffers) : k,
    ),
  } as Record<Simplification, Pass<Module>>;
};

type Simplification =
  | 'guard-multiples'
  | 'read-edges'
  | 'split-loops'
  | 'resolve-digits'
  | 'merge-accesses'
  | 'hoist-accesses'
  | 'forward-values'
  | 'batch-activations'
  | 'prefetch-slots';

export const simplifySpec: OptionSpec<SimplifyOptions> = {
  split: option.truth,
  flatten: option.truth,
  guard: option.truth,
  edges: option.truth,
  digits: option.truth,
  merge: option.truth,
  hoist: option.truth,
  forward: option.truth,
  batch: option.truth,
  prefetch: option.truth,
  vectorBytes: option.choice(16, 32, 64),
};
