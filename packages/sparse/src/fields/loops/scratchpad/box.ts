import type { Value } from '@filigree/ir';
import type { Emit } from '../../access/lower/address.js';
import { extract } from '../../access/lower/digits.js';
import { extentAlong } from '../../access/path.js';
import { axesOf, isSparse, pathTo } from '../../layout/layout.js';
import { elementsBelow } from '../../storage/storage.js';
import { loop } from '../loop.js';
import type { Pad } from './pads.js';

type Visit = (coordinates: readonly Value[], n: Value) => void;

/**
 * Runs `visit` for each element of the box of a pad, with its coordinates and its place in the pad. Goes block by
 * block, so that there is one lookup for each block that the box touches; where the box sticks out of the field,
 * element by element, as accesses out of bounds do.
 *
 * @param bases the sums of the terms of the box's sides
 * @param isUsed says of a place whether the element is to be active: then `visit` is to write it, and only blocks with one
 *   that is used are visited
 */
export const overBox = (
  e: Emit,
  pad: Pad,
  bases: readonly Value[],
  isUsed: ((n: Value) => Value) | undefined,
  visit: Visit,
): void => {
  const { b, storage } = e;
  const axes = axesOf(storage.layout, pad.node);
  const origins = pad.box.map((side, n) => (side.lo === 0 ? bases[n] : b.add(bases[n], b.i32(side.lo))));
  const single = (): void => elementByElement(e, pad, origins, visit);
  if (storage.nodes[pad.node].node.parent === 0 && !storage.nodes[pad.node].pool) return single();
  const tests = axes.flatMap((axis, n) => {
    const extent = extentAlong(storage.layout, pad.node, axis);
    return extent === undefined
      ? []
      : [b.cmp('ge', origins[n], b.i32(0)), b.cmp('le', origins[n], b.i32(extent - pad.box[n].extent))];
  });
  const blocks = (): void => blockByBlock(e, pad, origins, isUsed, visit);
  if (tests.length === 0) return blocks();
  b.if(tests.reduce(b.and), blocks, single);
};

/** The same element by element, these divided among a team. */
export const overBoxByTeam = ({ b }: Emit, pad: Pad, bases: readonly Value[], visit: Visit): void => {
  const below = pad.box.map((_, n) => pad.box.slice(n + 1).reduce((x, side) => x * side.extent, 1));
  loop(
    b,
    b.i32(pad.box.reduce((x, side) => x * side.extent, 1)),
    (number) => {
      const digits = pad.box.map((side, n) => extract(b, number, below[n], n === 0 ? 0 : side.extent, false));
      const coordinates = digits.map((d, n) => {
        const at = b.add(bases[n], d);
        return pad.box[n].lo === 0 ? at : b.add(at, b.i32(pad.box[n].lo));
      });
      const place = digits.reduce<Value | undefined>(
        (sum, d, n) => plusTimes({ b }, sum, d, pad.strides[n]),
        undefined,
      );
      visit(coordinates, place ?? b.i32(0));
    },
    { attrs: { team: true } },
  );
};

const elementByElement = ({ b }: Emit, pad: Pad, origins: readonly Value[], visit: Visit): void => {
  const nest = (coordinates: readonly Value[], place: Value | undefined): void => {
    const n = coordinates.length;
    if (n === pad.box.length) return visit(coordinates, place ?? b.i32(0));
    loop(b, b.i32(pad.box[n].extent), (d) =>
      nest([...coordinates, b.add(origins[n], d)], plusTimes({ b }, place, d, pad.strides[n])),
    );
  };
  nest([], undefined);
};

/** A part of a box that lies in one block of its node along one axis. */
interface Part {
  /** Number of the block along the axis, and the coordinate of its first element. */
  readonly block: Value;
  readonly base: Value;
  /** Digits of the elements in the block that are in the box: from `from` to below `to`. */
  readonly from: Value;
  readonly to: Value;
  /** Place in the pad of the block's first element, along this axis; negative where that is not in the box. */
  readonly place: Value;
}

