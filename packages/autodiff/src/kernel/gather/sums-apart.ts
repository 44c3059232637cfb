import {
  cloneOps,
  opWith,
  useCounts,
  type IdSource,
  type Op,
  type OpTable,
  type Region,
  type Value,
} from '@filigree/ir';
import { accumulatorsOf, definedIn } from '@filigree/opt';
import { takenBy } from './out-of-branches.js';

/** A loop as two, one after the other. */
export interface SumsApart {
  /** Adds up, and does nothing else. */
  readonly sums: Op;
  /** Does all else. */
  readonly rest: Op;
}

/**
 * What a loop, or a nest of loops, adds up over all iterations, by values that it hands on, in memory of the kernel, or in elements that are the same for all, as derivatives by arguments, coefficients and weights of a filter are, apart from what else it writes to fields. Nothing where it adds up nothing of that kind, where an iteration reads for
 * that what it has written before, or writes what follows from it. No iteration reads what another one writes.
 */
export const sumsApart = (loop: Op, table: OpTable, ids: IdSource): SumsApart | undefined => {
  const used = useCounts(loop.regions[0]);
  const inside = definedIn(loop.regions[0]);
  const numbers = new Set(
    within(loop).flatMap(({ name, results }) => (name === 'arith.constant' ? [results[0].id] : [])),
  );
  const made = new Map(within(loop).flatMap((op) => op.results.map((r) => [r.id, op] as const)));
  const counters = new Set(
    within(loop).flatMap(({ name, regions }) => (name === 'scf.for' ? [regions[0].params[0].id] : [])),
  );
  /* What loops within it count, as the taps of a filter, is the same in each iteration too. */
  const isSame = (v: Value): boolean => {
    if (!inside.has(v.id) || numbers.has(v.id) || counters.has(v.id)) return true;
    const op = made.get(v.id);
    return op?.regions.length === 0 && op.name.startsWith('arith.') && op.operands.every(isSame);
  };
  const isSum = ({ name, attrs, operands, results }: Op): boolean =>
    (name === 'mem.atomic' || (name === 'field.atomic' && operands.slice(1).every(isSame))) &&
    attrs.kind === 'add' &&
    !used.has(results[0].id);
  if (loop.results.length === 0 && !within(loop).some(isSum)) return undefined;
  const sums = readsBeforeItWrites(loop, isSum) ? part(loop, isSum, true, table) : undefined;
  const rest = sums && part(loop, (op) => isWrite(op) && !isSum(op), false, table);
  if (!rest) return undefined;
  const [fresh] = cloneOps([sums], ids).ops;
  return { sums: opWith(fresh, { results: loop.results }), rest };
};

const isWrite = ({ name }: Op): boolean => name === 'field.store' || name === 'field.atomic';

const within = (op: Op): readonly Op[] => op.regions.flatMap((r) => r.ops.flatMap((o) => [o, ...within(o)]));

/** Whether iterations read no field after they have written to it, but to write there. */
const readsBeforeItWrites = (loop: Op, isSum: (op: Op) => boolean): boolean => {
  const all = within(loop);
  const written = new Set<unknown>();
  const late = new Set<number>();
  for (const op of all) {
    if (isWrite(op)) written.add(op.attrs.field);
    const isLate = op.name === 'field.load' && written.has(op.attrs.field);
    if (!isLate && !takenBy(op).some((v) => late.has(v.id))) continue;
    for (const r of op.results) late.add(r.id);
    if (isSum(op) || op.name === 'scf.yield') return false;
  }
  return true;
};

/** A loop with some of its effects alone, what these need, and with `handsOn` what it hands on; nothing where they need what is left out. */
const part = (loop: Op, keeps: (op: Op) => boolean, handsOn: boolean, table: OpTable): Op | undefined => {
  const needed = new Set<number>();
  let isWhole = true;
  const regionOf = ({ params, ops }: Region, ends: boolean): Region => {
    const kept: Op[] = [];
    for (const op of [...ops].reverse()) {
      const isEnd = table.get(op.name)!.traits.terminator === true;
      const left = isEnd ? (ends ? op : opWith(op, { operands: [] })) : partOf(op);
      if (!left) continue;
      left.operands.forEach((v) => needed.add(v.id));
      kept.unshift(left);
    }
    return { params, ops: kept };
  };
  const partOf = (op: Op): Op | undefined => {
    const isNeeded = op.results.some((r) => needed.has(r.id));
    if (op.regions.length > 0) {
      const regions = op.regions.map((r) => regionOf(r, isNeeded));
      isWhole &&= op.name === 'scf.if' || op.name === 'scf.for';
      if (!isNeeded && regions.every(({ ops }) => ops.length === 1)) return undefined;
      return isNeeded ? opWith(op, { regions }) : handingOnNothing(op, regions);
    }
    if (keeps(op)) return op;
    const isPure = op.name === 'field.load' || table.get(op.name)!.effects(op).length === 0;
    isWhole &&= isPure || (!isNeeded && (isWrite(op) || op.name === 'mem.atomic'));
    return isNeeded ? op : undefined;
  };
  const handingOnNothing = (op: Op, regions: readonly Region[]): Op => {
    if (op.name === 'scf.if') return opWith(op, { regions, results: [] });
    const [{ params, ops }] = regions;
    isWhole &&= params.slice(1).every((p) => !needed.has(p.id));
    return opWith(op, { operands: op.operands.slice(0, 3), regions: [{ params: [params[0]], ops }], results: [] });
  };
  const regions = loop.regions.map((r) => regionOf(r, handsOn));
  const made = handsOn ? opWith(loop, { regions }) : handingOnNothing(loop, regions);
  return isWhole ? withLanes(made) : undefined;
};

/** Loops within a loop that only read and add up may do so in any order. */
const withLanes = (op: Op): Op => {
  const regions = op.regions.map((r) => ({ ...r, ops: r.ops.map(inner) }));
  return op.regions.length === 0 ? op : opWith(op, { regions });
};

const inner = (op: Op): Op => {
  const addsUp =
    op.name === 'scf.for' &&
    op.results.length > 0 &&
    !within(op).some((o) => isWrite(o) || o.name.startsWith('mem.')) &&
    accumulatorsOf(op)?.every((kind) => kind === 'add') === true;
  return withLanes(addsUp ? opWith(op, { attrs: { ...op.attrs, independent: true } }) : op);
};
