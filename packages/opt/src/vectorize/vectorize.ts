import { rare } from '#rare';
import {
  byteSize,
  isFloat,
  mapKernels,
  rewriteOps,
  scalarOf,
  opWith,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { isQuick } from '../support/cycles.js';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { attrsOfParts, chunkedBound, chunkFits, indexConstant } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';
import { ownsScratch, scratchOf } from '../support/scratch.js';
import { terminatorOf } from '../support/values.js';
import { loadStoreOf } from '../support/load-store.js';
import { accumulated, accumulates, accumulatorsOf, emptyVectors, keepsExtreme } from './accumulators.js';
import { choicesOf } from './choosing.js';
import { gathersForArithmetic } from './gathers.js';
import { laneVaryingIn } from './lane-varying.js';
import { widen } from './widen.js';

/**
 * Turns `scf.for {simd = true}` into a loop over vectors and a scalar epilogue. A vector has as many lanes as floats of
 * the widest type in the loop fit into a register; narrower data are loaded as short vectors with as many lanes, and
 * cast. Addresses that grow by one from lane to lane become contiguous loads and stores, equal ones a splat, all others
 * gathers and scatters. Where a loop is long and no iteration reads what any writes, the last vector goes back instead, to be full. The epilogue, of fewer iterations than a vector has lanes, says so: compilers would put it on lanes
 * once more, which it never fills. A loop that contains branches (see `if-to-select`), inner loops (see `vectorize-nests`),
 * atomics is left alone, and so is one that says `lanes = 1` (see `overlapping-lanes`).
 *
 * Option `bytes` (default 16): the bytes of a vector register. Throws `option/value` when it is not a positive whole
 * number. Option `gathers` (default false): only loops that gather floats through tables for plain arithmetic, and those that keep the
 * least or greatest of floats, where the target's compiler does well with all others.
 */
export const vectorize = corePass(
  'vectorize',
  { bytes: 16, gathers: false as boolean },
  (dialects, { bytes, gathers }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const scratch = scratchOf(module.buffers);
      return mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            (gathers
              ? op.results.length === 0
                ? isSimd(op) && gathersForArithmetic(op)
                : accumulates(op) && keepsExtreme(op)
              : isSimd(op) || accumulates(op)) && !ownsScratch(op, ctx, scratch, facts)
              ? vectorizeLoop(op, ctx, facts, bytes, k.attrs['approximate'] === true)
              : undefined,
          module.buffers,
        ),
      );
    };
  },
  { bytes: 1 },
);

const isSimd = (op: Op): boolean => op.name === 'scf.for' && op.attrs['simd'] === true && op.attrs['lanes'] !== 1;

const vectorizeLoop = (
  loop: Op,
  ctx: RewriteContext,
  facts: Facts,
  bytes: number,
  functions: boolean,
): Replacement | undefined => {
  const step = constantIn(loop.operands[2]!, ctx.definition, facts);
  const lanes = lanesFor(loop, bytes);
  const trips = tripCount(facts.control(loop)?.count, (v) => constantIn(v, ctx.definition, facts));
  if (step === undefined || BigInt(step) !== 1n || lanes < 2 || !chunkFits(loop, 1n, lanes)) return undefined;
  if ((trips !== undefined && trips < BigInt(lanes)) || !isVectorizable(loop, facts)) return undefined;
  if (loop.results.length > 0) return accumulateOnLanes(loop, lanes, trips, ctx, functions);
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = [loop.operands[0]!, loop.operands[1]!, loop.operands[2]!];
    const { simd: _simd, ...attrs } = attrsOfParts(loop);
    const { parallel: _parallel, ...serial } = attrs;
    const even = trips !== undefined && trips % BigInt(lanes) === 0n;
    if (!even && mayRepeat(loop, trips, lanes, facts)) {
      const stride = indexConstant(b, loop, BigInt(lanes));
      const last = b.sub(ub, stride);
      b.for(lb, ub, stride, attrs, [], (iv) => widen(loop, b.min(iv, last), lanes, laneVaryingIn(loop), b));
      return [];
    }
    const end = even ? ub : chunkedBound(b, loop, 1n, lanes);
    b.for(lb, end, indexConstant(b, loop, BigInt(lanes)), attrs, [], (iv) =>
      widen(loop, iv, lanes, laneVaryingIn(loop), b),
    );
    if (!even) b.append(opWith(loop, { operands: [end, ub, one], attrs: { ...serial, simd: false } }));
    return [];
  });
};

/**
 * A loop that accumulates, on as many vectors side by side as one has to wait for another, which are put together at the end. It loads and stores side by side: vectors that are gathered gain
 * nothing, but where there are as many functions of them.
 */
