import { Builder, type IdSource, type Op, type OpTable, type Scalar, type Value } from '@filigree/ir';
import { clone } from '../clone.js';
import { additionsOf, type Addition } from '../elements/additions.js';
import { coneOf } from './cone.js';
import { takenBy } from './out-of-branches.js';
import { areApart, type Coordinate } from '../elements/touched.js';
import { formSum, single, type Form } from '../indices/integer-forms.js';
import { asValue, clipped, endOf, FAR, greatest, isWithin, least, numbersOf, startOf, sumAt, timesNumber, type At, type Between, type Place } from './limits.js'; // prettier-ignore
import { flatOf, tapsAround, withInner, type Same } from './same.js';
import { MOST_OPS, placing, type Nest } from './whole-nests.js';

/** What is known around a nest. */
export interface Around {
  readonly table: OpTable;
  readonly ids: IdSource;
  readonly constants: ReadonlyMap<number, Scalar>;
  /** What is known of integers of the kernel, see `coordinatesOf`. */
  readonly coordinate: (v: Value) => Coordinate | undefined;
  /** How many elements a field has along each axis; nothing where there is no end. */
  readonly extentsOf: (field: string) => readonly number[] | undefined;
}

/**
 * Sums into neighbours within a box, such as the inner part of a grid: where all iterations add to elements at constant distances, `s[i + 1][j] += f(i, j)`, each element is given what its neighbours would have
 * added, `s[i][j] += f(i - 1, j)`. Elements that have all these neighbours in the box are a nest without atomics, whose innermost loop is one for lanes; for those along its edges nests of their own ask which there are.
 *
 * The box may lie between values that are the same for all iterations, such as arguments, and so may distances; or these are counters of loops within an iteration, `s[i + k] += f(i, k)`: an element is then given a sum over `k`.
 * Which iteration an element is given something by is told by integers of 32 bits, which go round together; the ranges of elements that there are nests for are computed within bounds that keep them from that.
 *
 * What is added is computed from elements of slices that are certainly others than those that are added to: `u[t][i][j]` and `u[t - 1][i][j]`. What iterations set to a constant, as adjoints that were taken, is set in the end.
 */
