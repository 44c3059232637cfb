import {
  makeOp,
  rewriteOps,
  substituteOperands,
  walk,
  makeValue,
  opWith,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { nodeOf } from '../../layout/layout.js';
import { within } from '../snode-ranges.js';
import { nodeStorage, SLACK, type Storage } from '../../storage/storage.js';
import type { Footprint } from './effects.js';
import { sliceOf, withoutPromise } from './slice.js';
import { numberOf } from './number-of.js';
import { rangesOf } from './ranges.js';

/**
 * Reads what lies beyond the ends of a row before the loop over the row (the peeling of thesis §4.2, without the peeled
 * iterations). For index + c, with the index running over a row of a block, all but the first or last c elements are in
 * the row itself, at a fixed distance from the element at the index; each of the others is an element of a neighbouring
 * block. These few are loaded before the loop; inside the loop, the row is read and the right value selected. So the
 * loop stays whole, needs no lookups, and its lanes lie side by side.
 * The read at a fixed distance may leave the row when its value is not selected; it stays within the arena, which has
 * room for that at both ends. That distance needs an index that is inside of the field: what stands for all that is
 * outside lies behind the last row, by itself. A value is only read early if nothing in the same iteration can change it before; other
 * iterations cannot, since those of a `simd` loop are independent.
 */
export const readEdges = (
  kernel: Kernel,
  storage: Storage,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
  footprint: (op: Op) => Footprint,
): Kernel => {
  const ranges = rangesOf(kernel, dialects);
  const isInside: IsInside = (index, extent) => within(ranges.of(index), extent);
  return rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const row = rowOf(op, ctx);
      const reads = row && readsOf(row, storage, footprint, isInside, ctx);
      return reads && ctx.build((b) => rebuild(row, reads, b, ctx));
    },
    buffers,
  );
};

/** Whether an index is in [0, extent) wherever it is visible. */
type IsInside = (index: Value, extent: number) => boolean;

/** An innermost loop over the digits of a row. */
interface Row {
  readonly loop: Op;
  readonly from: number;
  readonly to: number;
  /** Ops within it in program order, and the op that defines a value. */
  readonly order: ReadonlyMap<Op, number>;
  readonly inside: ReadonlyMap<number, Op>;
}

/** A load from index + plus. */
interface Read {
  readonly load: Op;
  readonly index: Value;
  readonly sums: ReadonlySet<number>;
  readonly plus: number;
  /** Ops within the loop that find the cell, in order. */
  readonly slice: readonly Op[];
  /** The lookup of the cell, and how far it is to the cell that the index itself would find. */
  readonly cell: Value;
  readonly bytes: number;
  /** Digits at which index + plus is beyond the row. */
  readonly edges: readonly number[];
}

/** The longest body in which it is worth looking. */
const MAX_OPS = 20000;

const rowOf = (loop: Op, ctx: RewriteContext): Row | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs.simd !== true || loop.attrs.parallel === true || loop.results.length > 0)
    return undefined;
  const [from, to, step] = loop.operands.map((v) => numberOf(ctx.definition(v)));
  if (from === undefined || to === undefined || step !== 1) return undefined;
  const order = new Map<Op, number>();
  const inside = new Map<number, Op>();
  let innermost = true;
  walk(loop.regions[0], (op) => {
    if (op.name === 'scf.for' || op.name === 'scf.while') innermost = false;
    order.set(op, order.size);
    for (const r of op.results) inside.set(r.id, op);
  });
  return innermost && order.size <= MAX_OPS ? { loop, from, to, order, inside } : undefined;
};

/** Loads that may reach beyond the row; undefined if there are none, or if something other than a load does. */
const readsOf = (
  row: Row,
  storage: Storage,
  footprint: (op: Op) => Footprint,
  isInside: IsInside,
  ctx: RewriteContext,
): readonly Read[] | undefined => {
  const { loop, inside } = row;
  const [counter] = loop.regions[0].params;
  /* Values that are index + a number, and which. */
  const sums = new Map<number, Sum>();
  const number = (v: Value): number | undefined => numberOf(inside.get(v.id) ?? ctx.definition(v));
  const reads: Read[] = [];
  const beyond = new Set<Op>();
  const written = new Set<string>();
  const activated = new Set<number>();
  walk(loop.regions[0], (op) => {
    const sum = sumOf(op, counter, sums, number);
    if (sum) sums.set(op.results[0].id, sum);
    else if (op.operands.some((v) => leaves(row, sums.get(v.id)))) beyond.add(op);
    if (op.name === 'snode.load') {
      const read = readOf(op, row, sums, isInside, storage);
      const field = nodeOf(storage.layout, op)!.field!.name;
      if (read && !written.has(field) && !nodesOf(storage, read.slice).some((n) => activated.has(n))) reads.push(read);
    }
    if (op.regions.length > 0) return;
    const { writes, activates, deactivates } = footprint(op);
    for (const name of writes) written.add(name);
    for (const n of activates) activated.add(n);
    for (const n of deactivates) activated.add(n);
  });
  for (const { slice } of reads) for (const op of slice) beyond.delete(op);
  return reads.length > 0 && beyond.size === 0 ? reads : undefined;
};

