import { isSparse, pathTo } from '../layout/layout.js';
import type { NodeStorage, Storage } from '../storage/storage.js';

/**
 * How a loop over the active elements of a node runs (thesis §4.3): one task per cell of `source`, the innermost sparse
 * node around the elements, or several if cells are large; within a task, plain loops.
 */
export interface Plan {
  /** The node whose elements are visited. */
  readonly node: number;
  /** The innermost sparse node above, or the node itself where its cells are allocated one by one; 0 where there is none. */
  readonly source: number;
  /** The nodes below `source` down to `node`. */
  readonly chain: readonly NodeStorage[];
  /** Loops from the outermost in, over their digits; none over an axis of one cell. */
  readonly loops: readonly Loop[];
  /**
   * This many of them, from the outermost on, have known lengths and run in parallel together with the loop over cells
   * of `source`.
   */
  readonly split: number;
  /** Whether the elements are those that were active when the loop began, by a copy of masks or lengths (see `NodeStorage`). */
  readonly snapshot: boolean;
}

/** A loop over the digits of a node's cells along one axis. */
export interface Loop {
  readonly at: NodeStorage;
  readonly axis: number;
  /** Iterations; of a loop over a list the most there can be. */
  readonly count: number;
  /** A loop over blocks of so many digits, or the one after it, over the digits of a block. */
  readonly part: { readonly is: 'blocks' | 'within'; readonly size: number } | undefined;
}

export interface PlanOptions {
  /** Most elements of a task. */
  readonly block?: number | undefined;
  /** Whether a task is to be a block of elements also where the whole loop could be one parallel loop over elements. */
  readonly blocks?: boolean;
  /** Default `PROCESSOR`. */
  readonly grain?: LoopGrain | undefined;
  /** See `Plan`; default false. */
  readonly snapshot?: boolean;
}

/** How loops are cut for a target. */
export interface LoopGrain {
  /** Tasks that keep it busy. */
  readonly tasks: number;
  /** Elements below which it does not pay to make more tasks. */
  readonly least: number;
  /** Elements of a task unless the user says otherwise. */
  readonly most: number;
  /** Threads that have a lot of a pool for themselves, at most and by default `HANDS`; with 1 all take from one lot. */
  readonly hands?: number;
  /** What a team of threads has that runs a task together, with the bytes of the widest type that has atomics (default 8); without it one thread runs a task. */
  readonly team?: { readonly threads: number; readonly sharedBytes: number; readonly atomicBytes?: number };
}

/** For a processor: enough tasks for many threads, and elements that make the cost of starting one negligible. */
export const PROCESSOR: LoopGrain = { tasks: 64, least: 1024, most: 16384 };

export const planOf = (storage: Storage, node: number, options: PlanOptions = {}): Plan => {
  const { layout, nodes } = storage;
  const path = pathTo(layout.nodes, node);
  const own = nodes[node];
  const source = [...path].reverse().find((n) => (n === node ? own.pool : isSparse(layout.nodes[n]))) ?? 0;
  const chain = path.slice(path.indexOf(source) + 1).map((n) => nodes[n]);
  const loops = chain.flatMap((at) =>
    at.node.axes
      .filter((axis, n) => at.node.extents[axis] > 1 || (isSparse(at.node) && n === at.node.axes.length - 1))
      .map((axis): Loop => ({ at, axis, count: at.node.extents[axis], part: undefined })),
  );
  return { node, source, chain, snapshot: options.snapshot === true, ...divide(loops, source === 0, options) };
};

/** Decides where tasks end and the loops within them begin. */
const divide = (
  loops: readonly Loop[],
  alone: boolean,
  { grain = PROCESSOR, block = grain.most, blocks = false }: PlanOptions,
): { readonly loops: readonly Loop[]; readonly split: number } => {
  const last = loops[loops.length - 1];
  if (!last) return { loops, split: 0 };
  const list = last.at.length !== undefined;
  /* Elements of one word are of one task. */
  const bits = loops.filter((l) => l.at.node.kind === 'bits').length;
  const fixed = list ? loops.length - 1 : loops.length - bits;
  /* Loops over lists come last: their cells contain nothing but values. */
  let split = 0;
  while (split < fixed && product(loops.slice(split, fixed)) > block) split++;
  if (alone) {
    const least = list || bits > 0 ? fixed : fixed - 1;
    while (split < least && (list || product(loops.slice(0, split)) < grain.tasks)) split++;
  }
  if (split > 0 && (list || split < fixed)) return { loops, split };
  if ((split === 0 && !alone) || bits > 0) return { loops, split };
  const wanted = blocks || !alone || loops.length > 1 || last.at.mask !== undefined;
  return list || !wanted ? { loops, split: loops.length } : blocked(loops, block, grain);
};

/** The innermost loop is cut into several tasks, each with a block of its digits. */
const blocked = (
  loops: readonly Loop[],
  block: number,
  { tasks, least }: LoopGrain,
): { readonly loops: readonly Loop[]; readonly split: number } => {
  const last = loops[loops.length - 1];
  const unit = last.at.mask === undefined ? 1 : WORD;
  const wanted = Math.min(block, Math.max(least, Math.ceil(last.count / tasks)));
  const size = Math.min(last.count, unit * Math.ceil(wanted / unit));
  const outer: Loop = { ...last, count: Math.ceil(last.count / size), part: { is: 'blocks', size } };
  const inner: Loop = { ...last, count: size, part: { is: 'within', size } };
  return { loops: [...loops.slice(0, -1), outer, inner], split: loops.length };
};

/** Bits of a mask's word. */
export const WORD = 32;

const product = (loops: readonly Loop[]): number => loops.reduce((n, l) => n * l.count, 1);
