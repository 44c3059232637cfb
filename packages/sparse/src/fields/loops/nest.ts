import type { Attrs, Value } from '@filigree/ir';
import { plus, type Address, type Emit } from '../access/lower/address.js';
import { extract } from '../access/lower/digits.js';
import { axisName } from '../layout/axes.js';
import { rare } from '#lowering';
import { baseOf, cellAddress, loadWord, withDigit, type Coordinates } from './cells.js';
import { loop } from './loop.js';
import { boundOf, type Row } from './row.js';
import type { NodeStorage } from '../storage/storage.js';
import type { Loop, Plan } from './plan.js';

/** Where the loops of a plan have come to. */
export interface Place {
  /** Coordinates of the source's cell. */
  readonly source: Coordinates;
  /** Coordinates so far: in the cell space of the node whose loops run, along axes whose loop has begun, else of that above. */
  readonly coordinates: Coordinates;
  /** Digits of that node. */
  readonly digits: Coordinates;
  /** Address of the cell around that node's container. */
  readonly around: Address;
  /** Where a block of digits begins. */
  readonly from: Value | undefined;
  /** Digits of the loops within the task, outermost first. */
  readonly steps: readonly Step[];
}

interface Step {
  readonly loop: Loop;
  readonly digit: Value;
  readonly from: Value | undefined;
}

/** An element that a task has come to. */
export interface Element {
  readonly coordinates: Coordinates;
  readonly steps: readonly Step[];
}

export const startAt = (coordinates: Coordinates, around: Address): Place => ({
  source: coordinates,
  coordinates,
  digits: new Map(),
  around,
  from: undefined,
  steps: [],
});

/** Iterations of the loops that run in parallel. */
export const tasksOf = ({ loops, split }: Plan): number => loops.slice(0, split).reduce((n, l) => n * l.count, 1);

/** The place of a task: its number gives the digits of the loops that run in parallel, the last one's fastest. */
export const enterTask = (e: Emit, plan: Plan, start: Place, task: Value): Place => {
  const counts = plan.loops.slice(0, plan.split).map((l) => l.count);
  const place = counts.reduce((at, count, n) => {
    const below = counts.slice(n + 1).reduce((x, y) => x * y, 1);
    const { at: inner, axis } = plan.loops[n];
    const base = baseOf(e, inner.node, axis, at.coordinates.get(axis));
    return advance(e, plan, n, at, base, extract(e.b, task, below, n === 0 ? 0 : count, false));
  }, start);
  return { ...place, steps: [] };
};

/** Runs `body` for each active element of a task, with its coordinates. */
export const overElements = (
  e: Emit,
  plan: Plan,
  place: Place,
  attrs: Attrs,
  body: (element: Element) => void,
  k = plan.split,
): void => {
  const l = plan.loops[k];
  if (!l) return body({ coordinates: complete(e, plan, place), steps: place.steps });
  const base = baseOf(e, l.at.node, l.axis, place.coordinates.get(l.axis));
  const next = (digit: Value): void =>
    overElements(e, plan, advance(e, plan, k, place, base, digit), attrs, body, k + 1);
  const innermost = k === plan.loops.length - 1;
  const hint = axisName(l.axis);
  const container = plus(place.around, l.at.offset);
  if (innermost && l.at.mask !== undefined) return rare().overMask(e, rowAt(plan, l, place), attrs, hint, next);
  const bound =
    l.at.length === undefined
      ? boundOf(e, { loop: l, from: place.from })
      : lengthOf(e, l.at, container, innermost && plan.snapshot);
  loop(e.b, bound, (iv) => next(within(e, l, place, iv)), { attrs: innermost ? attrs : {}, hint });
};

/** The row of cells that the innermost loop of a plan runs over, where these have a mask. */
const rowAt = (plan: Plan, l: Loop, place: Place): Row => ({
  loop: l,
  digits: place.digits,
  from: place.from,
  mask: plus(plus(place.around, l.at.offset), plan.snapshot ? l.at.snapshot! : l.at.mask!),
});

/**
 * The same, the elements divided among a team: one loop over all that a task may have, in which each is asked whether it is there. Of tasks
 * whose loops have known lengths, or that are a list.
 */
