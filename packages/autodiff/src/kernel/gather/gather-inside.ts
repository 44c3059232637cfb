import { Builder, type IdSource, type Op, type OpTable, type Scalar, type Value } from '@filigree/ir';
import { clone } from '../clone.js';
import { additionsOf, type Addition } from '../elements/additions.js';
import { takenBy } from './out-of-branches.js';
import { areApart, type Coordinate } from '../elements/touched.js';
import { MOST_OPS, type Nest } from './whole-nests.js';

/** What is known around a nest. */
export interface Around {
  readonly table: OpTable;
  readonly ids: IdSource;
  readonly constants: ReadonlyMap<number, Scalar>;
  /** What is known of integers of the kernel, see `coordinatesOf`. */
  readonly coordinate: (v: Value) => Coordinate | undefined;
  readonly extentsOf: (field: string) => readonly number[];
}

/**
 * Sums into neighbours within a box, such as the inner part of a grid: where all iterations add to elements at constant distances, `s[i + 1][j] += f(i, j)`, each element is given what its neighbours would have
 * added, `s[i][j] += f(i - 1, j)`. Elements that have all these neighbours in the box are a nest without atomics, whose innermost loop is one for lanes; for those along its edges nests of their own ask which there are.
 *
 * What is added is computed from elements of slices that are certainly others than those that are added to: `u[t][i][j]` and `u[t - 1][i][j]`. What iterations set to a constant, as adjoints that were taken, is set in the end.
 */
