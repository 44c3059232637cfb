import type { Label, Parallel, Place } from './code/code.js';
import type { Origin } from './code/origin.js';
import type { Interval, Scalar, Temp } from './code/scalar.js';

/**
 * Elements that one iteration of a parallel loop writes and another one reads, of those whose indices are loop variables and sums of
 * these with numbers, `u[i] = u[i - 1] + 1`, or numbers, `u[i] -= u[0]`. Accesses in branches count where these compare loop variables with numbers, and so
 * leave a box of iterations; other branches may choose iterations that are apart, as every second one.
 */
export class Neighbours {
  private readonly shifts = new Map<Temp, Shift>();
  private readonly conditions = new Map<Temp, Condition>();
  private readonly loads = new Map<string, Map<string, Access>>();
  private readonly stores = new Map<string, Map<string, Access>>();
  /** The iterations that come here; undefined where that is not known. */
  private box: Box | undefined;
  /** What some iterations have left before. */
  private left = new Set<Label>();

  constructor(
    private readonly loop: Parallel,
    /** Whether something is the same in all iterations. */
    private readonly isSame: (s: Scalar) => boolean,
  ) {
    this.box = loop.variables.map((v, axis) => v.within ?? this.between(axis));
    loop.variables.forEach((v, axis) => this.shifts.set(v, { axis, by: 0 }));
  }

  computed(to: Temp, operator: string, [a, b]: readonly Scalar[]): void {
    const [of, n, reversed] = this.shiftOf(a) ? [this.shiftOf(a), b, false] : [this.shiftOf(b), a, true];
    const by = numberOf(n);
    if (of && operator === 'cast') this.shifts.set(to, of);
    if (of && by !== undefined && (operator === 'add' || (operator === 'sub' && !reversed)))
      this.shifts.set(to, { ...of, by: of.by + (operator === 'add' ? by : -by) });
    const order = orders[operator];
    if (of && by !== undefined && order) this.conditions.set(to, compared(of, order, reversed, by));
    if (operator !== 'and' && operator !== 'or' && operator !== 'not') return;
    const [p, q] = [this.conditionOf(a), b ? this.conditionOf(b) : ALWAYS];
    if (operator === 'not') this.conditions.set(to, { holds: p.fails, fails: p.holds });
    else if (operator === 'and') this.conditions.set(to, { holds: both(p.holds, q.holds), fails: undefined });
    else this.conditions.set(to, { holds: undefined, fails: both(p.fails, q.fails) });
  }

  /** What runs where a condition holds and where it does not; what comes then is run by those that did not leave. */
  branches(condition: Scalar, then: () => void, otherwise: () => void): void {
    const { box, left } = this;
    const { holds, fails } = this.conditionOf(condition);
    const [yes, no] = [within(box, holds), within(box, fails)];
    const leftBy = (from: Box | undefined, run: () => void): ReadonlySet<Label> => {
      this.box = from;
      this.left = new Set();
      run();
      return this.left;
    };
    const [first, second] = [leftBy(yes, then), leftBy(no, otherwise)];
    this.box = first.size === 0 ? (second.size === 0 ? box : yes) : second.size === 0 ? no : undefined;
    this.left = new Set([...left, ...first, ...second]);
  }

  /** What may be left by this label. */
  block(label: Label, run: () => void): void {
    const { box } = this;
    run();
    this.left.delete(label);
    if (this.left.size === 0) this.box = box;
  }

  exit(label: Label): void {
    this.left.add(label);
    this.box = undefined;
  }

  load(place: Place, at: Origin): void {
    this.note(this.loads, place, at);
  }

  store(place: Place, at: Origin): void {
    this.note(this.stores, place, at);
  }

  /** The loads of elements that other iterations write. */
  found(): readonly { readonly name: string; readonly at: Origin }[] {
    return [...this.loads].flatMap(([name, loads]) =>
      [...loads.values()]
        .filter((load) => [...(this.stores.get(name)?.values() ?? [])].some((store) => this.meets(store, load)))
        .map(({ at }) => ({ name, at })),
    );
  }

  private note(accesses: Map<string, Map<string, Access>>, place: Place, at: Origin): void {
    const { box } = this;
    const index = place.index.map((s) => this.shiftOf(s) ?? numberOf(s));
    if (!box || index.includes(undefined) || box.some(([least, most]) => least > most)) return;
    const name = holderOf(place);
    const known = accesses.get(name) ?? new Map<string, Access>();
    accesses.set(name, known);
    const key = JSON.stringify([index, box]);
    if (!known.has(key)) known.set(key, { index: index as Access['index'], box, at });
  }

