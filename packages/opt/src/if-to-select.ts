import {
  bufferMap,
  makeValue,
  lanesOf,
  mapKernels,
  rewriteOps,
  sameType,
  scalarOf,
  opWith,
  type Builder,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from './integer-range/analysis.js';
import { inBounds } from './support/bounds.js';
import { corePass } from './support/core-pass.js';
import { cycles } from './support/cycles.js';
import { emptyBuffers } from './support/empty-buffers.js';
import { factsOf, type Facts } from './support/facts.js';
import { loadStoreOf } from './support/load-store.js';
import { bodyOf, definedIn, terminatorOf } from './support/values.js';
import { accumulates, keepsExtreme } from './vectorize/accumulators.js';
import { laneVaryingIn } from './vectorize/lane-varying.js';

/**
 * Flattens branches: an `scf.if` whose two regions only compute, cheaply and without a chance to trap, becomes its ops
 * followed by an `arith.select` for each result. In loops that are to go on vector lanes they may read as well: where an element is not asked for, it is read for nothing if it is there for certain, else the first of its buffer. Before that, stores that end both branches and go to the same element
 * are merged into one store after the branch.
 *
 * Option `maxCost` (default 24): the cycles, by the table of scalar ops, that both branches together may cost. Option `extremes` (default false): only in loops that keep
 * the least or greatest of floats and go on lanes for that (see `vectorize`), where the target's compiler flattens all others.
 */
export const ifToSelect = corePass(
  'if-to-select',
  { maxCost: 24, extremes: false as boolean },
  (dialects, { maxCost, extremes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const empty = emptyBuffers(module.buffers);
      const isForLanes = forLanes(facts);
      const goesAlike = alikeOnLanes();
      const isRead = (op: Op): boolean =>
        loadStoreOf(op)?.kind === 'load' &&
        typeof op.results[0]!.type === 'string' &&
        !empty.has(String(op.attrs['buffer']));
      const buffers = bufferMap(module.buffers);
      return mapKernels(module, (k) => {
        let known: Ranges | undefined;
        const ranges = (): Ranges =>
          (known ??= rangesOf(k, buffers, facts, { unasked: ({ name }) => name === 'scf.if' }));
        const isThere = (read: Op): boolean => inBounds(read, facts, ranges, buffers);
        return rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            op.name === 'scf.if' &&
            (!extremes || isKeepingExtreme(ctx.parents.at(-1))) &&
            (ctx.parents.some(isForLanes) || !endsLoop(op, ctx))
              ? flatten(
                  op,
                  ctx,
                  facts,
                  maxCost,
                  (o) =>
                    isRead(o) &&
                    ctx.parents.some((loop) => isForLanes(loop) && !goesAlike(op.operands[0]!, loop, ctx.parents)),
                  isThere,
                )
              : undefined,
          module.buffers,
        );
      });
    };
  },
);

/** Whether a loop is to go on lanes, and nothing in it keeps it from that: it only reads, computes and writes, this not in branches. */
const forLanes = (facts: Facts): ((loop: Op) => boolean) => {
  const known = new WeakMap<Op, boolean>();
  const isPlain = (region: Region, mayStore: boolean, mayTrap: boolean): boolean =>
    region.ops.every((op) => {
      if (facts.terminator(op)) return true;
      /* Lanes of which the loop has ended go on as long as one of them does. */
      if (op.regions.length > 0)
        return op.regions.every((r, n) =>
          isPlain(r, mayStore && op.name !== 'scf.if', mayTrap && (op.name !== 'scf.while' || n === 0)),
        );
      const access = loadStoreOf(op);
      if (access) return access.kind === 'load' || mayStore;
      return mayTrap ? facts.pure(op) : facts.speculatable(op);
    });
  return (op) => {
    if (op.name !== 'scf.for' || op.attrs['simd'] !== true) return false;
    const found = known.get(op) ?? op.regions.every((r) => isPlain(r, true, true));
    known.set(op, found);
    return found;
  };
};

