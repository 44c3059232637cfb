import { checkOptions } from '@filigree/ir';
import { graphPassNames, pipelineSpec, type FieldPipelineOptions } from '@filigree/runtime';
import { namesToAblate } from './ablation.js';

type Lowering = NonNullable<FieldPipelineOptions['lowering']>;
type Simplify = Exclude<NonNullable<Lowering['simplify']>, false>;

/** What `ablate` can switch off in the lowering of fields, by name: the columns of an ablation table (thesis §6). */
export const FIELD_ABLATIONS = {
  /** All simplification of accesses (thesis appendix F). */
  'simplify-access': { lowering: { simplify: false } },
  /** Loops over a block in parts: those that stay within it, and those that look beyond it. */
  'split-loops': part({ split: false }),
  /** Loops over elements without branches. */
  'flatten-branches': part({ flatten: false }),
  /** Loops that follow a multiple of an index, in pieces in which it stays within a block and within bounds. */
  'guard-multiples': part({ guard: false }),
  /** Loops over a row of a block whole: what they read beyond its ends is read before. */
  'read-edges': part({ edges: false }),
  /** Digits of indices, and bounds that need no clamp. */
  'resolve-digits': part({ digits: false }),
  /** One lookup for accesses that share a path. */
  'merge-accesses': part({ merge: false }),
  /** Lookups before the loops in which they do not change. */
  'hoist-accesses': part({ hoist: false }),
  /** Values through cells, without loads and stores. */
  'forward-values': part({ forward: false }),
  /** One store for several fields of a word. */
  'fuse-stores': { quant: { fuse: false } },
  /** Plain updates of elements, and plain stores to words of several fields, where no other thread writes them. */
  'own-words': { lowering: { own: false }, quant: { own: false } },
  /** Loops over the elements of bit arrays as loops over words. */
  'vectorize-bits': { quant: { words: false } },
  /** Sums of each thread for itself. */
  privatize: { omit: ['privatize'] },
  /** Sums that scatter of each thread for itself, where there are several. */
  'privatize-scatters': { omit: ['privatize-scatters'] },
  /** What is known of integers: bounds that always hold, digits of sums. */
  'integer-range': { omit: ['integer-range'] },
  /** Threads take iterations of very different cost piece by piece. */
  'uneven-loops': { omit: ['uneven-loops'] },
  /** Loops whose iterations are independent on vector lanes. */
  vectorize: { omit: ['vectorize-nests', 'stage-strides'], lanes: false },
  /** Loops that gather on vector lanes, and what scatters apart from what is computed, where the processor gathers. */
  distribute: { gathers: 0 },
  /** Factors of fixed point at the end of what is computed. */
  'factor-scales': { omit: ['factor-scales'] },
  /** Components of vectors as short vectors. */
  superword: { omit: ['superword'] },
  /** Iterations that change one element together. */
  'group-iterations': { omit: ['group-iterations'] },
  /** One index, and constants, for elements around a place. */
  'share-indices': { omit: ['share-indices'] },
  /** Sums of products by instructions that multiply and add. */
  'fuse-products': { omit: ['fuse-products'] },
  /** The passes that suit every kernel: sharing, moving out of loops, dead code. */
  optimize: { omit: true },
} as const satisfies Readonly<Record<string, FieldPipelineOptions>>;

/** A part of the lowering of fields that can be switched off. */
export type FieldAblation = keyof typeof FIELD_ABLATIONS;

/** Passes on the graph of queued launches that can be switched off, by name (thesis §4.6). */
export const GRAPH_PASSES = graphPassNames;

/** Options with these parts switched off. Throws `DiagnosticError` `ablate/unknown`. */
export const ablateFields = (names: readonly string[], options?: FieldPipelineOptions): FieldPipelineOptions =>
  namesToAblate(names, Object.keys(FIELD_ABLATIONS) as readonly FieldAblation[]).reduce<FieldPipelineOptions>(
    (all, name) => merge(all, FIELD_ABLATIONS[name]),
    checkOptions('ablateFields', options, pipelineSpec),
  );

const merge = (a: FieldPipelineOptions, b: FieldPipelineOptions): FieldPipelineOptions => ({
  ...a,
  ...b,
  ...(a.omit === true || b.omit === true ? { omit: true } : { omit: [...(a.omit ?? []), ...(b.omit ?? [])] }),
  quant: { ...a.quant, ...b.quant },
  lowering: { ...a.lowering, ...b.lowering, ...simplified(a.lowering?.simplify, b.lowering?.simplify) },
});

const simplified = (a: Lowering['simplify'], b: Lowering['simplify']): Lowering =>
  a === false || b === false ? { simplify: false } : { simplify: { ...a, ...b } };

function part(simplify: Simplify): { readonly lowering: Lowering } {
  return { lowering: { simplify } };
}
