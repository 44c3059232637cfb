import {
  bufferMap,
  Builder,
  cloneOps,
  defineGeneral,
  dialect,
  highestId,
  idsFrom,
  isFloat,
  mapRegions,
  type Buffer,
  type Kernel,
  type Op,
  type OpTable,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import { coneOf } from './cone.js';
import { numbersOf } from './limits.js';
import { takenBy } from './out-of-branches.js';
import { onlyReads, sameIn, withInner, type NestSetting } from './same.js';

/** A nest as two, one after the other. */
export interface KeptApart {
  /** Computes what the other one would compute for each neighbour again, and keeps it. */
  readonly first: readonly Op[];
  /** The bounds of all loops of the other one, and its outermost loop. */
  readonly rest: readonly Op[];
  readonly buffers: readonly Buffer[];
}

/** What a value follows from that is dear: ops that are, or many of them. */
export interface Dear {
  /** @param reads whether a value follows from what is read */
  readonly isDear: (op: Op, reads: (v: Value) => boolean) => boolean;
  /** Whether so many ops are many, where sums into so many neighbours follow from the value. */
  readonly areMany: (ops: number, sums: number) => boolean;
}

/** What is read of what a nest before has kept, by the counters of an iteration. Nothing changes it, so it is no effect; `loadKept` makes loads of it. */
export const kept = dialect('kept', [
  defineGeneral(
    { name: 'kept.value', summary: 'a value of another iteration', verify: () => [], resultTypes: () => [] },
    (op, _args, machine) => machine.trap(op, 'what is kept is loaded'),
  ),
]);

/**
 * A nest whose sums into neighbours follow from what is dear, such as a sum over the taps of a filter that is squared: once for all neighbours it is computed by a nest before, and kept in memory of the kernel. What is left adds to elements what follows from that, and can be turned round.
 *
 * @param dear what is not run again for each neighbour
 */
export const keptApart = (
  { loops, ops }: { readonly loops: readonly Op[]; readonly ops: readonly Op[] },
  s: NestSetting,
  layout: Layout,
  nameOf: () => string,
  dear: Dear,
): KeptApart | undefined => {
  const { table, ids } = s;
  const body = ops.slice(0, -1);
  const isWriting = (op: Op): boolean =>
    withInner([op]).some(({ name }) => name === 'field.store' || name === 'field.atomic');
  const isPlain = (op: Op): boolean =>
    op.name === 'field.load' ||
    onlyReads(op, table) ||
    (op.regions.length === 0 && table.get(op.name)!.effects(op).length === 0);
  const computed = body.filter((op) => !isWriting(op));
  const made = new Map(computed.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const changing = new Set(loops.flatMap(({ regions: [{ params }] }) => params.map((p) => p.id)));
  /* Sums into one element, as those of the derivatives by weights, need no neighbours: they stay with what they are computed from. */
  const isFixed = (v: Value): boolean =>
    !changing.has(v.id) &&
    [...coneOf(v, made)].every(
      (op) => op.name.startsWith('arith.') && op.operands.every(({ id }) => !changing.has(id)),
    );
  const staying = new Set(
    fieldsOf(body).flatMap(([, ops]) =>
      ops.every((op) => body.includes(op) && isPlainSum(op, body) && op.operands.slice(1).every(isFixed)) ? ops : [],
    ),
  );
  const consumers = body.filter((op) => isWriting(op) && !staying.has(op));
  const isAdded = withInner(consumers).some((o) => o.name === 'field.atomic' && o.attrs.kind === 'add');
  if (!isAdded || !computed.every(isPlain)) return undefined;
  const same = sameIn(loops, ops, s);
  const box = loops.map((loop) => {
    const between = same.between(loop);
    return between && numbersOf(between);
  });
  if (!box.every((range) => range !== undefined && range[0] < range[1])) return undefined;

  const known = new Map<number, boolean>();
  const isDearValue = (v: Value): boolean => {
    const before = known.get(v.id);
    if (before !== undefined) return before;
    const op = made.get(v.id);
    const all = op ? withInner([op]) : [];
    const found =
      op !== undefined && (all.some((o) => dear.isDear(o, reads)) || takenBy(op).some(isDearValue) || isLong(v, op));
    known.set(v.id, found);
    return found;
  };
  const reads = (v: Value): boolean => withInner([...coneOf(v, made)]).some(({ name }) => name === 'field.load');
  /** How many sums follow from what an op gives. */
  const sumsOf = new Map<Op, number>();
  for (const op of consumers) {
    const many = withInner([op]).filter(({ name }) => name === 'field.atomic').length;
    for (const o of new Set(takenBy(op).flatMap((v) => [...coneOf(v, made)])))
      sumsOf.set(o, (sumsOf.get(o) ?? 0) + many);
  }
  const isLong = (v: Value, op: Op): boolean =>
    dear.areMany(
      withInner([...coneOf(v, made)]).filter((o) => o.name !== 'arith.constant').length,
      sumsOf.get(op) ?? 0,
    );
  /* What follows from one dear value alone is computed from that again, where others follow from it too. */
  const chainsOf = new Map<number, readonly Value[]>();
  const chainOf = (v: Value): readonly Value[] => {
    const op = made.get(v.id)!;
    const seen = chainsOf.get(v.id);
    if (seen) return seen;
    const [one, ...others] = (op.regions.length > 0 ? [] : op.operands.filter(isDearValue)).map(chainOf);
    const chain = [v, ...(one ?? []).filter((x) => others.every((other) => other.some(({ id }) => id === x.id)))];
    chainsOf.set(v.id, chain);
    return chain;
  };
  const chains = consumers.flatMap(takenBy).filter(isDearValue).map(chainOf);
  const roots = new Map(chains.map((chain) => [chain[chain.length - 1].id, chain] as const));
  const values = [...roots].map(([root, some]) => {
    const all = chains.filter((chain) => chain[chain.length - 1].id === root);
    return some.find((v) => all.every((chain) => chain.includes(v)))!;
  });
  const found = new Set(values.map((v) => v.id));
  const size = box.reduce((n, range) => n * (range![1] - range![0]), 1);
  if (values.length === 0 || values.length > MOST_KEPT || !values.every(({ type }) => isFloat(type))) return undefined;
  if (!withInner(ops).some((op) => elementsOf(op, layout) >= size)) return undefined;
  const needed = new Set(
    [...values, ...[...staying].flatMap((op) => op.operands)].flatMap((v) => [...coneOf(v, made)]),
  );
  /* A branch that writes may have results; what is kept is there before. */
  const later = new Set(consumers.flatMap((op) => op.results.map((r) => r.id)));
  if ([...needed].some((op) => takenBy(op).some(({ id }) => later.has(id)))) return undefined;
  if (!readsBeforeWrites(body, needed)) return undefined;

  const buffers = values.map((v): Buffer => ({
    name: nameOf(),
    type: v.type as ScalarType,
    length: size,
    role: 'temp',
  }));
  const ranges = box as readonly (readonly [number, number])[];
  const counters = loops.map(({ regions: [{ params }] }) => params[0]);
  const nest = (inside: (b: Builder, at: ReadonlyMap<number, Value>, own: readonly Value[]) => void): readonly Op[] => {
    const b = new Builder(table, bufferMap(buffers), ids);
    const along = (bounds: readonly (readonly Value[])[], own: readonly Value[]): void => {
      const d = own.length;
      if (d === loops.length) return inside(b, new Map(counters.map((c, n) => [c.id, own[n]])), own);
      const [from, to, step] = bounds[d];
      b.for(from, to, step, loops[d].attrs, [], (n) => (along(bounds, [...own, n]), []));
    };
    return b.collect(() => {
      b.loc = loops[0].loc;
      const bounds = ranges.map(([from, to]) => [from, to, 1].map((n) => b.i32(n)));
      along(bounds, []);
    }).ops;
  };
  const first = nest((b, at, own) => {
    const again = cloneOps(body.filter((op) => needed.has(op) || staying.has(op)), ids, at); // prettier-ignore
    again.ops.forEach((op) => b.append(op));
    buffers.forEach(({ name }, n) => b.store(name, again.values.get(values[n].id)!, placeIn(b, own, ranges)));
  });
  const rest = nest((b, at, own) => {
    const start = new Map(at);
    buffers.forEach(({ name }, n) => {
      const attrs = { buffer: name, from: ranges.map(([from]) => from), to: ranges.map(([, to]) => to) };
      start.set(values[n].id, b.op('kept.value', own, attrs, [], [values[n].type])[0]);
    });
    const needs = new Set(consumers);
    const need = (op: Op): void => {
      for (const v of takenBy(op)) {
        const other = found.has(v.id) ? undefined : made.get(v.id);
        if (!other || needs.has(other)) continue;
        needs.add(other);
        need(other);
      }
    };
    consumers.forEach(need);
    const again = cloneOps(body.filter((op) => needs.has(op)), ids, start); // prettier-ignore
    again.ops.forEach((op) => b.append(op));
  });
  return { first, rest, buffers };
};

/** The ops on each field, also those within others. */
const fieldsOf = (ops: readonly Op[]): readonly (readonly [field: unknown, ops: readonly Op[]])[] => {
  const found = new Map<unknown, Op[]>();
  for (const op of withInner(ops))
    if (op.attrs.field !== undefined) found.set(op.attrs.field, [...(found.get(op.attrs.field) ?? []), op]);
  return [...found];
};

/** Whether an op adds to an element, and gives nobody what was there. */
const isPlainSum = (op: Op, body: readonly Op[]): boolean =>
  op.name === 'field.atomic' &&
  op.attrs.kind === 'add' &&
  !body.some((other) => takenBy(other).some(({ id }) => op.results.some((r) => r.id === id)));

/** So many numbers of an iteration are kept at most: what flows to six neighbours of a node in space, and what is left there. */
const MOST_KEPT = 8;

/** How many elements the field has that an op touches. */
const elementsOf = ({ attrs: { field } }: Op, layout: Layout): number => {
  const placed = typeof field === 'string' ? layout.fields.get(field) : undefined;
  return !placed || placed.unbounded ? 0 : placed.extents.reduce((n, e) => n * e, 1);
};

/** Whether some ops of an iteration read no field after it has been written to. */
const readsBeforeWrites = (ops: readonly Op[], some: ReadonlySet<Op>): boolean => {
  const written = new Set<unknown>();
  return ops.every((op) => {
    const all = withInner([op]);
    if (some.has(op) && all.some(({ name, attrs }) => name === 'field.load' && written.has(attrs.field))) return false;
    for (const { name, attrs } of all) if (name === 'field.store' || name === 'field.atomic') written.add(attrs.field);
    return true;
  });
};

/** The place of an iteration, one row after the other. */
const placeIn = (b: Builder, counters: readonly Value[], ranges: readonly (readonly [number, number])[]): Value =>
  counters.reduce<Value | undefined>((row, c, n) => {
    const [from, to] = ranges[n];
    const here = from === 0 ? c : b.sub(c, b.i32(from));
    return row ? b.add(b.mul(row, b.i32(to - from)), here) : here;
  }, undefined)!;

/** A kernel with loads of what is kept. */
export const loadKept = (kernel: Kernel, table: OpTable, buffers: readonly Buffer[]): Kernel => {
  const b = new Builder(table, bufferMap(buffers), idsFrom(highestId(kernel) + 1));
  const within = (region: Region): Region => ({
    params: region.params,
    ops: region.ops.flatMap((op): readonly Op[] => {
      if (op.name !== 'kept.value') return [mapRegions(op, within)];
      const { buffer, from, to } = op.attrs;
      const ranges = (from as readonly number[]).map((f, n) => [f, (to as readonly number[])[n]] as const);
      const { ops } = b.collect(() => void b.load(String(buffer), placeIn(b, op.operands, ranges)));
      return [...ops.slice(0, -1), { ...ops[ops.length - 1], results: op.results }];
    }),
  });
  return { ...kernel, body: within(kernel.body) };
};