/** Whether all lanes of a loop that holds loops go the same way: one branch for all costs less than elements from here and there. */
const alikeOnLanes = (): ((condition: Value, forLanes: Op, around: readonly Op[]) => boolean) => {
  const known = new WeakMap<Op, { readonly all: ReadonlySet<number>; readonly varying: ReadonlySet<number> }>();
  return (condition, loop, around) => {
    if (around.at(-1) === loop) return false;
    const found = known.get(loop) ?? { all: definedIn(loop.regions[0]!), varying: laneVaryingIn(loop) };
    known.set(loop, found);
    /* What a rewrite has made is not known. */
    return found.all.has(condition.id) && !found.varying.has(condition.id);
  };
};

const isKeepingExtreme = (around: Op | undefined): boolean =>
  around !== undefined && accumulates(around) && keepsExtreme(around);

/**
 * Whether a branch tells a loop that it is at its end, as `break` does, or is behind one that does: which way it goes is known beforehand but for the last time, and what is chosen of both
 * would have to be waited for, the next index among it.
 */
const endsLoop = (op: Op, ctx: RewriteContext): boolean => {
  const loop = ctx.parents.at(-1);
  if (loop?.name !== 'scf.while') return false;
  const isEnd = (v: Value): boolean => v.type === 'i1' && handedOn.has(v.id);
  const handedOn = new Set(terminatorOf(loop.regions[1]!).operands.map((v) => v.id));
  return op.results.some(isEnd) || flagsIn(op.operands[0]!, ctx).some(isEnd);
};

/** The truth values of which a condition is made. */
const flagsIn = (condition: Value, ctx: RewriteContext): readonly Value[] => {
  const op = ctx.definition(condition);
  return op && LOGIC.has(op.name) ? op.operands.flatMap((v) => flagsIn(v, ctx)) : [condition];
};

const LOGIC: ReadonlySet<string> = new Set(['arith.not', 'arith.and', 'arith.or']);

/**
 * @param mayRead whether an op reads, and may read the first element of its buffer where no other is asked for
 * @param isThere whether what it reads is there whatever the condition says
 */
const flatten = (
  op: Op,
  ctx: RewriteContext,
  facts: Facts,
  maxCost: number,
  mayRead: (op: Op) => boolean,
  isThere: (read: Op) => boolean,
): Replacement | undefined => {
  const { op: branch, stores } = sinkStores(op, ctx, facts);
  const bodies = branch.regions.map(bodyOf);
  const flat =
    (branch.results.length > 0 || stores.length > 0) &&
    bodies.every((ops) => ops.every((o) => facts.speculatable(o) || mayRead(o))) &&
    cost(bodies[0]!) + cost(bodies[1]!) <= maxCost;
  if (!flat && stores.length === 0) return undefined;
  return ctx.build((b) => {
    b.loc = op.loc;
    const results = flat ? selectResults(branch, b, isThere) : b.append(branch);
    for (const s of stores) b.append(opWith(s.store, { operands: [results[s.result]!, s.index(b)] }));
    return results.slice(0, op.results.length);
  });
};

const selectResults = (branch: Op, b: Builder, isThere: (read: Op) => boolean): readonly Value[] => {
  const condition = branch.operands[0]!;
  branch.regions.forEach((region, arm) => {
    for (const op of bodyOf(region))
      b.append(loadStoreOf(op) && !isThere(op) ? readWhere(op, condition, arm === 0, b) : op);
  });
  const [yes, no] = branch.regions.map((r) => terminatorOf(r).operands);
  return branch.results.map((_, i) => {
    const [x, y] = [yes![i]!, no![i]!];
    if (x.id === y.id) return x;
    return b.select(typeof x.type === 'string' ? condition : b.splat(condition, lanesOf(x.type)), x, y);
  });
};