  /** Whether some iteration reads what another one writes. */
  private meets(store: Access, load: Access): boolean {
    /* What several iterations write at one place is a race by itself. */
    if (store.index.every((at) => typeof at === 'number') && store.box.some(([least, most]) => least < most))
      return false;
    const away = this.loop.variables.map((): number | undefined => undefined);
    /* The one iteration along an axis that names what others name by a number. */
    const [writer, reader] = [new Map<number, number>(), new Map<number, number>()];
    for (const [k, to] of store.index.entries()) {
      const from = load.index[k];
      if (typeof to === 'number' && typeof from === 'number') {
        if (to !== from) return false;
        continue;
      }
      if (typeof to === 'number' || typeof from === 'number') {
        const [one, shift, at] = typeof from === 'number' ? [writer, to, from] : [reader, from, to];
        const { axis, by } = shift as Shift;
        if (this.stepOf(axis) !== 1 || one.has(axis)) return false;
        one.set(axis, (at as number) - by);
        continue;
      }
      const by = to.by - from.by;
      if (to.axis !== from.axis || by % this.stepOf(to.axis) !== 0 || (away[to.axis] ?? by) !== by) return false;
      away[to.axis] = by;
    }
    const apart = away.map((by, axis): boolean | undefined => {
      const writers = alone(store.box[axis], writer.get(axis));
      const readers = alone(load.box[axis], reader.get(axis));
      const [least, most] = writers;
      const [first, last] = readers;
      if (least > most || first > last) return undefined;
      if (by !== undefined) return Math.max(least + by, first) <= Math.min(most + by, last) ? by !== 0 : undefined;
      return writer.has(axis) || reader.has(axis) ? least < most || first < last || least !== first : undefined;
    });
    return !apart.includes(undefined) && apart.includes(true);
  }

  /** What a variable of a range lies in, as far as its ends are known. */
  private between(axis: number): Interval {
    const { space } = this.loop;
    if (space.over !== 'range') return ALL;
    const [from, to] = space.bounds[axis].map(numberOf);
    return [from ?? -Infinity, to === undefined ? Infinity : to - 1];
  }

  private stepOf(axis: number): number {
    const { space } = this.loop;
    const step = space.over === 'range' ? space.bounds[axis][2] : undefined;
    return step ? (numberOf(step) ?? NaN) : 1;
  }

  private shiftOf(s: Scalar | undefined): Shift | undefined {
    return s?.is === 'temp' ? this.shifts.get(s) : undefined;
  }

  private conditionOf(s: Scalar): Condition {
    if (s.is === 'literal' || this.isSame(s)) return ALWAYS;
    return this.conditions.get(s) ?? UNKNOWN;
  }
}

/** What tells fields and arrays apart: those of arrays begin with `@`. */
export const holderOf = (place: Place): string => (place.of === 'field' ? place.field.name : `@${place.buffer}`);

/** A loop variable and what is added to it. */
interface Shift {
  readonly axis: number;
  readonly by: number;
}

/** Iterations: from, up to and with, along each axis. */
type Box = readonly Interval[];

type Cuts = readonly { readonly axis: number; readonly within: Interval }[];

/** Where a condition holds and where it does not; undefined where that is no box, or not known. */
interface Condition {
  readonly holds: Cuts | undefined;
  readonly fails: Cuts | undefined;
}

interface Access {
  readonly index: readonly (Shift | number)[];
  readonly box: Box;
  readonly at: Origin;
}

const ALL: Interval = [-Infinity, Infinity];
const ALWAYS: Condition = { holds: [], fails: [] };
const UNKNOWN: Condition = { holds: undefined, fails: undefined };

/** What is at most a number, at least one, below it and above it. */
const orders: Readonly<Record<string, { readonly below: boolean; readonly equal: boolean }>> = {
  lt: { below: true, equal: false },
  le: { below: true, equal: true },
  gt: { below: false, equal: false },
  ge: { below: false, equal: true },
};

const compared = ({ axis, by }: Shift, order: (typeof orders)[string], reversed: boolean, n: number): Condition => {
  const below = order.below !== reversed;
  const last = n - by - (below === order.equal ? 0 : 1);
  const [lower, upper]: Interval[] = [
    [-Infinity, last],
    [last + 1, Infinity],
  ];
  const cut = (within: Interval): Cuts => [{ axis, within }];
  return below ? { holds: cut(lower), fails: cut(upper) } : { holds: cut(upper), fails: cut(lower) };
};

const within = (box: Box | undefined, cuts: Cuts | undefined): Box | undefined =>
  cuts && box?.map((side, axis) => cuts.reduce((s, cut) => (cut.axis === axis ? meet(s, cut.within) : s), side));

const both = (p: Cuts | undefined, q: Cuts | undefined): Cuts | undefined => p && q && [...p, ...q];

/** One number of an interval, if it is to be that, and there. */
const alone = (side: Interval, at: number | undefined): Interval => (at === undefined ? side : meet(side, [at, at]));

const meet = (a: Interval, b: Interval): Interval => [Math.max(a[0], b[0]), Math.min(a[1], b[1])];

const numberOf = (s: Scalar | undefined): number | undefined =>
  s?.is === 'literal' && typeof s.value === 'number' && Number.isInteger(s.value) ? s.value : undefined;