const blockByBlock = (
  e: Emit,
  pad: Pad,
  origins: readonly Value[],
  isUsed: ((n: Value) => Value) | undefined,
  visit: Visit,
): void => {
  const { b, storage } = e;
  const { layout } = storage;
  const at = storage.nodes[pad.node];
  const axes = axesOf(layout, pad.node);
  const units = axes.map((axis) => (at.pool ? 1 : at.node.extents[axis]));
  const signed = axes.map((axis) => extentAlong(layout, pad.node, axis) === undefined);
  const overBlocks = (parts: readonly Part[]): void => {
    const n = parts.length;
    if (n === axes.length) return overBlock(e, pad, parts, units, isUsed, visit);
    const unit = units[n];
    const end = b.add(origins[n], b.i32(pad.box[n].extent));
    const [first, last] = [origins[n], b.sub(end, b.i32(1))].map((x) => extract(b, x, unit, 0, signed[n]));
    loop(
      b,
      b.add(last, b.i32(1)),
      (number) => {
        const extent = extentAlong(layout, pad.node, axes[n]);
        const block =
          extent === undefined
            ? number
            : b.value('snode.index', [number, b.i32(0)], { unit: 1, lo: 0, hi: extent / unit });
        const base = unit === 1 ? block : b.mul(block, b.i32(unit));
        const from = b.max(b.sub(origins[n], base), b.i32(0));
        const to = b.min(b.sub(end, base), b.i32(unit));
        overBlocks([...parts, { block, base, from, to, place: b.sub(base, origins[n]) }]);
      },
      { from: first, hint: 'block' },
    );
  };
  overBlocks([]);
};

const overBlock = (
  e: Emit,
  pad: Pad,
  parts: readonly Part[],
  units: readonly number[],
  isUsed: ((n: Value) => Value) | undefined,
  visit: Visit,
): void => {
  const { b, storage } = e;
  const { layout } = storage;
  const axes = axesOf(layout, pad.node);
  const start = parts.reduce<Value | undefined>(
    (sum, { place }, n) => plusTimes(e, sum, place, pad.strides[n]),
    undefined,
  )!;
  const coordinate = (n: number, digit: Value): Value => {
    const hi = extentAlong(layout, pad.node, axes[n]);
    return b.value('snode.index', [parts[n].base, digit], {
      unit: units[n],
      ...(hi === undefined ? {} : { lo: 0, hi }),
    });
  };
  const elements = (): void => {
    const nest = (coordinates: readonly Value[], place: Value): void => {
      const n = coordinates.length;
      if (n === axes.length) return visit(coordinates, place);
      if (units[n] === 1) return nest([...coordinates, coordinate(n, b.i32(0))], place);
      loop(b, parts[n].to, (d) => nest([...coordinates, coordinate(n, d)], plusTimes(e, place, d, pad.strides[n])), {
        from: parts[n].from,
      });
    };
    nest([], start);
  };
  const around = sparseAround(e, pad.node);
  if (!isUsed || around === undefined) return elements();
  b.if(anyUsed(e, pad, parts, units, start, isUsed), () => {
    const cell = axesOf(layout, around).map((axis) => {
      const n = axes.indexOf(axis);
      const below = elementsBelow(layout, around, pad.node, axis) / units[n];
      return extract(b, parts[n].block, below, 0, extentAlong(layout, pad.node, axis) === undefined);
    });
    b.op('field.activate', cell, { node: layout.nodes[around].name });
    b.op('snode.assume_active', cell, { node: layout.nodes[around].name });
    elements();
  });
};

/** Whether an element of a block is used. */
const anyUsed = (
  { b }: Emit,
  pad: Pad,
  parts: readonly Part[],
  units: readonly number[],
  start: Value,
  isUsed: (n: Value) => Value,
): Value => {
  const nest = (n: number, place: Value, found: Value): Value => {
    if (n === parts.length) return b.or(found, isUsed(place));
    if (units[n] === 1) return nest(n + 1, place, found);
    const { from, to } = parts[n];
    return b.for(from, to, b.i32(1), {}, [found], (d, [so]) =>
      nest(n + 1, plusTimes({ b }, place, d, pad.strides[n]), so),
    )[0];
  };
  return nest(0, start, b.bool(false));
};

/** The innermost node whose cells are to be activated before elements of a node can be written; not a mask's own bits. */
const sparseAround = ({ storage }: Emit, node: number): number | undefined => {
  const { nodes } = storage.layout;
  return [...pathTo(nodes, node)].reverse().find((n) => (n === node ? storage.nodes[n].pool : isSparse(nodes[n])));
};

const plusTimes = ({ b }: Pick<Emit, 'b'>, sum: Value | undefined, value: Value, times: number): Value => {
  const product = times === 1 ? value : b.mul(value, b.i32(times));
  return sum ? b.add(sum, product) : product;
};