export const gatheredInside = (
  { loops, ops, hasBranches, box: ranges, same }: Nest,
  around: Around,
): readonly Op[] | undefined => {
  const { table, ids, coordinate } = around;
  if (!ranges) return undefined;
  const all = withInner(ops);
  const box = boxOf(loops, ranges, all, same, around);
  const flat = flatOf(ops.slice(0, -1));
  const definitions = new Map(flat.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const uses = new Map<number, number>();
  for (const op of all) for (const v of op.operands) uses.set(v.id, (uses.get(v.id) ?? 0) + 1);
  const written = new Set(all.flatMap((op) => (op.name === 'field.load' ? [] : [op.attrs.field])));
  const slices = slicesOf(all, box, written);
  if (!slices || !areOthers(slices, coordinate)) return undefined;

  const additions = slices.flatMap((slice): readonly (Addition & { readonly slice: Slice })[] =>
    (additionsOf(slice.touches, { definitions, uses }) ?? []).map((a) => ({ ...a, slice })),
  );
  const isPlain = ({ ops }: Addition): boolean => ops.length > 1;
  const taps = tapsAround(ops);
  const added = additions
    .filter((a) => !isPlain(a))
    .map((a): Sum => ({ ...a, by: byOf(a.index, box)!, taps: taps.get(a.ops[0])! }));
  const targets = slices.filter((slice) => added.some((a) => a.slice === slice));
  const isMixed = targets.some((slice) => additions.some((a) => a.slice === slice && isPlain(a)));
  if (isMixed || !added.some(isFar) || added.some((a) => a.taps === undefined)) return undefined;
  const tapRanges = new Map(added.flatMap((a) => a.taps).map((tap) => [tap, same.between(tap)]));
  if ([...tapRanges.values()].includes(undefined)) return undefined;

  /* What iterations add to elements of their own they go on to add. */
  const plain = additions.filter(isPlain).flatMap((a) => a.ops);
  const kept = plain.filter((op) => op.name === 'field.store');
  /* Elements that are set are read before: no other iteration reads what one writes. */
  const loads = flat.filter((op) => op.name === 'field.load');
  const set = flat.filter((op) => op.name === 'field.store' && !plain.includes(op));
  const sliceOf = (op: Op): Slice => slices.find((s) => s.touches.includes(op))!;
  const isAt = (by: readonly Form[], index: readonly Value[]): boolean =>
    byOf(index, box)!.every((form, d) => isZero(formSum(form, by[d], -1)));
  /* What they are set to follows from elements that stay, and from such as no other iteration sets. */
  const isThere = (load: Op): boolean => {
    if (!written.has(load.attrs.field)) return true;
    const by = byOf(load.operands, box)!;
    return sliceOf(load).touches.every((t) => t.name === 'field.load' || isAt(by, t.operands.slice(1)));
  };
  const isLast = (store: Op): boolean => {
    const at = ops.indexOf(store);
    const loadsIn = (some: Iterable<Op>): readonly Op[] => withInner([...some]).filter((o) => o.name === 'field.load');
    return (
      set.filter((other) => sliceOf(other) === sliceOf(store)).length === 1 &&
      loadsIn(coneOf(store.operands[0], definitions)).every(isThere) &&
      loadsIn(ops.slice(at)).every((l) => l.attrs.field !== store.attrs.field)
    );
  };
  const taken = new Set([...added.map(({ ops: [op] }) => op), ...plain, ...set, ...loads]);
  const others = flat.filter((op) => !taken.has(op) && op.regions.length === 0);
  if (!set.every(isLast) || others.some((op) => table.get(op.name)!.effects(op).length > 0)) return undefined;
  /* Such as loops within an iteration write is there for others. */
  if (![...plain, ...set].every((op) => ops.includes(op))) return undefined;
  /* Loops are not run again for each neighbour. */
  const isDear = (cone: readonly Op[]): boolean =>
    cone.length > MOST_OPS || cone.some(({ name }) => name === 'scf.for');
  if (added.some((a) => isFar(a) && isDear(withInner(computing(a.value, definitions))))) return undefined;

  const isKnown = box.axes.map(
    ({ range }, d) => numbersOf(range) !== undefined && added.every(({ by }) => by[d].terms.size === 0),
  );
  const isAsked = hasBranches || isKnown.includes(false);
  const extentsOf = ({ field, index }: Slice): readonly number[] | undefined => {
    const extents = around.extentsOf(field);
    return (
      extents && box.axes.map(({ counter }) => extents[index.findIndex((v) => box.formOf(v).terms.has(counter.id))])
    );
  };
  if (isAsked && !targets.every((t) => extentsOf(t)?.every((n) => n <= FAR / 2))) return undefined;
  if (added.some(({ by }) => by.some(({ plus }) => Math.abs(plus) > NEAR))) return undefined;
  /* What is not written in a branch, or beyond limits that nobody knows, may be outside: elements are asked for within fields alone. */
  const groups = isAsked ? groupedBy(targets, (t) => String(extentsOf(t))) : [targets];

  const b = new Builder(table, new Map(), ids);
  /** Appends what a value is, where counters are others. */
  const valueAt = (v: Value, moved: Map<number, Value>, into: Op[]): Value => {
    const known = moved.get(v.id);
    const op = definitions.get(v.id);
    if (known || !op) return known ?? v;
    for (const taken of takenBy(op)) valueAt(taken, moved, into);
    clone(op, moved, into, ids);
    return moved.get(v.id)!;
  };
  const append = (v: Value, moved: Map<number, Value>): Value => {
    const into: Op[] = [];
    const made = valueAt(v, moved, into);
    into.forEach((op) => b.append(op));
    return made;
  };
  const movedTo = (counters: readonly Value[]): Map<number, Value> =>
    new Map(box.axes.map(({ counter }, d) => [counter.id, counters[d]]));
  const { simd: _, ...outermost } = loops[0].attrs;
  const nest = (ranges: readonly Range[], lanes: boolean, body: (counters: readonly Value[]) => void): void => {
    const along = (counters: readonly Value[]): void => {
      const d = counters.length;
      if (d === ranges.length) return body(counters);
      const attrs = {
        ...(d === 0 ? outermost : {}),
        ...(lanes && d === ranges.length - 1 ? { simd: true } : {}),
      };
      const [from, to] = ranges[d].map((at) => asValue(b, at));
      b.for(from, to, b.i32(1), attrs, [], (n) => (along([...counters, n]), []));
    };
    along([]);
  };
  const place = placing(ops, b, ids);
  const code = new Code(b, box, place, tapRanges as ReadonlyMap<Op, Between>);
  const clipTo =
    (clips: ReadonlyMap<number, Clip>, counters: readonly Value[]) =>
    (id: number, [from, to]: Range): Range => {
      const clip = clips.get(id);
      if (!clip) return [from, to];
      const { axis, sign, plus } = clip;
      const [first, end] = code.ranges[axis].map((at) => asValue(b, clipped(b, at, FAR)));
      const at = plus === 0 ? counters[axis] : b.sub(counters[axis], b.i32(plus));
      const [low, high] = sign > 0 ? [b.sub(at, end), b.sub(at, first)] : [b.sub(first, at), b.sub(end, at)];
      const [lowest, beyond] = sign > 0 ? [b.add(low, b.i32(1)), b.add(high, b.i32(1))] : [low, high];
      return [greatest(b, from, lowest), least(b, to, beyond)];
    };
  const gather = (some: readonly Slice[], ranges: readonly Range[], isInner: boolean): void => {
    if (ranges.some(([from, to]) => typeof from === 'number' && typeof to === 'number' && from >= to)) return;
    nest(ranges, isInner, (counters) => {
      for (const slice of some) {
        const mine = added.filter((a) => a.slice === slice);
        const { kind: _, activate: __, ...at } = mine[0].ops[0].attrs;
        /* The element is where an iteration without distance would find it. */
        const own = mine[0].index.map((v) => {
          const d = box.axisOf(v);
          return d < 0 ? append(v, movedTo(counters)) : counters[d];
        });
        const before = b.value('field.load', own, at);
        const sum = mine.reduce((all, { value, by, taps }) => {
          const clips = isInner ? new Map<number, Clip>() : code.clips(by, taps);
          const asked = [...clips.values()].map(({ axis }) => axis);
          return code.overTaps(taps, all, clipTo(clips, counters), (now, counts) => {
            const from = counters.map((at, d) => (isZero(by[d]) ? at : b.sub(at, code.distance(by[d], counts))));
            const more = (): Value => b.add(now, append(value, new Map([...counts, ...movedTo(from)])));
            const within = from.flatMap((at, d) => {
              if (isInner || asked.includes(d)) return [];
              const [first, end] = code.ranges[d];
              return [b.cmp('ge', at, asValue(b, first)), b.cmp('lt', at, asValue(b, end))];
            });
            return within.length === 0 ? more() : b.if(within.reduce(b.and), more, () => now)[0];
          });
        }, before);
        b.op('field.store', [sum, ...own], { ...at, activate: false });
      }
    });
  };
  let isWorth = true;
  const made = b.collect(() => {
    b.loc = loops[0].loc;
    code.begin();
    for (const group of groups) {
      const mine = added.filter((a) => group.includes(a.slice));
      const parts = box.axes.map((_, d) => {
        const extent = isAsked ? extentsOf(group[0])![d] : undefined;
        return isKnown[d] ? code.known(d, mine, hasBranches ? extent : undefined) : code.asked(d, mine, extent!);
      });
      isWorth &&= parts.every((p) => p.isWorth);
      if (!isWorth) return;
      const inner = parts.map((p) => p.inner);
      gather(group, inner, true);
      /* Along each axis what is before and behind, of what lies between along those before it. */
      parts.forEach(({ outer, middle }, d) => {
        const beside = (range: Range): readonly Range[] => [
          ...inner.slice(0, d),
          range,
          ...parts.slice(d + 1).map((p) => p.outer),
        ];
        gather(group, beside([outer[0], middle[0]]), false);
        gather(group, beside([middle[1], outer[1]]), false);
      });
    }
    const change = (some: readonly Op[], counters: readonly Value[]): void => {
      const moved = movedTo(counters);
      const write = (op: Op): (() => void) => {
        const operands = op.operands.map((v) => append(v, moved));
        return () => void b.op(op.name, operands, op.attrs);
      };
      /* What is set follows from what was there before; what is added to may have been added to. */
      if (some === set) set.map(write).forEach((store) => store());
      else for (const op of some) write(op)();
    };
    for (const some of [kept, set]) if (some.length > 0) nest(code.ranges, true, (counters) => change(some, counters));
  }).ops;
  return isWorth ? made : undefined;
};

/** The ops that a value is made of, but for numbers. */
const computing = (value: Value, definitions: ReadonlyMap<number, Op>): readonly Op[] =>
  [...coneOf(value, definitions)].filter(({ name }) => name !== 'arith.constant');

const groupedBy = <A>(all: readonly A[], keyOf: (a: A) => string): readonly (readonly A[])[] => {
  const groups = new Map<string, A[]>();
  for (const a of all) groups.set(keyOf(a), [...(groups.get(keyOf(a)) ?? []), a]);
  return [...groups.values()];
};

/** Fewer elements along an axis along which there are distances are mostly edge. */
const FEWEST = 8;

/** Distances are no greater where ranges of elements are computed from them. */
const NEAR = FAR / 8;

type Range = readonly [from: At, to: At];

/** Loops that count by one between limits, and the integers in them as sums of counters and of what is the same for all. */
interface Box {
  readonly axes: readonly { readonly counter: Value; readonly range: Between }[];
  readonly formOf: (v: Value) => Form;
  /** Whether the axis of a value is known, by its number, else -1. */
  readonly axisOf: (v: Value) => number;
  /** Whether a distance may have a value in it. */
  readonly isFixed: (id: number) => boolean;
  readonly valueOf: (id: number) => Value;
  /** The counters of loops within an iteration. */
  readonly taps: ReadonlySet<number>;
}

const boxOf = (
  loops: readonly Op[],
  ranges: readonly Between[],
  ops: readonly Op[],
  same: Same,
  { constants }: Around,
): Box => {
  const forms = new Map<number, Form>();
  const values = new Map<number, Value>();
  const taps = new Set<number>();
  const formOf = (v: Value): Form => {
    const number = constants.get(v.id);
    return forms.get(v.id) ?? (typeof number === 'number' ? { terms: new Map(), plus: number } : single(v.id));
  };
  for (const { name, attrs, operands, results, regions } of ops) {
    for (const v of [...operands, ...results, ...regions.flatMap((r) => r.params)]) values.set(v.id, v);
    if (name === 'scf.for') taps.add(regions[0].params[0].id);
    const [result] = results;
    if (result?.type !== 'i32') continue;
    const [a, b] = operands.map(formOf);
    const zero: Form = { terms: new Map(), plus: 0 };
    if (name === 'arith.constant') forms.set(result.id, { ...zero, plus: Number(attrs.value) });
    if (name === 'arith.add') forms.set(result.id, formSum(a, b, 1));
    if (name === 'arith.sub') forms.set(result.id, formSum(a, b, -1));
    if (name === 'arith.neg') forms.set(result.id, formSum(zero, a, -1));
  }
  const axes = loops.map(({ regions: [{ params }] }, n) => ({ counter: params[0], range: ranges[n] }));
  return {
    axes,
    formOf,
    axisOf: (v) => axes.findIndex(({ counter }) => formOf(v).terms.has(counter.id)),
    isFixed: (id) => taps.has(id) || same.has(values.get(id)!),
    valueOf: (id) => values.get(id)!,
    taps,
  };
};

/** How far an element is from the iteration along each axis; nothing where its index does not tell that. */
const byOf = (index: readonly Value[], { axes, formOf, isFixed }: Box): readonly Form[] | undefined => {
  const found = axes.map(({ counter: { id } }) => {
    const [form, ...more] = index.map(formOf).filter(({ terms }) => terms.has(id));
    if (form?.terms.get(id) !== 1 || more.length > 0) return undefined;
    const by = formSum(form, single(id), -1);
    return [...by.terms.keys()].every(isFixed) ? by : undefined;
  });
  return found.every((by) => by !== undefined) ? found : undefined;
};

const isZero = ({ terms, plus }: Form): boolean => terms.size === 0 && plus === 0;

const isFar = ({ by }: Sum): boolean => !by.every(isZero);

interface Sum extends Addition {
  readonly slice: Slice;
  readonly by: readonly Form[];
  /** The loops within an iteration around it. */
  readonly taps: readonly Op[];
}

/** Which elements of an axis there are, and of these the ones that have all neighbours. */
interface Part {
  readonly outer: Range;
  readonly inner: Range;
  /** The inner ones again: within the outer ones also where there are none. */
  readonly middle: Range;
  readonly isWorth: boolean;
}

/** A loop that counts along an axis, upwards or downwards: elements are so far from the iteration, and a number. */
interface Clip {
  readonly axis: number;
  readonly sign: 1 | -1;
  readonly plus: number;
}

/** Appends what ranges of elements and distances are. */
class Code {
  /** Where iterations begin and end along each axis. */
  ranges: readonly Range[] = [];
  private readonly tapRanges = new Map<number, Range>();

  constructor(
    private readonly b: Builder,
    private readonly box: Box,
    private readonly place: Place,
    private readonly taps: ReadonlyMap<Op, Between>,
  ) {}

  /** What all nests take from before them. */
  begin(): void {
    const { b, place } = this;
    const rangeOf = (between: Between): Range => [startOf(b, between, place), endOf(b, between, place)];
    this.ranges = this.box.axes.map(({ range }) => rangeOf(range));
    for (const [tap, between] of this.taps) this.tapRanges.set(tap.regions[0].params[0].id, rangeOf(between));
  }

  /** An axis whose box and distances are numbers. */
  known(d: number, sums: readonly Sum[], extent: number | undefined): Part {
    const [from, to] = this.ranges[d] as readonly [number, number];
    const by = sums.map((s) => s.by[d].plus);
    const [least, most] = [Math.min(...by), Math.max(...by)];
    const [first, end] = [from + least, to + most];
    const inner: Range = [from + most, to + least];
    return {
      inner,
      middle: inner,
      outer: extent === undefined ? [first, end] : [Math.max(first, 0), Math.min(end, extent)],
      isWorth: least === most || to + least - (from + most) >= FEWEST,
    };
  }

  /** Another one: elements of the field, of which the inner ones are nothing but a part, whatever the values are. */
  asked(d: number, sums: readonly Sum[], extent: number): Part {
    const { b } = this;
    const near: Value[] = [];
    const spans = sums.map((s) => this.span(s.by[d], near));
    const [below, above] = [
      spans.map(([x]) => x).reduce((x, y) => least(b, x, y)),
      spans.map(([, x]) => x).reduce((x, y) => greatest(b, x, y)),
    ];
    const [from, to] = this.ranges[d].map((at) => clipped(b, at, FAR));
    const isNear = near.length > 0 ? near.reduce(b.and) : undefined;
    const chosen = (at: At, otherwise: At): At =>
      isNear ? b.select(isNear, asValue(b, at), asValue(b, otherwise)) : at;
    const first = chosen(greatest(b, 0, sumAt(b, from, below)), 0);
    const end = greatest(b, first, chosen(least(b, extent, sumAt(b, to, above)), extent));
    /* What these lie between is seen where they are bounded by no end of the others. */
    const inner: Range = [
      chosen(greatest(b, 0, sumAt(b, from, above)), end),
      chosen(least(b, extent, sumAt(b, to, below)), end),
    ];
    const begins = least(b, greatest(b, first, inner[0]), end);
    const middle: Range = [begins, greatest(b, begins, least(b, end, inner[1]))];
    const isWide =
      typeof below === 'number' && typeof above === 'number' && below < above && extent - (above - below) < FEWEST;
    return { outer: [first, end], inner, middle, isWorth: !isWide };
  }

  /** What a distance lies between, if it is near; whether it is, is asked besides. */
  private span({ terms, plus }: Form, near: Value[]): readonly [At, At] {
    const { b } = this;
    const room = Math.floor(
      NEAR /
        Math.max(
          1,
          [...terms.values()].reduce((n, times) => n + Math.abs(times), 0),
        ),
    );
    let span: readonly [At, At] = [plus, plus];
    for (const [id, times] of terms) {
      const tap = this.tapRanges.get(id);
      const ends = tap ? [tap[0], sumAt(b, clipped(b, tap[1], FAR), -1)] : [this.place(this.box.valueOf(id))];
      for (const end of ends)
        if (typeof end !== 'number' || Math.abs(end) > room) near.push(isWithin(b, asValue(b, end), room));
      const limits = ends.map((end) => {
        const at = clipped(b, end, room);
        return typeof at === 'number' ? at * times : timesNumber(b, at, times);
      });
      const [low, high] = times > 0 ? [limits[0], limits[limits.length - 1]] : [limits[limits.length - 1], limits[0]];
      span = [sumAt(b, span[0], low), sumAt(b, span[1], high)];
    }
    return span;
  }

  /** A distance where counters of loops within an iteration are these. */
  distance({ terms, plus }: Form, counts: ReadonlyMap<number, Value>): Value {
    const { b } = this;
    const values = [...terms].map(([id, times]) =>
      timesNumber(b, counts.get(id) ?? this.place(this.box.valueOf(id)), times),
    );
    return values.length === 0 ? b.i32(plus) : asValue(b, sumAt(b, values.reduce(b.add), plus));
  }

  /** Loops within an iteration that count along one axis alone: which of their iterations there are for an element needs not be asked one by one. */
  clips(by: readonly Form[], taps: readonly Op[]): ReadonlyMap<number, Clip> {
    const found = new Map<number, Clip>();
    for (const {
      regions: [
        {
          params: [{ id }],
        },
      ],
    } of taps) {
      const axes = by.flatMap(({ terms }, d) => (terms.has(id) ? [d] : []));
      const [axis] = axes;
      const sign = axes.length === 1 && by[axis].terms.size === 1 ? by[axis].terms.get(id) : undefined;
      if (sign === 1 || sign === -1) found.set(id, { axis, sign, plus: by[axis].plus });
    }
    return found;
  }

  /** Sums up over loops within an iteration, whose counters are then these. */
  overTaps(
    taps: readonly Op[],
    carried: Value,
    clip: (id: number, range: Range) => Range,
    body: (sum: Value, counts: ReadonlyMap<number, Value>) => Value,
    counts: ReadonlyMap<number, Value> = new Map(),
  ): Value {
    const [tap, ...inner] = taps;
    if (!tap) return body(carried, counts);
    const { b } = this;
    const { id } = tap.regions[0].params[0];
    const [from, to] = clip(id, this.tapRanges.get(id)!).map((at) => asValue(b, at));
    return b.for(from, to, b.i32(1), {}, [carried], (k, [sum]) => [
      this.overTaps(inner, sum, clip, body, new Map([...counts, [id, k]])),
    ])[0];
  }
}

/** What is done to the elements of a field that share what all iterations name alike, along the same axes. */
interface Slice {
  readonly field: string;
  readonly index: readonly Value[];
  readonly touches: readonly Op[];
}

/** The slices of what is written that ops touch; nothing where an op touches elements in another way. */
const slicesOf = (ops: readonly Op[], box: Box, written: ReadonlySet<unknown>): readonly Slice[] | undefined => {
  const changing = new Set([...box.axes.map(({ counter }) => counter.id), ...box.taps]);
  const slices = new Map<string, { field: string; index: readonly Value[]; touches: Op[] }>();
  for (const op of ops) {
    const { field } = op.attrs;
    if (takenBy(op).some((v) => changing.has(v.id)) || op.name === 'field.load')
      for (const r of op.results) changing.add(r.id);
    if (!op.name.startsWith('field.') || !written.has(field)) continue;
    const index = op.name === 'field.load' ? op.operands : op.operands.slice(1);
    if (typeof field !== 'string' || !['field.load', 'field.store', 'field.atomic'].includes(op.name)) return undefined;
    const places = index.map((v) => {
      const axis = box.axisOf(v);
      return axis >= 0 ? `axis ${axis}` : changing.has(v.id) ? undefined : `%${v.id}`;
    });
    if (!byOf(index, box) || places.includes(undefined)) return undefined;
    const key = `${field}[${places.join()}]`;
    const slice = slices.get(key) ?? { field, index, touches: [] };
    slices.set(key, slice);
    slice.touches.push(op);
  }
  return [...slices.values()];
};

/** Whether slices of one field have no element in common. */
const areOthers = (slices: readonly Slice[], coordinate: Around['coordinate']): boolean => {
  const touched = slices.map(({ field, index }) => ({ place: field, index: index.map(coordinate) }));
  return touched.every((a, n) => touched.slice(n + 1).every((b) => areApart(a, b)));
};
