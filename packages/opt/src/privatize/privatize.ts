import { rare } from '#rare';
import {
  alwaysRuns,
  bufferMap,
  byteSize,
  declareBuffer,
  mapKernels,
  rewriteOps,
  useCounts,
  opWith,
  type Buffer,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Value,
  type Dialect,
} from '@filigree/ir';
import { rangesOf } from '../integer-range/analysis.js';
import { affineForms } from '../support/affine.js';
import { constantIn, constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { isParallelLoop, scratchOf, usesScratch } from '../support/scratch.js';
import { tripCount } from '../support/trip-count.js';
import { definedIn } from '../support/values.js';
import { carryReductions } from './accumulate.js';
import { chunkedLoop, isInChunks } from './chunks.js';
import { reductionsOf, type Reduction, type Surroundings } from './reduction.js';
import { identityOf } from '../support/identity.js';

/**
 * Privatisation of reductions: if a loop combines values into one element by atomics whose results are unused, each
 * thread accumulates in a value that the loop carries and combines it into memory once. Loops inside parallel loops do
 * so after their last iteration; an outermost parallel loop becomes one over chunks of consecutive iterations, each a
 * sequential loop, unless there are few iterations of much work. Nothing else in the loop may touch the element. The order of atomics in a parallel loop is
 * unspecified anyway, so sums of floats may be taken in another order; reductions in serial code are left alone.
 *
 * Option `chunks` (default 1024): the most chunks into which a loop is cut. Throws `option/value` when it is not a
 * positive whole number. Option `team` (default 0): where teams of so many threads run loops, an outermost parallel loop that counts from 0 by 1
 * becomes one over teams, which combine their values in memory that they share (`reduceByTeams`); others are left alone. What a loop
 * for a team combines goes to memory that the team shares, and from there to the element by one atomic (`reduceInTeam`).
 *
 * Option `atomicBytes` (default 8): the widest type that teams have atomics of. Wider values come together as a tree, and the values of all teams in a
 * loop after that (`reduceByTrees`).
 */
export const privatize = corePass(
  'privatize',
  { chunks: 1024, team: 0, atomicBytes: 8 },
  (dialects, { chunks, team, atomicBytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const taken = new Set(module.buffers.map((b) => b.name));
      const made: Buffer[] = [];
      const make: Cut['make'] = (kernel, { type }, length, role) => {
        let n = made.length;
        while (taken.has(`${kernel.name}_part${n}`)) n++;
        const buffer = declareBuffer(`${kernel.name}_part${n}`, type, length, role);
        taken.add(buffer.name);
        made.push(buffer);
        return buffer;
      };
      const cut = { chunks, team, atomicBytes, make };
      const done = mapKernels(module, (k) => privatizeKernel(module, k, dialects, facts, cut));
      return made.length === 0 ? done : { ...done, buffers: [...done.buffers, ...made] };
    };
  },
  { chunks: 1 },
);

interface Cut {
  readonly chunks: number;
  readonly team: number;
  readonly atomicBytes: number;
  /** A new buffer for a reduction: `scratch`, which a team shares, or `temp`. */
  readonly make: (kernel: Kernel, r: Reduction, length: number, role: 'scratch' | 'temp') => Buffer;
}

const privatizeKernel = (
  module: Module,
  kernel: Kernel,
  dialects: readonly Dialect[],
  facts: Facts,
  { chunks, team, atomicBytes, make }: Cut,
): Kernel => {
  const buffers = bufferMap(module.buffers);
  const scratch = scratchOf(module.buffers);
  const counts = useCounts(kernel.body);
  const forms = affineForms();
  const ranges = rangesOf(kernel, buffers, facts);
  const isThere = (r: Reduction): boolean => {
    const range = ranges.of(r.index);
    return range !== undefined && range.lo >= 0 && range.hi < buffers.get(r.buffer)!.length;
  };
  const rewrite = (op: Op, ctx: RewriteContext): Replacement | undefined => {
    const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
    if (op.name !== 'scf.for' && op.name !== 'scf.while') {
      if (op.regions.length === 0) forms.note(op, constantOfOp(op, facts));
      return undefined;
    }
    const divided = op.attrs['team'] === true;
    if (divided && team === 0) return undefined;
    const outermost = !ctx.parents.some((p) => isParallelLoop(p, facts));
    if (outermost && !isParallelLoop(op, facts)) return undefined;
    const defined = new Set<number>();
    for (const r of op.regions) definedIn(r, defined);
    const surroundings: Surroundings = {
      facts,
      constantOf,
      inside: (v) => defined.has(v.id),
      uses: (v) => counts.get(v.id) ?? 0,
      distinct: (a, b) => {
        const [x, y] = [forms.of(a), forms.of(b)];
        if (x.bits === y.bits && x.terms === y.terms) return x.offset !== y.offset;
        const [r, s] = [ranges.of(a), ranges.of(b)];
        return r !== undefined && s !== undefined && (r.hi < s.lo || s.hi < r.lo);
      },
    };
    const isWide = ({ type }: Reduction): boolean => team > 0 && byteSize(type) > atomicBytes;
    const reductions = reductionsOf(op, surroundings).filter(
      (r) => (isThere(r) || (r.certain && !divided)) && !((divided || outermost) && isWide(r)),
    );
    const inside = (v: Value): boolean => defined.has(v.id);
    const at = { ctx, isThere, inside };
    const indexed = (b: Builder, r: Reduction): Value =>
      inside(r.index) ? b.constant(r.constant!, r.index.type) : r.index;
    if (outermost && team > 0) {
      const { holdsTeamLoop, reduceByTrees, TEAMS, threadsForTrees } = rare();
      const wide = reductionsOf(op, { ...surroundings, whole: true }).filter((r) => isWide(r) && isThere(r));
      const threads = wide.length === 0 ? undefined : threadsForTrees(op, wide, team, constantOf);
      if (threads !== undefined && (holdsTeamLoop(op) || !usesScratch(op, scratch, facts)))
        return ctx.build((b) => {
          reduceByTrees(b, op, wide, (r) => indexed(b, r), {
            threads,
            ids: ctx.ids,
            treeOf: (r) => ({
              slots: make(kernel, r, threads, 'scratch'),
              partials: make(kernel, r, TEAMS, 'temp'),
            }),
          });
          return [];
        });
    }
    if (reductions.length === 0) return undefined;
    if (divided)
      return ctx.build((b) => {
        rare().reduceInTeam(
          b,
          op,
          reductions,
          (r) => indexed(b, r),
          (r) => make(kernel, r, 1, 'scratch'),
        );
        return [];
      });
    if (!outermost) {
      const control = facts.control(op)!;
      const runs = alwaysRuns(control, 0) || (tripCount(control.count, constantOf) ?? 0n) > 0n;
      return ctx.build((b) => accumulate(b, serialLoop(op, false), reductions, at, runs));
    }
    if (team > 0) {
      const { countsFromZero, reduceByTeams } = rare();
      if (!countsFromZero(op, constantOf) || usesScratch(op, scratch, facts)) return undefined;
      return ctx.build((b) => {
        reduceByTeams(b, op, reductions, (r) => indexed(b, r), {
          threads: team,
          ids: ctx.ids,
          shared: (r) => make(kernel, r, 1, 'scratch'),
        });
        return [];
      });
    }
    const step = constantOf(op.operands[2]!);
    if (typeof step === 'boolean' || step === undefined || step <= 0) return undefined;
    const loops = { control: facts.control, constantOf };
    /* What its iterations combine they do once each, as chunks would; compilers make little of loops of one iteration around others. */
    if (isInChunks(op, tripCount(facts.control(op)?.count, constantOf), chunks, loops)) return undefined;
    return ctx.build((b) => {
      const shared = usesScratch(op, scratch, facts);
      chunkedLoop(b, op, BigInt(step), chunks, loops, (loop) =>
        accumulate(b, serialLoop(loop, shared), reductions, at, true),
      );
      return [];
    });
  };
  return rewriteOps(kernel, dialects, rewrite, module.buffers);
};

/** A parallel loop as a sequential one, whose iterations are still independent unless they share scratch buffers now. */
const serialLoop = (loop: Op, shared: boolean): Op => {
  const { parallel, schedule: _schedule, threads: _threads, simd, ...attrs } = loop.attrs;
  const said = simd === true || parallel === true || attrs['independent'] === true;
  const hints = said && !shared ? { independent: true, ...(simd === true ? { simd } : {}) } : {};
  return opWith(loop, { attrs: { ...attrs, ...hints } });
};

interface Place {
  readonly ctx: RewriteContext;
  /** Whether the element is known to be in its buffer, so that it may be touched in vain. */
  readonly isThere: (r: Reduction) => boolean;
  /** Whether a value is defined in the loop. */
  readonly inside: (v: Value) => boolean;
}

/**
 * Appends the loop with carried accumulators, and an atomic for each after it. A loop that may run no iteration must not
 * touch an element that may not be there.
 */
const accumulate = (
  b: Builder,
  loop: Op,
  reductions: readonly Reduction[],
  { ctx, isThere, inside }: Place,
  runs: boolean,
): readonly Value[] => {
  b.loc = loop.loc;
  const inits = reductions.map((r) => b.constant(identityOf(r.kind, r.type), r.type));
  const indices = reductions.map((r) => (inside(r.index) ? b.constant(r.constant!, r.index.type) : r.index));
  const results = b.append(carryReductions(loop, reductions, inits, ctx.ids));
  const own = results.slice(loop.results.length);
  const combine = (wanted: (r: Reduction) => boolean): void =>
    reductions.forEach((r, k) => {
      const [op] = r.atomics;
      b.loc = op!.loc;
      if (wanted(r)) b.op('mem.atomic', [own[k]!, indices[k]!], op!.attrs);
    });
  const safe = (r: Reduction): boolean => runs || isThere(r);
  combine(safe);
  if (!reductions.every(safe)) {
    const some = b.cmp('lt', loop.operands[0]!, loop.operands[1]!);
    b.if(some, () => combine((r) => !safe(r)));
  }
  return results.slice(0, loop.results.length);
};
