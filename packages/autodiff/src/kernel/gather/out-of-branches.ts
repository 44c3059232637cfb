import { freeValues, makeOp, makeValue, opWith, type IdSource, type Op, type OpTable, type Value } from '@filigree/ir';
import { clone } from '../clone.js';
import { isTaps, onlyReads } from './same.js';

/**
 * The ops of an iteration, with what its branches write taken out of them: `if (c) s[i - 1] += v` becomes `s[i - 1] += c ? v : 0`, and `if (c) s[i] = v` becomes `s[i] = c ? v : s[i]`, where the branches still compute what is written, and
 * read what they read. Nothing where that cannot be: where branches loop, write what they read, or compute where they write from what they read.
 *
 * What a branch does not write may lie outside of a field: whoever writes sees to it that only elements within are written.
 *
 * @param hasTaps whether there may be loops: such as only read, and such as hand on nothing, in which it is the same
 */
export const outOfBranches = (
  ops: readonly Op[],
  table: OpTable,
  ids: IdSource,
  hasTaps = false,
): readonly Op[] | undefined => {
  const out: Op[] = [];
  const within = (op: Op): readonly Op[] | undefined => {
    if (hasTaps && op.name === 'scf.for' && onlyReads(op, table)) return [op];
    if (!hasTaps || !isTaps(op)) return flattened(op, table, ids);
    const [{ params, ops }] = op.regions;
    const inner = outOfBranches(ops, table, ids, true);
    return inner && [opWith(op, { regions: [{ params, ops: inner }] })];
  };
  for (const op of writtenOnce(ops)) {
    const flat = op.regions.length === 0 ? [op] : within(op);
    if (!flat) return undefined;
    out.push(...flat);
  }
  return out;
};

/** What an op takes from around it, in its regions too. */
export const takenBy = ({ operands, regions }: Op): readonly Value[] => [...operands, ...regions.flatMap(freeValues)];

const flattened = (op: Op, table: OpTable, ids: IdSource): readonly Op[] | undefined => {
  const effectOf = (inner: Op): boolean => inner.name === 'field.store' || inner.name === 'field.atomic';
  const isFree = ({ name, regions, results }: Op, atomic = name === 'field.atomic'): boolean =>
    regions.length > 0 || name === 'field.load' || name === 'field.store' || (atomic && results.length === 1);
  if (op.name !== 'scf.if') return undefined;
  const arms = op.regions.map(({ ops }) => outOfBranches(ops, table, ids));
  if (!arms.every((a) => a !== undefined)) return undefined;
  const effects = arms.map((a) => a.filter(effectOf));
  if (effects.every((e) => e.length === 0)) return arms.every(readsAlone(table)) ? [op] : undefined;
  if (!arms.every((a) => a.every((o) => isFree(o) || isPure(o, table)))) return undefined;
  const sums = new Map(arms.flatMap((a, n) => effects[n].flatMap((e) => sumIn(a, e) ?? [])).map((s) => [s.store, s]));
  const parts = new Set([...sums.values()].flatMap((sum) => sum.parts));
  if (
    !arms.every((a) => writesLast(a.filter((o) => !parts.has(o)))) ||
    effects.flat().some((e) => e.name === 'field.atomic' && e.attrs.kind !== 'add')
  )
    return undefined;

  const before: Op[] = [];
  for (const [n, arm] of arms.entries()) {
    const moved = wherefrom(arm, effects[n], table);
    if (!moved) return undefined;
    before.push(...moved);
  }
  const [first, second] = effects;
  const isSet = (e: Op): boolean => e.name === 'field.store' && !sums.has(e);
  const isSame = (e: Op, f: Op): boolean => isSet(e) && isSet(f) && isOfOne(e, f);
  const pairs: (readonly [Op | undefined, Op | undefined])[] = first.map((e) => [e, second.find((f) => isSame(e, f))]);
  pairs.push(...second.filter((f) => !first.some((e) => isSame(e, f))).map((f) => [undefined, f] as const));
  /* Of an element that both write in ways of their own the old value would be written last. */
  if (pairs.some(([e, f]) => !e && isSet(f!) && pairs.some(([other]) => other?.attrs.field === f!.attrs.field)))
    return undefined;

  const make = (name: string, like: Value, operands: readonly Value[], attrs: Op['attrs']): Op =>
    makeOp(name, operands, [makeValue(ids.next(), like.type, undefined)], attrs, [], op.loc);
  const end = (handed: readonly Value[]): Op => makeOp('scf.yield', handed, [], {}, [], op.loc);
  /* Each in a branch of its own, with what it needs: whoever computes it again computes nothing else. */
  const written = pairs.flatMap((pair): readonly Op[] => {
    const of = (pair[0] ?? pair[1])!;
    const regions = arms.map((arm, n) => {
      const mine = pair[n];
      if (mine) return { params: [], ops: only(arm, sums.get(mine)?.value ?? mine.operands[0], ids, end) };
      const [value, ...index] = of.operands;
      const without = isSet(of)
        ? make('field.load', value, index, placeOf(of))
        : make('arith.constant', value, [], { value: 0 });
      return { params: [], ops: [without, end(without.results)] };
    });
    const value = makeValue(ids.next(), of.operands[0].type, undefined);
    const index = of.operands.slice(1);
    const write = (what: Value): Op => opWith(of, { operands: [what, ...index] });
    const branch = opWith(op, { regions, results: [value] });
    if (!sums.has(of)) return [branch, write(value)];
    const load = make('field.load', value, index, placeOf(of));
    const sum = make('arith.add', value, [load.results[0], value], {});
    return [branch, load, sum, write(sum.results[0])];
  });
  const isKept = (o: Op): boolean => !effectOf(o) && !before.includes(o) && !parts.has(o);
  const regions = arms.map((arm) => ({ params: [], ops: arm.filter(isKept) }));
  /* All is computed before something is written. */
  const [values, writes] = [true, false].map((computes) => written.filter((o) => o.regions.length > 0 === computes));
  return [...before, ...(op.results.length > 0 ? [opWith(op, { regions })] : []), ...values, ...writes];
};