const accumulateOnLanes = (
  loop: Op,
  lanes: number,
  trips: bigint | undefined,
  ctx: RewriteContext,
  functions: boolean,
): Replacement | undefined => {
  const kinds = accumulatorsOf(loop);
  const { independent, simd, trips: hint } = loop.attrs;
  if (!kinds || independent !== true) return undefined;
  const vectors = loop.regions[0]!.ops.length <= FEW_OPS && Number(trips ?? hint ?? 0) >= MANY_ITERATIONS ? 4 : 1;
  if (!chunkFits(loop, 1n, lanes * vectors)) return undefined;
  const dear = functions ? loop.regions[0]!.ops.filter((op) => !isQuick(op)).length : 0;
  let gathered = false;
  const made = ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = [loop.operands[0]!, loop.operands[1]!, loop.operands[2]!];
    const end = chunkedBound(b, loop, 1n, lanes * vectors);
    const stride = indexConstant(b, loop, BigInt(lanes * vectors));
    const { simd: _simd, independent: _independent, ...attrs } = attrsOfParts(loop);
    const choices = choicesOf(loop);
    const turning = choices.length > 0 ? rare().withTurns(b, loop, choices) : loop;
    const varying = laneVaryingIn(turning);
    const onLanes = (): readonly Value[] => {
      const empty = Array.from({ length: vectors }, () => emptyVectors(b, loop, kinds, choices, lanes));
      const inEach = empty[0]!.length;
      const split = (all: readonly Value[]): readonly (readonly Value[])[] =>
        empty.map((_, n) => all.slice(n * inEach, (n + 1) * inEach));
      const full = b.for(lb, end, stride, attrs, empty.flat(), (iv, carried) =>
        split(carried).flatMap((own, n) => {
          const from = n === 0 ? iv : b.add(iv, indexConstant(b, loop, BigInt(lanes * n)));
          const { values, ops } = b.inPlace(() => widen(turning, from, lanes, varying, b, own));
          gathered ||= ops.filter((op) => op.name === 'mem.gather' || op.name === 'mem.scatter').length > dear;
          for (const op of ops) b.append(op);
          return values;
        }),
      );
      return accumulated(b, loop, kinds, choices, split(full));
    };
    /* To put choices together takes as long as many iterations. */
    const mayBeShort = choices.length > 0 && trips === undefined;
    const sums = mayBeShort ? b.if(b.cmp('lt', lb, end), onLanes, () => loop.operands.slice(3)) : onLanes();
    return b.op('scf.for', [end, ub, one, ...sums], { ...attrsOfParts(loop), simd: false }, loop.regions);
  });
  return gathered && simd !== true && !kinds.includes('choose') ? undefined : made;
};

/** Ops of a body that is short enough to be there several times. */
const FEW_OPS = 24;

/** Iterations from which on that is worth while. */
const MANY_ITERATIONS = 256;

/** Vectors of a loop from which on it takes no longer to do some iterations of the last again than to do what is left over one by one. */
const MANY_VECTORS = 32;

/**
 * Whether the last vector may begin so early that it is full, and does again what the one before did: the loop is long, its iterations run one after the other, and none reads what any
 * writes. So nothing is left over, for which the body would be there once more.
 */
const mayRepeat = (loop: Op, trips: bigint | undefined, lanes: number, facts: Facts): boolean => {
  const { least, parallel } = loop.attrs;
  const known = trips ?? (typeof least === 'number' ? BigInt(least) : 0n);
  if (known < BigInt(MANY_VECTORS * lanes) || parallel === true) return false;
  const { reads, writes, external } = facts.footprint(loop);
  return !external && !reads.any && !writes.any && [...writes.names].every((name) => !reads.names.has(name));
};

/** Lanes of the widest float; of the widest element moved, where there are no floats. */
const lanesFor = (loop: Op, bytes: number): number => {
  let float = 0;
  let moved = 0;
  for (const op of loop.regions[0]!.ops) {
    for (const v of [...op.results, ...op.operands])
      if (isFloat(v.type)) float = Math.max(float, byteSize(scalarOf(v.type)));
    const access = loadStoreOf(op);
    if (access) moved = Math.max(moved, byteSize(scalarOf(access.element.type)));
  }
  const width = float || moved;
  return width === 0 ? 0 : Math.floor(bytes / width);
};

/** Whether every op of the body has a meaning lane by lane. */
const isVectorizable = (loop: Op, facts: Facts): boolean => {
  const region = loop.regions[0]!;
  const writes = facts.footprint(loop).writes;
  const varying = new Set([region.params[0]!.id]);
  const last = terminatorOf(region);
  for (const op of region.ops) {
    if (op === last) continue;
    const def = facts.def(op);
    if (!def || op.regions.length > 0) return false;
    if ([...op.operands, ...op.results].some((v) => typeof v.type !== 'string')) return false;
    const varies = op.operands.some((v) => varying.has(v.id));
    const access = loadStoreOf(op);
    if (access) {
      // An element that all iterations share is safe to read once for all lanes only while nothing writes it.
      const shared = !varying.has(access.index.id);
      if (shared && (access.kind === 'store' || writes.any || writes.names.has(String(op.attrs['buffer']).slice(1))))
        return false;
    } else if (!facts.pure(op) || op.results.length !== 1 || (varies && def.traits.elementwise !== true)) return false;
    if (varies) for (const v of op.results) varying.add(v.id);
  }
  return true;
};
