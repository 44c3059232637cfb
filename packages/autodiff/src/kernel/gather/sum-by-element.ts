import {
  Builder,
  bufferMap,
  controlBy,
  highestId,
  idsFrom,
  isFloat,
  isVector,
  opWith,
  type Buffer,
  type Kernel,
  type Op,
  type OpTable,
  type Scalar,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import { additionsOf, type Addition } from '../elements/additions.js';
import { loopFacts } from '../indices/loop-facts.js';
import { nestFacts, tripsOf, type Axis, type NestFacts } from './nest-facts.js';
import { isRounded } from '../elements/rounded.js';
import { liesSideBySide } from '../elements/side-by-side.js';

/** The kernel, and the buffers that it has besides. */
export interface SummedByElement {
  readonly kernel: Kernel;
  readonly buffers: readonly Buffer[];
}

/**
 * Sums up, element by element, what the loops of an adjoint add to elements now and again: where a parallel loop over `i`, and loops over `j` and `k` in it, add `f(i, j, k)` to `w[j][k]`, a nest of its own goes over `j` and `k`
 * side by side, and for each element over `i`. So the adjoints of a product of matrices are such products: each sum is in a register, nothing is atomic, and lanes find neighbours.
 *
 * That is the same, since nothing but sums touches the field in these loops: they may come when all else is done, in any order. What they add is computed again from what the loops do not change, or was kept in memory when it
 * was there; and the coordinates of an element are those of one iteration of the new nest.
 */
export const sumByElement = (
  kernel: Kernel,
  table: OpTable,
  layout: Layout,
  known: readonly Buffer[],
): SummedByElement => {
  const controlOf = controlBy(table);
  const { constants } = loopFacts(kernel, table, controlOf);
  const buffers: Buffer[] = [];
  const there = new Map(bufferMap(known));
  const b = new Builder(table, there, idsFrom(highestId(kernel) + 1));
  const ops = kernel.body.ops.flatMap((op) => {
    if (controlOf(op)?.parallel !== true || tripsOf(op, constants) === undefined) return [op];
    const facts = nestFacts(op, table, constants);
    const setting = facts && { loop: op, facts, table, layout, constants };
    const sums = setting ? sumsOf(setting) : [];
    if (sums.length === 0) return [op];
    const kept = keptOf(setting!, sums, (at) => `${kernel.name}_kept_${buffers.length + at}`);
    for (const { buffer } of kept.values()) {
      buffers.push(buffer);
      there.set(buffer.name, buffer);
    }
    return nestsOf(setting!, sums, kept, b);
  });
  return ops.every((op, n) => op === kernel.body.ops[n])
    ? { kernel, buffers }
    : { kernel: { ...kernel, body: { ...kernel.body, ops } }, buffers };
};

/** Fewer elements are summed up as it comes: they fill no lanes, and are no work for threads. */
const FEWEST_ELEMENTS = 32;

/** What is added is computed again by so many ops at most. */
const MOST_OPS = 12;

interface Setting {
  readonly loop: Op;
  readonly facts: NestFacts;
  readonly table: OpTable;
  readonly layout: Layout;
  readonly constants: ReadonlyMap<number, Scalar>;
}

/** A sum that gets a nest of its own. */
interface Sum extends Addition {
  /** The loops around it, and what these go over. */
  readonly path: readonly Op[];
  /** The coordinates that say which element it is, in the order of its index, and those that it is summed up over. */
  readonly own: readonly Axis[];
  readonly over: readonly Axis[];
  /** What its terms are computed from that is not computed again. */
  readonly kept: readonly Value[];
}

/** Values of the loops that wait in memory, by id. */
type Kept = ReadonlyMap<number, Waiting>;

interface Waiting {
  readonly value: Value;
  /** The loops around it. */
  readonly path: readonly Op[];
  readonly buffer: Buffer;
}

const sumsOf = (s: Setting): readonly Sum[] =>
  [...s.facts.byField].flatMap(([field, all]) =>
    !isFloat(s.layout.fields.get(field)!.field.type) || isRounded(s.layout, field)
      ? []
      : (additionsOf(all, s.facts) ?? []).flatMap((addition) => sumOf(s, field, addition) ?? []),
  );

const sumOf = (s: Setting, field: string, addition: Addition): Sum | undefined => {
  const { extents } = s.layout.fields.get(field)!;
  const path = s.facts.pathOf(addition.ops[0]);
  if (!path || addition.ops.some((op) => s.facts.pathOf(op)?.at(-1) !== path.at(-1))) return undefined;
  const axes = axesAlong(s, path);
  if (!axes) return undefined;
  const told = addition.index.map((v) => axes.find((a) => a.is.has(v.id)));
  const own = told.filter((a) => a !== undefined);
  const over = axes.filter((a) => !own.includes(a));
  const size = own.reduce((n, { extent }) => n * extent, 1);
  if (new Set(own).size < own.length || size < FEWEST_ELEMENTS) return undefined;
  /* Behind the end of a field several coordinates are one element. */
  if (!addition.index.every((v, n) => (told[n] ? told[n].extent <= extents[n] : isSame(s, v)))) return undefined;
  /* What is added up by the innermost loops alone is in a register as it is. */
  if (!over.some((o) => own.some((a) => axes.indexOf(o) < axes.indexOf(a)))) return undefined;
  const plan = planOf(s, axes, addition.value);
  return plan && plan.ops.size <= MOST_OPS && plan.kept.every((v) => fits(s, v))
    ? { ...addition, path, own, over, kept: plan.kept }
    : undefined;
};

/** The coordinates that loops within one another go over. */
const axesAlong = (s: Setting, path: readonly Op[]): readonly Axis[] | undefined => {
  const axes = path.map((loop) => s.facts.axesOf(loop));
  return axes.every((a) => a !== undefined) ? axes.flat() : undefined;
};

/** Whether a value is the same in all iterations, as what is there before is, and numbers are. */
const isSame = (s: Setting, v: Value): boolean => s.facts.madeAt(v) === undefined || isNumber(s, v);

const isNumber = (s: Setting, v: Value): boolean => s.facts.definitions.get(v.id)?.name === 'arith.constant';

/** What is needed to have a value once more, elsewhere: ops that compute it again, and values that were kept. */
interface Plan {
  readonly ops: ReadonlySet<Op>;
  readonly kept: readonly Value[];
  /** How many elements these are. */
  readonly size: number;
}

const nothing: Plan = { ops: new Set(), kept: [], size: 0 };

/** The plan that keeps least; nothing where there is none. */
const planOf = (s: Setting, axes: readonly Axis[], v: Value): Plan | undefined => {
  const made = s.facts.madeAt(v);
  if (!made || axes.some((a) => a.is.has(v.id) || a.lacks.has(v.id)) || s.facts.splitOf(v)) return nothing;
  const keep =
    made.path && !isVector(v.type) ? { ops: new Set<Op>(), kept: [v], size: timesRun(s, made.path) } : undefined;
  const { op } = made;
  const parts = op && isCheap(s, op) ? op.operands.map((o) => planOf(s, axes, o)) : [undefined];
  if (!parts.every((p) => p !== undefined)) return keep;
  const kept = [...new Map(parts.flatMap((p) => p.kept.map((k) => [k.id, k] as const))).values()];
  const again: Plan = {
    ops: new Set([...parts.flatMap((p) => [...p.ops]), op!]),
    kept,
    size: kept.reduce((n, k) => n + timesRun(s, s.facts.madeAt(k)!.path!), 0),
  };
  return !keep || again.size < keep.size ? again : keep;
};

/** Whether it costs next to nothing to have the results of an op once more, and they are what they were. */
const isCheap = ({ facts, table }: Setting, op: Op): boolean => {
  if (op.regions.length > 0 || op.results.length !== 1) return false;
  const effects = table.get(op.name)!.effects(op);
  if (effects.length === 0) return op.name.startsWith('arith.');
  return (
    (op.name === 'field.load' || op.name === 'mem.load') &&
    effects.every(({ kind, buffer }) => kind === 'read' && !facts.writes.has(buffer!))
  );
};

const timesRun = ({ constants }: Setting, path: readonly Op[]): number =>
  path.reduce((n, loop) => n * tripsOf(loop, constants)!, 1);

/** What is kept takes no more room than the largest of the fields that the loops go over. */
const fits = (s: Setting, v: Value): boolean =>
  [...s.facts.byField.keys()].some((field) => {
    const { extents, unbounded } = s.layout.fields.get(field)!;
    return !unbounded && extents.reduce((n, e) => n * e, 1) >= timesRun(s, s.facts.madeAt(v)!.path!);
  });

const keptOf = (s: Setting, sums: readonly Sum[], nameOf: (n: number) => string): Kept => {
  const values = new Map(sums.flatMap(({ kept }) => kept.map((v) => [v.id, v] as const)));
  return new Map(
    [...values].map(([id, value], n) => {
      const path = s.facts.madeAt(value)!.path!;
      const length = timesRun(s, path);
      return [id, { value, path, buffer: { name: nameOf(n), type: value.type as ScalarType, length, role: 'temp' } }];
    }),
  );
};

/** The loops without these sums, and the nest of each. */
const nestsOf = (s: Setting, sums: readonly Sum[], kept: Kept, b: Builder): readonly Op[] =>
  b.collect(() => {
    b.append(without(s, s.loop, new Set(sums.flatMap(({ ops }) => ops)), [...kept.values()], b));
    for (const sum of sums) nestOf(s, sum, kept, b);
  }).ops;

/** A loop, and those in it, without some ops; what is kept is written where an iteration ends. */
const without = (s: Setting, loop: Op, removed: ReadonlySet<Op>, kept: readonly Waiting[], b: Builder): Op => {
  const [region] = loop.regions;
  const ops = region.ops.flatMap((op) =>
    removed.has(op) ? [] : op.name === 'scf.for' ? [without(s, op, removed, kept, b)] : [op],
  );
  const stores = b.collect(() => {
    for (const { value, path, buffer } of kept)
      if (path.at(-1) === loop)
        b.store(
          buffer.name,
          value,
          placeIn(s, path, b, (l) => coordinateIn(s, l, b)),
        );
  }).ops;
  return opWith(loop, {
    regions: [{ params: region.params, ops: [...ops.slice(0, -1), ...stores, ...ops.slice(-1)] }],
  });
};

/**
 * Where in memory a value of an iteration is kept: one row after the other, by the coordinates of the loops around it.
 *
 * @param at how far a loop is where this is computed, by its coordinate, or by its counter where there are several
 */
const placeIn = (s: Setting, path: readonly Op[], b: Builder, at: (loop: Op) => Value): Value =>
  path.reduce<Value | undefined>((row, loop) => {
    const here = at(loop);
    return row ? b.add(b.mul(row, b.i32(tripsOf(loop, s.constants)!)), here) : here;
  }, undefined)!;

/** How far a loop is, within it. */
const coordinateIn = (s: Setting, loop: Op, b: Builder): Value => {
  const [counter] = loop.regions[0].params;
  const lacks = s.facts.axesOf(loop)!.some((a) => a.lacks.has(counter.id));
  return lacks ? b.sub(b.i32(tripsOf(loop, s.constants)! - 1), counter) : counter;
};

/** Loops over elements, the last coordinate innermost, and within them over what is summed up. */
const nestOf = (
  s: Setting,
  { ops: [{ attrs, loc }], index, value, path, own, over }: Sum,
  kept: Kept,
  b: Builder,
): void => {
  const { kind: _, activate: __, ...place } = attrs;
  const counters = new Map<Axis, Value>();
  const loops = (axes: readonly Axis[], carried: Value): Value => {
    const [axis, ...others] = axes;
    if (!axis) return b.add(carried, again(s, path, counters, kept, b)(value));
    return b.for(b.i32(0), b.i32(axis.extent), b.i32(1), {}, [carried], (at, [sum]) => {
      counters.set(axis, at);
      return loops(others, sum);
    })[0];
  };
  const elements = (n: number): void => {
    const axis = own[n];
    const { region } = b.region([{ type: 'i32', ...(axis.hint === undefined ? {} : { hint: axis.hint }) }], ([at]) => {
      counters.set(axis, at);
      if (n + 1 < own.length) return elements(n + 1);
      const here = index.map(again(s, path, counters, kept, b));
      const sum = loops(over, b.value('field.load', here, place));
      b.op('field.store', [sum, ...here], { ...place, activate: false });
    });
    const lanes = n + 1 === own.length && liesSideBySide(region, s.constants);
    b.op(
      'scf.for',
      [b.i32(0), b.i32(axis.extent), b.i32(1)],
      { ...(n === 0 ? { parallel: true } : {}), ...(lanes ? { simd: true } : {}) },
      [region],
    );
  };
  b.loc = loc;
  elements(0);
};

/** Computes values of the loops where their coordinates are known. */
const again = (
  s: Setting,
  path: readonly Op[],
  counters: ReadonlyMap<Axis, Value>,
  kept: Kept,
  b: Builder,
): ((v: Value) => Value) => {
  const axes = axesAlong(s, path)!;
  const known = new Map<number, Value>();
  const of = (v: Value): Value => {
    const before = known.get(v.id);
    if (before) return before;
    const made = anew(v);
    known.set(v.id, made);
    return made;
  };
  const coordinate = (loop: Op): Value => {
    const [axis, ...others] = s.facts.axesOf(loop)!;
    return others.length === 0 ? counters.get(axis)! : of(loop.regions[0].params[0]);
  };
  const anew = (v: Value): Value => {
    if (!s.facts.madeAt(v)) return v;
    const axis = axes.find((a) => a.is.has(v.id) || a.lacks.has(v.id));
    if (axis) return axis.is.has(v.id) ? counters.get(axis)! : b.sub(b.i32(axis.extent - 1), counters.get(axis)!);
    const split = s.facts.splitOf(v);
    if (split) return b.add(b.mul(of(split.quotient), of(split.by)), of(split.remainder));
    const there = kept.get(v.id);
    if (there) return b.load(there.buffer.name, placeIn(s, there.path, b, coordinate));
    const op = s.facts.definitions.get(v.id)!;
    const results = op.results.map((r) => b.newValue(r.type, r.hint));
    return b.append(opWith(op, { operands: op.operands.map(of), results }))[0];
  };
  return of;
};