export const overElementsByTeam = (e: Emit, plan: Plan, place: Place, body: (element: Element) => void): void => {
  const { b } = e;
  const inner = plan.loops.slice(plan.split);
  const below = inner.map((_, n) => inner.slice(n + 1).reduce((x, l) => x * l.count, 1));
  const [{ at: first }] = inner;
  loop(
    b,
    first.length === undefined
      ? b.i32(inner.reduce((x, l) => x * l.count, 1))
      : lengthOf(e, first, plus(place.around, first.offset), plan.snapshot),
    (number) => {
      const isThere: Value[] = [];
      const end = inner.reduce((at, l, n) => {
        const own = extract(b, number, below[n], n === 0 ? 0 : l.count, false);
        if (at.from && l.part && l.at.node.extents[l.axis] % l.part.size !== 0)
          isThere.push(b.cmp('lt', own, boundOf(e, { loop: l, from: at.from })));
        const digit = within(e, l, at, own);
        if (n === inner.length - 1 && l.at.mask !== undefined)
          isThere.push(rare().isActiveIn(e, rowAt(plan, l, at), digit));
        return advance(e, plan, plan.split + n, at, baseOf(e, l.at.node, l.axis, at.coordinates.get(l.axis)), digit);
      }, place);
      const visit = (): void => body({ coordinates: complete(e, plan, end), steps: end.steps });
      if (isThere.length === 0) visit();
      else b.if(isThere.reduce(b.and), visit);
    },
    { attrs: { team: true, ...(first.length === undefined ? {} : { trips: USUAL }) }, hint: 'element' },
  );
};

/* Cells of a list, of which nobody knows how many: two for each thread of a warp. */
const USUAL = 64;

/** The place one loop further in. */
const advance = (e: Emit, plan: Plan, k: number, place: Place, base: Value, digit: Value): Place => {
  const { at, axis, part } = plan.loops[k];
  const steps = [...place.steps, { loop: plan.loops[k], digit, from: place.from }];
  if (part?.is === 'blocks') return { ...place, from: e.b.mul(digit, e.b.i32(part.size)) };
  const digits: Coordinates = new Map([...place.digits, [axis, digit]]);
  const coordinates: Coordinates = new Map([...place.coordinates, [axis, withDigit(e, at.node, axis, base, digit)]]);
  if (plan.loops[k + 1]?.at === at) return { ...place, coordinates, digits, steps };
  /* Only the container of the last node is asked for. */
  const last = plan.chain[plan.chain.length - 1];
  const around =
    at === last ? place.around : throughSingles(plan, at, cellAddress(e, plus(place.around, at.offset), at, digits));
  return { ...place, coordinates, digits: new Map(), around, from: undefined, steps };
};

/** The cell around the next node that has loops, through nodes of one cell. */
const throughSingles = (plan: Plan, at: NodeStorage | undefined, cell: Address): Address => {
  let place = cell;
  for (const inner of plan.chain.slice(at ? plan.chain.indexOf(at) + 1 : 0)) {
    if (plan.loops.some((l) => l.at === inner)) return place;
    place = plus(place, inner.offset + inner.firstCell);
  }
  return place;
};

/** The cell around the first node that has loops, from a cell of the plan's source. */
export const firstAround = (plan: Plan, source: Address): Address => throughSingles(plan, undefined, source);

const within = ({ b }: Emit, { part }: Loop, { from }: Place, iv: Value): Value =>
  part?.is === 'within' && from ? b.value('snode.index', [from, iv], { unit: part.size }) : iv;

/** Cells of the list in a container, or those that it had when a loop began. */
export const lengthOf = (e: Emit, at: NodeStorage, container: Address, snapshot = false): Value =>
  e.b.min(loadWord(e, plus(container, snapshot ? at.snapshot! : at.length!)), e.b.i32(at.cells));

/** Coordinates along axes of one cell, along which nothing loops. */
const complete = ({ b }: Emit, plan: Plan, place: Place): Coordinates => {
  const missing = plan.chain.flatMap((at) => at.node.axes).filter((axis) => !place.coordinates.has(axis));
  return new Map([...place.coordinates, ...missing.map((axis) => [axis, b.i32(0)] as const)]);
};

/** The first coordinate of a task's elements along an axis. */
export const firstOf = ({ b }: Emit, plan: Plan, place: Place, axis: number): Value => {
  const inner = plan.loops.slice(plan.split).filter((l) => l.axis === axis && l.at.length === undefined);
  return inner.reduce<Value>(
    (first, { at, part }) => {
      const base = b.mul(first, b.i32(at.node.extents[axis]));
      return part && place.from ? b.add(base, place.from) : base;
    },
    place.coordinates.get(axis) ?? b.i32(0),
  );
};

/** What is added to that: made of the digits of the loops within the task. */
export const addedOf = ({ b }: Emit, { steps }: Element, axis: number): Value =>
  steps
    .filter(({ loop: l }) => l.axis === axis)
    .reduce<Value | undefined>((sum, { loop: { at, part }, digit, from }) => {
      const own = part && from ? b.sub(digit, from) : digit;
      return sum ? b.add(b.mul(sum, b.i32(at.node.extents[axis])), own) : own;
    }, undefined) ?? b.i32(0);