interface Sum {
  readonly index: Value;
  readonly unit: number;
  readonly plus: number;
}

const sumOf = (
  op: Op,
  counter: Value,
  sums: ReadonlyMap<number, Sum>,
  number: (v: Value) => number | undefined,
): Sum | undefined => {
  const [x, y] = op.operands;
  if (op.name === 'snode.index')
    return y.id === counter.id ? { index: op.results[0], unit: Number(op.attrs.unit), plus: 0 } : undefined;
  if (op.name !== 'arith.add' && op.name !== 'arith.sub') return undefined;
  const [left, right] = [sums.get(x.id), sums.get(y.id)];
  const [first, second] = [number(x), number(y)];
  if (left && second !== undefined)
    return { ...left, plus: op.name === 'arith.add' ? left.plus + second : left.plus - second };
  return right && first !== undefined && op.name === 'arith.add' ? { ...right, plus: right.plus + first } : undefined;
};

/** Whether a sum is beyond the row for some digit. */
const leaves = ({ from, to }: Row, sum: Sum | undefined): boolean =>
  sum !== undefined && (from + sum.plus < 0 || to + sum.plus > sum.unit);

const readOf = (
  load: Op,
  row: Row,
  sums: ReadonlyMap<number, Sum>,
  isInside: IsInside,
  storage: Storage,
): Read | undefined => {
  const slice = sliceOf(load, row.inside);
  if (!slice) return undefined;
  const ordered = [...slice].sort((x, y) => row.order.get(x)! - row.order.get(y)!);
  const inSlice = new Map(ordered.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  /* What takes the index, or a sum, for more than a sum. */
  const taken = ordered.flatMap((op) =>
    sums.has(op.results[0].id) ? [] : op.operands.flatMap((v) => (sums.has(v.id) ? [{ op, v }] : [])),
  );
  if (taken.length === 0) return undefined;
  const sum = sums.get(taken[0].v.id)!;
  const same = taken.every(({ v }) => {
    const s = sums.get(v.id)!;
    return s.index.id === sum.index.id && s.plus === sum.plus;
  });
  if (!same || !leaves(row, sum)) return undefined;
  const distance = distanceOf(load, ordered, inSlice, sum, sums, isInside, storage);
  const edges = digitsBeyond(row, sum);
  if (!distance || Math.abs(distance.bytes) > SLACK || 2 * edges.length > row.to - row.from) return undefined;
  return {
    load,
    index: sum.index,
    sums: new Set(taken.map(({ v }) => v.id)),
    plus: sum.plus,
    slice: ordered,
    edges,
    ...distance,
  };
};

const digitsBeyond = ({ from, to }: Row, { plus, unit }: Sum): readonly number[] =>
  Array.from({ length: to - from }, (_, n) => from + n).filter((digit) => digit + plus < 0 || digit + plus >= unit);

/**
 * The cell that holds the value, and the bytes by which it moves away from the cell at the index. There are such bytes
 * if a sum numbers the cells of the last node in a row, the index is inside of the field, and everything else that
 * depends on it is constant within the row.
 */
const distanceOf = (
  load: Op,
  slice: readonly Op[],
  inSlice: ReadonlyMap<number, Op>,
  { index, unit, plus }: Sum,
  sums: ReadonlyMap<number, Sum>,
  isInside: IsInside,
  storage: Storage,
): { readonly cell: Value; readonly bytes: number } | undefined => {
  const child = inSlice.get(load.operands[0].id);
  const lookup = child?.name === 'snode.child' ? inSlice.get(child.operands[0].id) : undefined;
  if (lookup?.name !== 'snode.lookup') return undefined;
  const at = nodeStorage(storage, lookup);
  const number = lookup.operands[1] && inSlice.get(lookup.operands[1].id);
  if (number?.name !== 'snode.linearize' || at.pool || at.length !== undefined || at.node.morton) return undefined;
  /* Values that differ by the number added from one end of the row to the other: clamped, or the digit. */
  const clamped = new Set<number>(sums.keys());
  let digits = 0;
  let axis = -1;
  for (const op of slice) {
    const [operand] = op.operands;
    const own = op.results[0].id;
    if (sums.has(own)) continue;
    const uses = op.operands.filter((v) => clamped.has(v.id));
    if (uses.length === 0) continue;
    if (op.name === 'snode.inside') continue;
    if (op.name === 'snode.clamp') {
      if (!isInside(index, Number(op.attrs.extent))) return undefined;
      clamped.add(own);
    } else if (op.name !== 'snode.extract') return undefined;
    else {
      const [below, extent] = [Number(op.attrs.below), Number(op.attrs.extent)];
      if (below % unit === 0) continue;
      if (below !== 1 || extent % unit !== 0 || !clamped.has(operand.id)) return undefined;
      const users = slice.filter((other) => other.operands.some((v) => v.id === own));
      if (users.length !== 1 || users[0] !== number) return undefined;
      digits++;
      axis = number.operands.findIndex((v) => v.id === own);
    }
  }
  if (digits !== 1) return undefined;
  return { cell: lookup.results[0], bytes: plus * at.strides[at.node.axes[axis]] * at.cellBytes };
};

const rebuild = ({ loop }: Row, reads: readonly Read[], b: Builder, ctx: RewriteContext): readonly Value[] => {
  const [counter] = loop.regions[0].params;
  const before = new Map<number, Early>();
  const early = (digit: number): Early => {
    const known = before.get(digit) ?? new Early(digit, counter, b, ctx);
    before.set(digit, known);
    return known;
  };
  const values = new Map(reads.map((r) => [r.load, r.edges.map((digit) => [digit, early(digit).load(r)] as const)]));
  const plans = new Map(reads.map((r) => [r.load, r]));
  const isAt = new Map<number, Value>();
  const region = (r: Region, first: boolean): Region => ({
    params: r.params,
    ops: b.collect(() => {
      if (first) for (const digit of before.keys()) isAt.set(digit, b.cmp('eq', counter, b.i32(digit)));
      for (const op of r.ops) {
        const read = plans.get(op);
        if (read) selected(read, values.get(op)!, isAt, b, ctx);
        else
          b.append(
            op.regions.length === 0 ? op : opWith(op, { regions: op.regions.map((inner) => region(inner, false)) }),
          );
      }
      return [];
    }).ops,
  });
  const slices = new Set(reads.flatMap((r) => r.slice));
  b.append(opWith(loop, { regions: [withoutUnused(region(loop.regions[0], true), slices, new Set())] }));
  return [];
};

/** A region without those of some ops that nothing uses any more; `used` gets what the region uses. */
const withoutUnused = (region: Region, some: ReadonlySet<Op>, used: Set<number>): Region => {
  const kept: Op[] = [];
  for (const op of [...region.ops].reverse()) {
    if (some.has(op) && !op.results.some((r) => used.has(r.id))) continue;
    const regions = op.regions.map((r) => withoutUnused(r, some, used));
    for (const v of op.operands) used.add(v.id);
    kept.push(op.regions.length === 0 ? op : opWith(op, { regions }));
  }
  return { params: region.params, ops: kept.reverse() };
};

/** Loads of one iteration before the loop. */
class Early {
  private readonly values = new Map<number, Value>();

  constructor(
    digit: number,
    counter: Value,
    private readonly b: Builder,
    private readonly ctx: RewriteContext,
  ) {
    this.values.set(counter.id, b.constant(digit, counter.type));
  }

  load({ load, slice }: Read): Value {
    for (const op of slice) if (!this.values.has(op.results[0].id)) this.copy(op);
    return this.copy(load);
  }

  private copy(op: Op): Value {
    const results = op.results.map((r) => makeValue(this.ctx.ids.next(), r.type, r.hint));
    this.b.append(opWith(withoutPromise(substituteOperands(op, this.values)), { results }));
    op.results.forEach((r, n) => this.values.set(r.id, results[n]));
    return results[0];
  }
}

/** The load at a fixed distance from the element of the index, and the selection. */
const selected = (
  { load, index, sums, slice, cell, bytes }: Read,
  values: readonly (readonly [digit: number, value: Value])[],
  isAt: ReadonlyMap<number, Value>,
  b: Builder,
  ctx: RewriteContext,
): void => {
  const now = new Map<number, Value>([...sums].map((id) => [id, index]));
  const fresh = (op: Op): readonly Value[] => op.results.map((r) => makeValue(ctx.ids.next(), r.type, r.hint));
  for (const op of slice) {
    if (op.results.some((r) => now.has(r.id)) || !op.operands.some((v) => now.has(v.id))) continue;
    const results = fresh(op);
    b.append(opWith(substituteOperands(op, now), { results }));
    op.results.forEach((r, n) => now.set(r.id, results[n]));
    if (op.results[0].id === cell.id) now.set(cell.id, b.value('snode.offset', results, { bytes }));
  }
  const results = fresh(load);
  b.append(opWith(substituteOperands(load, now), { results }));
  values.reduce((other, [digit, value], n) => {
    /* What the last one selects is what the load was. */
    const [made] = n === values.length - 1 ? load.results : fresh(load);
    const operands = [isAt.get(digit)!, value, other];
    b.append(makeOp('arith.select', operands, [made], {}, [], undefined));
    return made;
  }, results[0]);
};

const nodesOf = ({ layout }: Storage, slice: readonly Op[]): readonly number[] =>
  slice.filter((op) => op.name === 'snode.lookup').map((op) => nodeOf(layout, op)!.id);
