import { pass, type Diagnostics, checkOptions, option, type OptionSpec } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { pieceOf, polyhedronOf } from './faces.js';
import { longestPeriod } from './periods.js';
import type { Piece } from './piece.js';
import { prefix, type Plan } from './plan.js';
import { longestFrom, longestWithFront, type Memory, type SearchOptions } from './search.js';
import { simplifyPiece } from './simplify.js';
import { traceOf, type Trace } from './streams.js';

/** Limits of the search. */
export interface ReconstructOptions {
  /** Most loops of a piece, from 0 on; default 8. */
  readonly maxDimensions?: number;
  /** Most pieces: the reconstruction stops after them, incomplete; default none. */
  readonly maxPieces?: number;
  /** Plans kept for each number of loops; keeping more finds longer pieces but takes longer. Default 6. */
  readonly beam?: number;
  /** Called after each piece with the elements covered so far; the search stops where it answers false. */
  readonly onProgress?: (covered: number, total: number, pieces: number) => boolean | void;
}

/** Streams as pieces, and how far the pieces go. */
export interface Reconstruction {
  /** In the order of the trace: the points of the pieces, one piece after another, are its first `covered` elements. */
  readonly pieces: readonly Piece[];
  readonly covered: number;
  /**
   * Whether the pieces cover the whole trace; false only if `maxPieces` was reached or `onProgress` stopped the search.
   */
  readonly complete: boolean;
}

/**
 * Rebuilds integer streams of one length, all at once, as regular pieces (§3): polyhedra with an affine function for
 * each stream, which give the elements of all streams exactly and in order. Takes time about linear in the length, and
 * about a millisecond per piece. Streams may hold any values in any order, repeated ones too; empty streams have no
 * pieces. Fails with `trace/streams`, `trace/length` or `trace/value`.
 */
export const reconstruct = (
  streams: readonly ArrayLike<number>[],
  options?: ReconstructOptions,
): E.Either<Diagnostics, Reconstruction> =>
  pass('reconstruct', (s: readonly ArrayLike<number>[]) =>
    reconstructTrace(traceOf(s), checkOptions('reconstruct', options, reconstructSpec)),
  ).run(streams);

const reconstructTrace = (trace: Trace, options: ReconstructOptions): Reconstruction => {
  const { maxPieces = Infinity, beam = 6, onProgress } = options;
  /* No piece has more loops than elements. */
  const maxDimensions = Math.min(options.maxDimensions ?? 8, trace.length);
  const pieces: Piece[] = [];
  let covered = 0;
  let memory: Memory = [];
  let credit = CREDIT;
  let plan = trace.length > 0 ? longestWithFront(trace, 0, { maxDimensions, beam, memory }) : undefined;
  while (plan !== undefined && pieces.length < maxPieces) {
    memory = remembered(memory, plan);
    const after: Next = nextPlan(trace, plan, { maxDimensions, beam, memory }, credit);
    const { end } = after;
    pieces.push(simplifyPiece(pieceOf(trace, prefix(plan, end - plan.start))!));
    covered = end;
    credit = after.credit + 1;
    plan = after.plan;
    if (onProgress?.(covered, trace.length, pieces.length) === false) break;
  }
  return { pieces, covered, complete: covered === trace.length };
};

/** Searches that may be spent on better cuts: at first, and for each success; each piece allows one more. */
const CREDIT = 100;
const REWARD = 24;

/** Elements before the end of a plan at which it may be cut. */
const CUTS = 24;

interface Next {
  /** Where the current plan ends and the next begins. */
  readonly end: number;
  readonly plan: Plan | undefined;
  readonly credit: number;
}

/**
 * The plan after this one. If a long period lies ahead that the next plan does not follow, cutting this plan shorter
 * may let the next one begin at a point of the period from which its body needs fewer loops.
 */
const nextPlan = (trace: Trace, plan: Plan, options: SearchOptions, credit: number): Next => {
  const end = plan.start + plan.count;
  if (end >= trace.length) return { end, plan: undefined, credit };
  let best = longestWithFront(trace, end, options);
  let left = credit;
  const spans: { u: number; far: number }[] = [];
  for (let u = end - 1; u > plan.start && u >= end - CUTS; u--) spans.push({ u, far: u + longestPeriod(trace, u) });
  const far = spans.reduce((m, s) => Math.max(m, s.far), 0);
  if (options.maxDimensions < 2 || far - (best.start + best.count) <= 3 * best.count)
    return { end, plan: best, credit };
  for (const s of spans) {
    if (left <= 0) break;
    if (s.far <= best.start + best.count) continue;
    left--;
    const other = longestFrom(trace, s.u, options);
    const reaches = other.start + other.count > best.start + best.count;
    if (reaches && polyhedronOf(prefix(plan, s.u - plan.start)) !== undefined) {
      best = other;
      left += REWARD;
      if (best.start + best.count >= far) break;
    }
  }
  return { end: best.start, plan: best, credit: left };
};

const KEPT = 6;

/** The innermost two and three loops of a plan, before those remembered so far. */
const remembered = (memory: Memory, plan: Plan): Memory => {
  const latest = [2, 3].filter((k) => k <= plan.strides.length).map((k) => plan.strides.slice(-k));
  const keys = new Set(latest.map((f) => f.join('|')));
  return [...latest, ...memory.filter((f) => !keys.has(f.join('|')))].slice(0, KEPT);
};

export const reconstructSpec: OptionSpec<ReconstructOptions> = {
  maxDimensions: option.or(Infinity, option.whole(0)),
  maxPieces: option.or(Infinity, option.whole(0)),
  beam: option.or(Infinity, option.whole(1)),
  onProgress: option.callback,
};
