import {
  inversePredicate,
  mirroredPredicate,
  Builder,
  cloneOps,
  type IdSource,
  type Op,
  type OpTable,
  type Value,
} from '@filigree/ir';
import { clone } from '../clone.js';
import { EDGE, runsInAnyOrder } from './any-order.js';
import { saidBy, type Fact } from '../indices/conjuncts.js';
import { cutAtClamps } from './cut-clamps.js';
import { asValue, endOf, FAR, further, gap, greatest, least, narrowedBy, startOf, type At, type Between, type Limit, type Place } from './limits.js'; // prettier-ignore
import { outOfBranches } from './out-of-branches.js';
import { flatOf, isTaps, onlyReads, sameIn, withInner, type NestSetting, type Same } from './same.js';

/** Loops within one another, and what is in the innermost of them. */
export interface Nest {
  readonly loops: readonly Op[];
  /** What is in them all, as if it were in the innermost. Branches only read; loops only read and add to elements. */
  readonly ops: readonly Op[];
  /** Between which limits iterations of each loop do something; nothing where these are not the same for all. */
  readonly box: readonly Between[] | undefined;
  /** Whether these are fewer than the loops say. */
  readonly isNarrowed: boolean;
  /** Whether it has branches, so that what an iteration does not write may be outside of a field. */
  readonly hasBranches: boolean;
  readonly same: Same;
}

/** A nest before what its branches write is taken out of them. */
interface Straight {
  readonly loops: readonly Op[];
  readonly ops: readonly Op[];
}

/** The nests that a loop is, of most loops first; none where there is more in it than one loop, whose iterations may run in any order, what this needs, and loops that an iteration is made of. */
export const nestsOf = (loop: Op, s: NestSetting): readonly Straight[] => straight(loop, s.table);

/** A nest, in the part of its box in which it does something. */
export const nestOf = (nest: Straight, s: NestSetting): Nest | undefined => flattened(narrowed(nest, s), s);

const flattened = (nest: Narrowed, s: NestSetting): Nest | undefined => {
  const ops = outOfBranches(nest.ops, s.table, s.ids, true);
  const hasBranches = withInner(nest.ops).some(({ name }) => name === 'scf.if');
  return ops && { ...nest, ops, hasBranches, same: sameIn(nest.loops, ops, s) };
};

/** The inner part of a nest, where what keeps indices within a field does nothing, see `cutAtClamps`, and the same as it was in what is around that. */
export const cutNestOf = (
  nest: Straight,
  s: NestSetting,
): { readonly inner: Nest; readonly edges: readonly Op[] } | undefined => {
  const { box, ...found } = narrowed(nest, s);
  const { loops, ops } = found;
  if (!box) return undefined;
  const counters = loops.map(({ regions: [{ params }] }) => params[0]);
  const same = sameIn(loops, ops, s);
  const cut = cutAtClamps(counters, box, ops, same, s.ids);
  const inner = cut && flattened({ ...found, ops: cut.ops, box: cut.inner, isNarrowed: true }, s);
  return inner && { inner, edges: edgesOver(loops, box, cut.inner, ops, s) };
};

/** The parts of a box outside of its inner part: along each axis what comes before and behind, of what lies between along those before it. */
const edgesOver = (
  loops: readonly Op[],
  whole: readonly Between[],
  inner: readonly Between[],
  ops: readonly Op[],
  { table, ids }: NestSetting,
): readonly Op[] => {
  const b = new Builder(table, new Map(), ids);
  const nestOver = (box: readonly (readonly [At, At])[]): void => {
    if (box.some(([from, to]) => typeof from === 'number' && typeof to === 'number' && from >= to)) return;
    const along = (counters: readonly Value[]): void => {
      const d = counters.length;
      if (d === loops.length) {
        const start = new Map(loops.map(({ regions: [{ params }] }, n) => [params[0].id, counters[n]]));
        cloneOps(ops.slice(0, -1), ids, start).ops.forEach((op) => b.append(op));
      } else {
        const [from, to] = box[d].map((at) => asValue(b, at));
        b.for(from, to, b.i32(1), { ...loops[d].attrs, ...EDGE }, [], (n) => (along([...counters, n]), []));
      }
    };
    along([]);
  };
  return b.collect(() => {
    b.loc = loops[0].loc;
    const place = placing(ops, b, ids);
    const parts = whole.map((all, d) => {
      const [from, to] = [startOf(b, all, place), endOf(b, all, place)];
      const first = least(b, greatest(b, from, startOf(b, inner[d], place)), to);
      return { from, to, first, end: greatest(b, first, least(b, to, endOf(b, inner[d], place))) };
    });
    parts.forEach(({ from, to, first, end }, d) => {
      for (const part of [[from, first] as const, [end, to] as const])
        nestOver([
          ...parts.slice(0, d).map((p) => [p.first, p.end] as const),
          part,
          ...parts.slice(d + 1).map((p) => [p.from, p.to] as const),
        ]);
    });
  }).ops;
};