/** A load of the first element where a condition does not hold, or where it does. */
const readWhere = (load: Op, condition: Value, holds: boolean, b: Builder): Op => {
  const [index] = load.operands as readonly [Value];
  const first = b.constant(0, scalarOf(index.type));
  return opWith(load, { operands: [holds ? b.select(condition, index, first) : b.select(condition, first, index)] });
};

/** A store taken out of both branches: which result of the branch it stores, and where. */
interface SunkStore {
  readonly store: Op;
  readonly result: number;
  readonly index: (b: Builder) => Value;
}

/** Moves pairs of last stores to the same element behind the branch, as many as there are. */
const sinkStores = (
  op: Op,
  ctx: RewriteContext,
  facts: Facts,
): { readonly op: Op; readonly stores: readonly SunkStore[] } => {
  const [a, b] = [op.regions[0]!.ops, op.regions[1]!.ops];
  const inside = definedIn(op.regions[1]!, definedIn(op.regions[0]!));
  const taken = new Set<Op>();
  const pairs: { x: Op; y: Op; index: (b: Builder) => Value }[] = [];
  let [i, j] = [a.length, b.length];
  for (;;) {
    i = previousEffect(a, i, facts);
    j = previousEffect(b, j, facts);
    if (i < 0 || j < 0) break;
    const [x, y] = [a[i]!, b[j]!];
    const index = sameElement(x, y, inside, ctx);
    if (!index) break;
    taken.add(x).add(y);
    pairs.unshift({ x, y, index });
  }
  if (pairs.length === 0) return { op, stores: [] };
  const results = [...op.results, ...pairs.map(({ x }) => makeValue(ctx.ids.next(), x.operands[0]!.type, undefined))];
  const without = (region: Region, values: readonly Value[]): Region => ({
    params: region.params,
    ops: [
      ...bodyOf(region).filter((o) => !taken.has(o)),
      opWith(terminatorOf(region), { operands: [...terminatorOf(region).operands, ...values] }),
    ],
  });
  const regions = [
    without(
      op.regions[0]!,
      pairs.map(({ x }) => x.operands[0]!),
    ),
    without(
      op.regions[1]!,
      pairs.map(({ y }) => y.operands[0]!),
    ),
  ];
  return {
    op: opWith(op, { results, regions }),
    stores: pairs.map(({ x, index }, k) => ({ store: x, result: op.results.length + k, index })),
  };
};

/** The last op before `end` that touches memory or may end the program; -1 where there is none. */
const previousEffect = (ops: readonly Op[], end: number, facts: Facts): number => {
  for (let i = end - 1; i >= 0; i--) {
    const op = ops[i]!;
    if (!facts.terminator(op) && !facts.pure(op)) return i;
  }
  return -1;
};

/** Where both ops store, when that is one element which is known outside of the branch. */
const sameElement = (
  x: Op,
  y: Op,
  inside: ReadonlySet<number>,
  ctx: RewriteContext,
): ((b: Builder) => Value) | undefined => {
  if (x.name !== 'mem.store' || y.name !== 'mem.store' || x.attrs['buffer'] !== y.attrs['buffer']) return undefined;
  if (!sameType(x.operands[0]!.type, y.operands[0]!.type)) return undefined;
  const [i, j] = [x.operands[1]!, y.operands[1]!];
  if (i.id === j.id) return inside.has(i.id) ? undefined : () => i;
  const [c, d] = [ctx.definition(i), ctx.definition(j)];
  const constants = c?.name === 'arith.constant' && d?.name === 'arith.constant' && sameType(i.type, j.type);
  if (!constants || c.attrs['value'] !== d.attrs['value']) return undefined;
  return (b) => b.op('arith.constant', [], c.attrs, [], [i.type])[0]!;
};

const cost = (ops: readonly Op[]): number =>
  ops.reduce((sum, op) => sum + (op.regions.length > 0 ? Infinity : cycles(op)), 0);
