import { walk, type Attrs, type Buffers, type Builder, type Op, type Scalar, type Value } from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';
import { inBounds } from '../support/bounds.js';
import { loadStoreOf } from '../support/load-store.js';
import type { Facts } from '../support/facts.js';
import { attrsOfParts } from '../support/split-loop.js';

/** A part of a loop whose iterations lanes do together, or those of them of which the mask says so. */
export interface LanesPart {
  readonly from: Value;
  readonly to: Value;
  /** Of lanes, where some do not take part, by the counter. */
  readonly mask?: (counter: Value) => Value;
  /** What is said of the part, where that is not what is said of the loop. */
  readonly attrs?: Attrs;
}

interface Known {
  readonly varying: ReadonlySet<number>;
  readonly facts: Facts;
  readonly buffers: Buffers;
  readonly ranges: () => Ranges;
  readonly constantOf: (v: Value) => Scalar | undefined;
}

/**
 * Whether lanes of a loop go through one in it that begins or ends one iteration later, or earlier, from lane to lane, as down the columns of a triangle, `for j { for i <= j }`. Most
 * iterations are done by all lanes; in the others what lanes read that have ended, or not begun, is dropped, so it must be nothing but reading within bounds and computing.
 *
 * @param readsAlone whether the loop does nothing else
 */
export const goesApart = (loop: Op, inner: Op, known: Known, readsAlone: boolean): boolean => {
  const { varying, facts, ranges, buffers, constantOf } = known;
  const [lower, upper, step] = inner.operands as readonly [Value, Value, Value];
  const varies = (v: Value): boolean => varying.has(v.id);
  if (inner.name !== 'scf.for' || !readsAlone || varies(lower) === varies(upper) || Number(constantOf(step)) !== 1)
    return false;
  const made = slopeOf(loop, varies(lower) ? lower : upper, varying);
  if (!made || (made.op && !ranges().exact(made.op))) return false;
  let within = true;
  walk(inner.regions[0]!, (op) => {
    const access = loadStoreOf(op);
    within &&= !access || !varies(access.index) || inBounds(op, facts, ranges, buffers);
  });
  return within;
};

interface Slope {
  /** What makes the bound of the counter; nothing where it is the counter. */
  readonly op?: Op;
  readonly down: boolean;
}

/** A bound that is a sum of the loop's counter and of what is the same for all lanes. */
const slopeOf = (loop: Op, bound: Value, varying: ReadonlySet<number>): Slope | undefined => {
  const [{ params, ops }] = loop.regions as readonly [Op['regions'][number]];
  const counter = params[0]!.id;
  if (bound.id === counter) return { down: false };
  const op = ops.find(({ results }) => results[0]?.id === bound.id);
  if (op?.name !== 'arith.add' && op?.name !== 'arith.sub') return undefined;
  const at = op.operands.findIndex((v) => v.id === counter);
  return at < 0 || varying.has(op.operands[1 - at]!.id) ? undefined : { op, down: at === 1 && op.name === 'arith.sub' };
};

/**
 * The parts of an inner loop of which `goesApart` is said, in order.
 *
 * @param first the counter of the first lane
 */
export const partsApart = (
  loop: Op,
  inner: Op,
  lanes: number,
  first: Value,
  varying: ReadonlySet<number>,
  b: Builder,
  get: (v: Value) => { readonly scalar?: Value; readonly vector: () => Value },
): readonly LanesPart[] => {
  const [lower, upper] = inner.operands as readonly [Value, Value];
  const begins = varying.has(lower.id);
  const bound = begins ? lower : upper;
  const { op, down } = slopeOf(loop, bound, varying)!;
  const counter = loop.regions[0]!.params[0]!.id;
  const last = b.add(first, b.constant(lanes - 1, first.type));
  const boundAt = (iv: Value): Value => {
    if (!op) return iv;
    const [x, y] = op.operands.map((v) => (v.id === counter ? iv : get(v).scalar!)) as [Value, Value];
    return op.name === 'arith.add' ? b.add(x, y) : b.sub(x, y);
  };
  const [least, most] = down ? [boundAt(last), boundAt(first)] : [boundAt(first), boundAt(last)];
  const bounds = get(bound).vector();
  const mask = (i: Value): Value => b.cmp(begins ? 'ge' : 'lt', b.splat(i, lanes), bounds);
  const attrs = attrsOfParts(inner);
  if (begins) {
    const to = get(upper).scalar!;
    return [
      { from: least, to: b.min(most, to), mask, attrs },
      { from: most, to, attrs },
    ];
  }
  const from = get(lower).scalar!;
  return [
    { from, to: least, attrs },
    { from: b.max(from, least), to: most, mask, attrs },
  ];
};