/** Computes before a nest what is the same for all its iterations. */
export const placing = (ops: readonly Op[], b: Builder, ids: IdSource): Place => {
  const definitions = new Map(flatOf(ops).flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const moved = new Map<number, Value>();
  const place = (v: Value): Value => {
    const op = definitions.get(v.id);
    if (!op || moved.has(v.id)) return moved.get(v.id) ?? v;
    op.operands.forEach(place);
    const into: Op[] = [];
    clone(op, moved, into, ids);
    into.forEach((made) => b.append(made));
    return moved.get(v.id)!;
  };
  return place;
};

const straight = (loop: Op, table: OpTable): readonly Straight[] => {
  const [{ ops }] = loop.regions;
  const isPart = (op: Op): boolean => op.name === 'scf.if' || isTaps(op) || onlyReads(op, table);
  const at = ops.findIndex((op) => op.regions.length > 0 && op.name !== 'scf.if');
  const whole = { loops: [loop], ops };
  if (at < 0) return [whole];
  const before = ops.slice(0, at);
  const isOne =
    at === ops.length - 2 &&
    runsInAnyOrder(ops[at]) &&
    !before.some((op) => op.regions.length > 0 || table.get(op.name)!.effects(op).length > 0);
  const deeper = isOne ? straight(ops[at], table) : [];
  return [
    ...deeper.map((inner) => ({ loops: [loop, ...inner.loops], ops: [...before, ...inner.ops] })),
    ...(ops.every((op) => op.regions.length === 0 || isPart(op)) ? [whole] : []),
  ];
};

interface Narrowed extends Straight, Pick<Nest, 'box' | 'isNarrowed'> {}

/** A nest all of which is in a branch that is taken within a box, `if (i >= 2 && i < n - 2)`, as the box; of another one as it is. */
const narrowed = ({ loops, ops }: Straight, s: NestSetting): Narrowed => {
  const same = sameIn(loops, ops, s);
  const found = loops.map(same.between);
  const box = found.every((f) => f !== undefined) ? found : undefined;
  const asItIs = { loops, ops, box, isNarrowed: false };
  const branch = ops[ops.length - 2];
  const before = ops.slice(0, -2);
  if (!box || branch?.name !== 'scf.if' || branch.results.length > 0) return asItIs;
  if (!before.every((op) => isPure(op, s.table) || (op.results.length > 0 && op.results.every(same.has))))
    return asItIs;
  const taken = branch.regions.findIndex(({ ops: arm }) => arm.length > 1);
  if (taken < 0 || branch.regions[1 - taken].ops.length > 1) return asItIs;
  const { facts, isAll } = saidBy(branch.operands[0], taken === 0, s.forms.madeBy);
  const within = facts.reduce<readonly Between[] | undefined>((now, f) => now && narrow(now, loops, f, s, same), box);
  if (!isAll || !within) return asItIs;
  return {
    loops,
    ops: [...before, ...branch.regions[taken].ops.slice(0, -1), ops[ops.length - 1]],
    box: within,
    isNarrowed: true,
  };
};

const isPure = (op: Op, table: OpTable): boolean =>
  op.regions.length === 0 && table.get(op.name)!.effects(op).length === 0;

/** A box within which a comparison of a counter with what is the same for all holds; nothing where it says something else. */
const narrow = (
  box: readonly Between[],
  loops: readonly Op[],
  { op, holds }: Fact,
  { forms: { formOf } }: NestSetting,
  same: Same,
): readonly Between[] | undefined => {
  if (op.name !== 'arith.cmp') return undefined;
  const isTurned = same.limitOf(op.operands[0]) !== undefined;
  const [sum, other] = isTurned ? [...op.operands].reverse() : op.operands;
  const [limit, { terms, plus }] = [same.limitOf(other), formOf(sum)];
  const [[id, times]] = terms.size === 1 ? terms : [[-1, 0]];
  const n = loops.findIndex(({ regions: [{ params }] }) => params[0].id === id);
  /* Sums so far out go round, where there are no elements. */
  if (!limit || n < 0 || times !== 1 || Math.abs(plus) >= FAR) return undefined;
  const by = further(limit, -plus);
  const predicate = String(op.attrs.predicate);
  const said = isTurned ? (mirroredPredicate[predicate] ?? '') : predicate;
  const range = narrowedTo(box[n], holds ? said : (inversePredicate[said] ?? ''), by);
  return range && box.with(n, range);
};

const narrowedTo = ({ from, to }: Between, is: string, by: Limit): Between | undefined => {
  if (is === 'lt' || is === 'le') return { from, to: narrowedBy(to, is === 'lt' ? by : further(by, 1), 'to') };
  if (is === 'gt' || is === 'ge') return { from: narrowedBy(from, is === 'gt' ? further(by, 1) : by, 'from'), to };
  if (is !== 'ne') return undefined;
  /* At an end it is one iteration less. */
  const [first, last] = [from.findIndex((l) => gap(by, l) === 0), to.findIndex((l) => gap(by, l) === -1)];
  if (first >= 0) return { from: from.with(first, further(from[first], 1)), to };
  return last >= 0 ? { from, to: to.with(last, further(to[last], -1)) } : undefined;
};

/** What an element is given once is computed by so many ops at most, else summing by atomics is cheaper. */
export const MOST_OPS = 40;