/** What a value of a branch needs of it, once more, and the end. */
const only = (
  arm: readonly Op[],
  value: Value,
  ids: IdSource,
  end: (handed: readonly Value[]) => Op,
): readonly Op[] => {
  const made = new Map(arm.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const needed = new Set<Op>();
  const visit = (v: Value): void => {
    const op = made.get(v.id);
    if (!op || needed.has(op)) return;
    needed.add(op);
    takenBy(op).forEach(visit);
  };
  visit(value);
  const [into, moved]: [Op[], Map<number, Value>] = [[], new Map()];
  for (const op of arm) if (needed.has(op)) clone(op, moved, into, ids);
  return [...into, end([moved.get(value.id) ?? value])];
};

const isPure = (op: Op, table: OpTable): boolean =>
  op.regions.length === 0 &&
  (table.get(op.name)!.traits.terminator === true || table.get(op.name)!.effects(op).length === 0);

/** Whether nothing but elements of fields is read, and nothing written. */
const readsAlone =
  (table: OpTable) =>
  (ops: readonly Op[]): boolean =>
    ops.every((o) => o.regions.length > 0 || o.name === 'field.load' || isPure(o, table));

/** Whether nothing is read of a field after something has been written to it. */
const writesLast = (ops: readonly Op[]): boolean => {
  const written = new Set<unknown>();
  const reads = (op: Op): boolean =>
    (op.name === 'field.load' && written.has(op.attrs.field)) || op.regions.some((r) => r.ops.some(reads));
  for (const op of ops) {
    if (reads(op)) return false;
    if (op.name === 'field.store' || op.name === 'field.atomic') written.add(op.attrs.field);
  }
  return true;
};

/** The ops of a branch that compute where it writes, in order; nothing where these read something. */
const wherefrom = (arm: readonly Op[], effects: readonly Op[], table: OpTable): readonly Op[] | undefined => {
  const made = new Map(arm.flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const found = new Set<Op>();
  const visit = (v: Value): boolean => {
    const op = made.get(v.id);
    if (!op || found.has(op)) return true;
    found.add(op);
    return isPure(op, table) && op.name.startsWith('arith.') && op.operands.every(visit);
  };
  return effects.every((e) => e.operands.slice(1).every(visit)) ? arm.filter((op) => found.has(op)) : undefined;
};

/** Whether two stores are to one element. */
const isOfOne = (a: Op, b: Op): boolean =>
  a.attrs.field === b.attrs.field && a.operands.slice(1).every((v, n) => v.id === b.operands[n + 1].id);

/** The field of an op on its elements. */
const placeOf = ({ attrs: { activate: _, kind: __, ...place } }: Op): Op['attrs'] => place;

/** A store of what is added to its element, and the ops that read and add. */
interface Sum {
  readonly store: Op;
  readonly value: Value;
  readonly parts: readonly Op[];
}

/** What a store of a branch adds to its element, if it does that alone. */
const sumIn = (arm: readonly Op[], store: Op): Sum | undefined => {
  const madeBy = (v: Value): Op | undefined => arm.find((o) => o.results.some((r) => r.id === v.id));
  const isOnce = (v: Value): boolean => arm.flatMap(takenBy).filter((t) => t.id === v.id).length === 1;
  const add = store.name === 'field.store' ? madeBy(store.operands[0]) : undefined;
  if (add?.name !== 'arith.add' || !isOnce(add.results[0])) return undefined;
  for (const [n, before] of add.operands.entries()) {
    const load = madeBy(before);
    const isBefore =
      load?.name === 'field.load' &&
      load.attrs.field === store.attrs.field &&
      load.operands.every((v, k) => v.id === store.operands[k + 1].id) &&
      isOnce(before);
    if (isBefore) return { store, value: add.operands[1 - n], parts: [load, add] };
  }
  return undefined;
};

/** Ops in which an element that is set to zero and then added to, as an adjoint that was taken, is set to what is added. */
const writtenOnce = (ops: readonly Op[]): readonly Op[] => {
  const numbers = new Map(ops.flatMap((op) => op.results.map((r) => [r.id, op.attrs.value] as const)));
  const touches = (op: Op, field: unknown): boolean =>
    op.attrs.field === field || op.regions.some((r) => r.ops.some((o) => touches(o, field)));
  let now = ops;
  for (const zero of ops) {
    if (zero.name !== 'field.store' || numbers.get(zero.operands[0].id) !== 0) continue;
    const [load, store] = now.slice(now.indexOf(zero) + 1).filter((op) => touches(op, zero.attrs.field));
    const sum = store?.name === 'field.store' && isOfOne(zero, store) ? sumIn(now, store) : undefined;
    if (!sum || sum.parts[0] !== load) continue;
    const dropped = new Set([zero, ...sum.parts]);
    now = now.flatMap((op) =>
      dropped.has(op) ? [] : op === store ? [opWith(op, { operands: [sum.value, ...op.operands.slice(1)] })] : [op],
    );
  }
  return now;
};
