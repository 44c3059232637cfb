import {
  definitions,
  opWith,
  walk,
  type Builder,
  type Op,
  type OpTable,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { elementOf, isSparse, type Layout, type PlacedField, type SNode } from '@filigree/sparse/fields';
import { notInWords } from './lanes.js';

/** Ranges, one within the other, that together go through elements of a bit array: `ndrange` with bounds that are known. */
export interface Box {
  readonly array: SNode;
  /** The loops, the outermost first. */
  readonly loops: readonly Op[];
  /** What each loop counts, as a coordinate of elements and so much. */
  readonly counted: ReadonlyMap<number, { readonly axis: number; readonly plus: number }>;
  /** Along each axis the first element, the first that is behind, and how many there are in the array. */
  readonly sides: readonly { readonly from: number; readonly to: number; readonly extent: number }[];
}

/**
 * The box of a loop over a range that writes elements of a bit array which it counts; nothing where it does not. Ends the attempt where it does, and cannot be
 * told to be a loop over active elements.
 */
export const boxOf = (
  layout: Layout,
  table: OpTable,
  loop: Op,
  defined: (v: Value) => Op | undefined,
): Box | undefined => {
  const within = definitions(loop.regions[0]);
  const definition = (v: Value): Op | undefined => within.get(v.id) ?? defined(v);
  const written = writtenIn(layout, table, loop.regions[0]);
  for (const { placed, index } of written) {
    const loops = nestOf(table, loop, index.length);
    const counters = loops.map((l) => counterOf(l).id);
    const counts = index.map((v) => countOf(v, counters, definition));
    if (counts.some((c) => c === undefined) || new Set(counts.map((c) => c!.counter)).size < index.length) continue;
    const array = layout.nodes[placed.path[placed.path.length - 2]];
    if (placed.path.some((n) => isSparse(layout.nodes[n])))
      return notInWords(`field '${placed.field.name}' may be inactive, and the loop goes through all of a range`);
    const sides = counts.map((c, axis) => {
      const [first, behind, step] = loops[counters.indexOf(c!.counter)].operands.map((v) => numberOf(v, definition));
      if (first === undefined || behind === undefined || step !== 1)
        return notInWords('it has a range whose bounds are not known, or with steps');
      const side = { from: first + c!.plus, to: behind + c!.plus, extent: placed.extents[axis] };
      if (side.from < 0 || side.to > side.extent)
        notInWords(`it has a range that goes beyond field '${placed.field.name}'`);
      return side;
    });
    const words = sides.reduce((n, s) => n * s.extent, 1) / array.axes.reduce((n, a) => n * array.extents[a], 1);
    if (sides.reduce((n, s) => n * Math.max(0, s.to - s.from), 1) < words)
      return notInWords(`it has ranges of fewer elements than field '${placed.field.name}' has words`);
    const counted = new Map(counts.map((c, axis) => [c!.counter, { axis, plus: 0 - c!.plus }]));
    return { array, loops, counted, sides };
  }
  return undefined;
};

/**
 * A loop over the active elements of the array, of which there are no others, that does what the ranges do, if they go through most of them in no order: whoever
 * visits an element of a word then visits all, one after the other, and writes them with no others beside.
 */
export const overElements = ({ array, loops, counted, sides }: Box, ctx: RewriteContext): Op | undefined => {
  const [loop, ...inner] = loops;
  const many = sides.reduce((n, { from, to }) => n * (to - from), 1);
  if (2 * many < sides.reduce((n, s) => n * s.extent, 1)) return undefined;
  if (inner.some(({ attrs }) => attrs.simd !== true)) return undefined;
  const params = sides.map((_, axis) => counterOf(loops.find((l) => counted.get(counterOf(l).id)!.axis === axis)!));
  if (params.some(({ id, type }) => counted.get(id)!.plus !== 0 || type !== 'i32')) return undefined;
  const body = loops.flatMap(({ regions: [{ ops }] }, k) =>
    ops.filter((op) => op !== inner[k] && op.name !== 'scf.yield'),
  );
  const around = (b: Builder): void => {
    const ends = sides.flatMap(({ from, to, extent }, axis) => [
      ...(from > 0 ? [b.cmp('ge', params[axis], b.i32(from))] : []),
      ...(to < extent ? [b.cmp('lt', params[axis], b.i32(to))] : []),
    ]);
    const put = (): void => body.forEach((op) => b.append(op));
    if (ends.length === 0) put();
    else b.if(ends.reduce(b.and), put);
  };
  const { parallel: _parallel, simd: _simd, ...attrs } = loop.attrs;
  return opWith(loop, {
    name: 'field.for',
    operands: [],
    attrs: { ...attrs, node: array.name },
    regions: [{ params, ops: regionOf(ctx, around).ops }],
  });
};

const regionOf = (ctx: RewriteContext, body: (b: Builder) => void): Region => {
  let made: Region | undefined;
  ctx.build((b) => {
    made = b.region([], () => {
      body(b);
      return [];
    }).region;
  });
  return made!;
};

const counterOf = ({ regions: [{ params }] }: Op): Value => params[0];

/** Elements of bit arrays that are written somewhere in a region. */
const writtenIn = (layout: Layout, table: OpTable, region: Region) => {
  const found: { readonly placed: PlacedField; readonly index: readonly Value[] }[] = [];
  walk(region, (op) => {
    const element = elementOf(layout, op);
    if (!element || layout.nodes[element.placed.path[element.placed.path.length - 2]]?.kind !== 'bits') return;
    if (
      table
        .get(op.name)!
        .effects(op)
        .some((e) => e.kind !== 'read')
    )
      found.push(element);
  });
  return found;
};

/** A loop and the loops within it, as long as they hold nothing else that does anything. */
const nestOf = (table: OpTable, loop: Op, most: number): readonly Op[] => {
  if (most === 1) return [loop];
  const busy = loop.regions[0].ops.filter(
    (op) => op.name !== 'scf.yield' && (op.regions.length > 0 || table.get(op.name)?.effects(op).length !== 0),
  );
  const [inner] = busy;
  return busy.length === 1 && inner.name === 'scf.for' && inner.results.length === 0
    ? [loop, ...nestOf(table, inner, most - 1)]
    : [loop];
};

type Definition = (v: Value) => Op | undefined;

/** A value as what a loop counts, and so much. */
const countOf = (
  v: Value,
  counters: readonly number[],
  definition: Definition,
): { readonly counter: number; readonly plus: number } | undefined => {
  if (counters.includes(v.id)) return { counter: v.id, plus: 0 };
  const op = definition(v);
  if (op?.name !== 'arith.add' && op?.name !== 'arith.sub') return undefined;
  const [x, y] = op.operands;
  const moved = (counted: Value, by: number | undefined) => {
    const count = by === undefined ? undefined : countOf(counted, counters, definition);
    return count && { ...count, plus: count.plus + by! };
  };
  const by = numberOf(y, definition);
  if (op.name === 'arith.sub') return moved(x, by === undefined ? undefined : -by);
  return moved(x, by) ?? moved(y, numberOf(x, definition));
};

const numberOf = (v: Value, definition: Definition): number | undefined => {
  const op = definition(v);
  return op?.name === 'arith.constant' ? Number(op.attrs.value) : undefined;
};
