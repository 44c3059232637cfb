import {
  cloneOps,
  opTable,
  rewriteOps,
  walk,
  opWith,
  type Buffer,
  type Builder,
  type Dialect,
  type IdSource,
  type Kernel,
  type Op,
  type OpDef,
  type Region,
  type Replacement,
  type RewriteContext,
  type Substitution,
  type Value,
} from '@filigree/ir';
import { nodeOf } from '../../layout/layout.js';
import type { Storage } from '../../storage/storage.js';
import { unguarded } from '../guards.js';

/**
 * Asks ahead for places in hash tables: where a loop activates cells whose coordinates follow from its counter by arithmetic,
 * each iteration says where a later one will look. The atomic operation that enters a cell waits for what was written before
 * it, so that a processor does not by itself begin to look for the next cell while it waits for this one.
 */
export const prefetchSlots = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
): Kernel => {
  const table = opTable(dialects);
  return rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      if (op.name !== 'scf.for') return undefined;
      const ahead = lookupsOf(op.regions[0], storage, table);
      return ahead.length === 0 ? undefined : withPrefetches(op, ahead, ctx);
    },
    buffers,
  );
};

/** Iterations ahead: memory takes as long as these. */
const AHEAD = 16;

/** More lookups than these keep memory busy by themselves. */
const MOST = 4;

/** A lookup, and the ops of the loop that its coordinates follow from. */
interface Known {
  readonly lookup: Op;
  readonly coordinates: readonly Value[];
  readonly slice: ReadonlySet<Op>;
}

/** The lookups of a loop's own iterations, not of loops within them, that are to be asked for ahead. */
const lookupsOf = (body: Region, storage: Storage, table: ReadonlyMap<string, OpDef>): readonly Known[] => {
  const inside = new Map<number, Op>();
  const lookups: Op[] = [];
  walk(body, (op, parents) => {
    for (const r of op.results) inside.set(r.id, op);
    if (op.name !== 'snode.lookup' || op.attrs.activate !== true) return;
    if (nodeOf(storage.layout, op)!.kind !== 'hash') return;
    if (parents.every((p) => p.name === 'scf.if')) lookups.push(op);
  });
  if (lookups.length > MOST) return [];
  return lookups.flatMap((lookup) => {
    const coordinates = unguarded(lookup).slice(1);
    const slice = arithmeticOf(coordinates, body, inside, table);
    return slice ? [{ lookup, coordinates, slice }] : [];
  });
};

/** Undefined where coordinates do not follow from the counter, or from more than arithmetic on it and on what stays the same. */
const arithmeticOf = (
  coordinates: readonly Value[],
  body: Region,
  inside: ReadonlyMap<number, Op>,
  table: ReadonlyMap<string, OpDef>,
): ReadonlySet<Op> | undefined => {
  const [counter, ...carried] = body.params.map((p) => p.id);
  const slice = new Set<Op>();
  const work = [...coordinates];
  let follows = false;
  for (let v = work.pop(); v !== undefined; v = work.pop()) {
    if (v.id === counter) follows = true;
    if (carried.includes(v.id)) return undefined;
    const op = inside.get(v.id);
    if (!op || slice.has(op)) continue;
    if (!isArithmetic(op, table.get(op.name))) return undefined;
    slice.add(op);
    work.push(...op.operands);
  }
  return follows ? slice : undefined;
};

const isArithmetic = (op: Op, def: OpDef | undefined): boolean =>
  places.has(op.name) ||
  (op.regions.length === 0 &&
    (def?.traits.elementwise === true || def?.traits.constant === true) &&
    def.traits.mayTrap !== true);

const places = new Set(['snode.index', 'snode.clamp', 'snode.extract']);

const withPrefetches = (loop: Op, lookups: readonly Known[], ctx: RewriteContext): Replacement => {
  const [body] = loop.regions;
  const [counter] = body.params;
  const { ops } = ctx.build((b) => {
    const later = b.add(counter, b.mul(loop.operands[2], b.constant(AHEAD, counter.type)));
    for (const known of lookups) appendPrefetch(b, known, body, new Map([[counter.id, later]]), ctx.ids);
  });
  return {
    ops: [opWith(loop, { regions: [{ params: body.params, ops: [...ops, ...body.ops] }] })],
    values: loop.results,
  };
};

const appendPrefetch = (
  b: Builder,
  { lookup, coordinates, slice }: Known,
  body: Region,
  later: Substitution,
  ids: IdSource,
): void => {
  const inOrder: Op[] = [];
  walk(body, (op) => void (slice.has(op) && inOrder.push(withoutPromise(op))));
  const { ops, values } = cloneOps(inOrder, ids, later);
  for (const op of ops) b.append(op);
  const there = coordinates.map((c) => values.get(c.id) ?? c);
  b.op('snode.prefetch', there, { node: lookup.attrs.node });
};

/** What is promised of a digit need not hold of a later one. */
const withoutPromise = (op: Op): Op => (op.name === 'snode.index' ? opWith(op, { name: 'arith.add', attrs: {} }) : op);