export const gatheredInside = (
  { loops, ops, hasBranches, narrowed }: Nest,
  around: Around,
): readonly Op[] | undefined => {
  const { table, ids, coordinate } = around;
  const all = withInner(ops);
  const box = boxOf(loops, all, around, narrowed);
  if (!box) return undefined;
  const definitions = new Map(ops.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const uses = new Map<number, number>();
  for (const op of all) for (const v of op.operands) uses.set(v.id, (uses.get(v.id) ?? 0) + 1);
  const written = new Set(all.flatMap((op) => (op.name === 'field.load' ? [] : [op.attrs.field])));
  const slices = slicesOf(all, box, written);
  if (!slices || !areOthers(slices, coordinate)) return undefined;

  const additions = slices.flatMap((slice): readonly (Addition & { readonly slice: Slice })[] =>
    (additionsOf(slice.touches, { definitions, uses }) ?? []).map((a) => ({ ...a, slice })),
  );
  const isPlain = ({ ops }: Addition): boolean => ops.length > 1;
  const added = additions.filter((a) => !isPlain(a)).map((a): Sum => ({ ...a, by: byOf(a.index, box)! }));
  const targets = slices.filter((slice) => added.some((a) => a.slice === slice));
  const isMixed = targets.some((slice) => additions.some((a) => a.slice === slice && isPlain(a)));
  if (isMixed || !added.some(({ by }) => by.some((n) => n !== 0))) return undefined;

  /* What iterations add to elements of their own they go on to add. */
  const plain = additions.filter(isPlain).flatMap((a) => a.ops);
  const kept = plain.filter((op) => op.name === 'field.store');
  /* Elements that are set are read before: no other iteration reads what one writes. */
  const loads = ops.filter((op) => op.name === 'field.load');
  const set = ops.filter((op) => op.name === 'field.store' && !plain.includes(op));
  const sliceOf = (op: Op): Slice => slices.find((s) => s.touches.includes(op))!;
  const isAt = (by: readonly number[], index: readonly Value[]): boolean =>
    byOf(index, box)!.every((n, d) => n === by[d]);
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
  const others = ops.slice(0, -1).filter((op) => !taken.has(op) && op.regions.length === 0);
  if (!set.every(isLast) || others.some((op) => table.get(op.name)!.effects(op).length > 0)) return undefined;

  const isFar = ({ by }: Sum): boolean => by.some((n) => n !== 0);
  if (added.some((a) => isFar(a) && withInner([...coneOf(a.value, definitions)]).length > MOST_OPS)) return undefined;

  const [least, most] = [Math.min, Math.max].map((f) => box.map((_, d) => f(...added.map(({ by }) => by[d]))));
  const inner = box.map(({ from, to }, d): Range => [from + most[d], to + least[d]]);
  /* What is not written in a branch may be outside. */
  const ends = box.map(({ by }): readonly number[] =>
    targets.map(({ field, index }) => around.extentsOf(field)[index.findIndex((v) => by.has(v.id))]),
  );
  if (hasBranches && ends.some((all) => new Set(all).size > 1)) return undefined;
  const outer = box.map(({ from, to }, d): Range => {
    const [first, end] = [from + least[d], to + most[d]];
    return hasBranches ? [Math.max(first, 0), Math.min(end, ends[d][0])] : [first, end];
  });
  if (inner.some(([from, to]) => to - from < FEWEST)) return undefined;

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
    new Map(box.map(({ counter }, d) => [counter.id, counters[d]]));
  const { simd: _, ...outermost } = loops[0].attrs;
  const nest = (ranges: readonly Range[], lanes: boolean, body: (counters: readonly Value[]) => void): void => {
    const along = (counters: readonly Value[]): void => {
      const d = counters.length;
      if (d === ranges.length) return body(counters);
      const attrs = {
        ...(d === 0 ? outermost : {}),
        ...(lanes && d === ranges.length - 1 ? { simd: true } : {}),
      };
      const [from, to] = ranges[d];
      b.for(b.i32(from), b.i32(to), b.i32(1), attrs, [], (n) => (along([...counters, n]), []));
    };
    along([]);
  };
  const gather = (ranges: readonly Range[], isInner: boolean): void => {
    if (ranges.some(([from, to]) => from >= to)) return;
    nest(ranges, isInner, (counters) => {
      for (const slice of targets) {
        const mine = added.filter((a) => a.slice === slice);
        const { kind: _, activate: __, ...place } = mine[0].ops[0].attrs;
        /* The element is where an iteration without distance would find it. */
        const own = mine[0].index.map((v) => {
          const d = box.findIndex((axis) => axis.by.has(v.id));
          return d < 0 ? append(v, movedTo(counters)) : counters[d];
        });
        const before = b.value('field.load', own, place);
        const sum = mine.reduce((all, { value, by }) => {
          const from = counters.map((at, d) => (by[d] === 0 ? at : b.sub(at, b.i32(by[d]))));
          const more = (): Value => b.add(all, append(value, movedTo(from)));
          if (isInner) return more();
          const within = from.flatMap((at, d) => [
            b.cmp('ge', at, b.i32(box[d].from)),
            b.cmp('lt', at, b.i32(box[d].to)),
          ]);
          return b.if(within.reduce(b.and), more, () => all)[0];
        }, before);
        b.op('field.store', [sum, ...own], { ...place, activate: false });
      }
    });
  };
  return b.collect(() => {
    b.loc = loops[0].loc;
    gather(inner, true);
    /* Along each axis what is before and behind, of what lies between along those before it. */
    box.forEach((_, d) => {
      const beside = (range: Range): readonly Range[] => [...inner.slice(0, d), range, ...outer.slice(d + 1)];
      gather(beside([outer[d][0], inner[d][0]]), false);
      gather(beside([inner[d][1], outer[d][1]]), false);
    });
    const whole = box.map(({ from, to }): Range => [from, to]);
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
    for (const some of [kept, set]) if (some.length > 0) nest(whole, true, (counters) => change(some, counters));
  }).ops;
};

/** The ops that a value is made of, but for numbers. */
const coneOf = (value: Value, definitions: ReadonlyMap<number, Op>): ReadonlySet<Op> => {
  const found = new Set<Op>();
  const visit = (v: Value): void => {
    const op = definitions.get(v.id);
    if (!op || found.has(op) || op.name === 'arith.constant') return;
    found.add(op);
    takenBy(op).forEach(visit);
  };
  visit(value);
  return found;
};

/** Ops, and those in their regions. */
const withInner = (ops: readonly Op[]): readonly Op[] =>
  ops.flatMap((op) => [op, ...op.regions.flatMap((r) => withInner(r.ops))]);

/** Fewer elements along an axis are mostly edge. */
const FEWEST = 8;

type Range = readonly [from: number, to: number];

/** A loop over numbers, and the values that are its counter and a number, by id. */
interface AxisOfBox {
  readonly counter: Value;
  readonly from: number;
  readonly to: number;
  readonly by: ReadonlyMap<number, number>;
}

const boxOf = (
  loops: readonly Op[],
  ops: readonly Op[],
  { constants: around }: Around,
  narrowed: Nest['narrowed'],
): readonly AxisOfBox[] | undefined => {
  const constants = new Map(around);
  for (const { name, attrs, results } of ops)
    if (name === 'arith.constant') constants.set(results[0].id, attrs.value as Scalar);
  const number = (v: Value): number | undefined => {
    const value = constants.get(v.id);
    return typeof value === 'number' ? value : undefined;
  };
  const axes = loops.map(({ operands, regions: [{ params }] }, n): AxisOfBox | undefined => {
    const [first, end, step] = operands.map(number);
    const [from, to] = narrowed?.[n] ?? [first, end];
    if (from === undefined || to === undefined || step !== 1 || params[0].type !== 'i32') return undefined;
    const by = new Map([[params[0].id, 0]]);
    for (const { name, operands: of, results } of ops) {
      if (name !== 'arith.add' && name !== 'arith.sub') continue;
      const [x, y] = [by.get(of[0].id), by.get(of[1].id)];
      const [m, n] = of.map(number);
      if (x !== undefined && n !== undefined) by.set(results[0].id, name === 'arith.add' ? x + n : x - n);
      else if (y !== undefined && m !== undefined && name === 'arith.add') by.set(results[0].id, y + m);
    }
    return { counter: params[0], from, to, by };
  });
  return axes.every((a) => a !== undefined) ? axes : undefined;
};

/** How far an element is from the iteration along each axis; nothing where its index does not tell that. */
const byOf = (index: readonly Value[], box: readonly AxisOfBox[]): readonly number[] | undefined => {
  const found = box.map(({ by }) => {
    const told = index.filter((v) => by.has(v.id));
    return told.length === 1 ? by.get(told[0].id) : undefined;
  });
  return found.every((n) => n !== undefined) ? found : undefined;
};

interface Sum extends Addition {
  readonly slice: Slice;
  readonly by: readonly number[];
}

/** What is done to the elements of a field that share what all iterations name alike, along the same axes. */
interface Slice {
  readonly field: string;
  readonly index: readonly Value[];
  readonly touches: readonly Op[];
}

/** The slices of what is written that ops touch; nothing where an op touches elements in another way. */
const slicesOf = (
  ops: readonly Op[],
  box: readonly AxisOfBox[],
  written: ReadonlySet<unknown>,
): readonly Slice[] | undefined => {
  const changing = new Set(box.map(({ counter }) => counter.id));
  const slices = new Map<string, { field: string; index: readonly Value[]; touches: Op[] }>();
  for (const op of ops) {
    const { field } = op.attrs;
    if (takenBy(op).some((v) => changing.has(v.id)) || op.name === 'field.load')
      for (const r of op.results) changing.add(r.id);
    if (!op.name.startsWith('field.') || !written.has(field)) continue;
    const index = op.name === 'field.load' ? op.operands : op.operands.slice(1);
    if (typeof field !== 'string' || !['field.load', 'field.store', 'field.atomic'].includes(op.name)) return undefined;
    const places = index.map((v) => {
      const axis = box.findIndex(({ by }) => by.has(v.id));
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
