import { type Op, type Region, type Value, byteSize, isFloat, isInteger, lanesOf, scalarOf } from '@filigree/ir';
import type { MemoryLayout } from '../memory/layout.js';
import { type Address, addressOf, baseOf, elementBytes } from './address.js';
import { accessesOf } from './core-ops.js';
import type { Facts } from './facts.js';

/** What is decided about a function before it is written: addresses, how often each value is read, how vectors are held. */
export interface Plan {
  readonly addresses: ReadonlyMap<Op, Address>;
  /** Reads of a value that will be written: none means that nothing needs it. */
  readonly uses: (v: Value) => Uses;
  /** Multiples of a value that addresses need in several places, so that they are computed once, where the value is. */
  readonly multiples: (v: Value) => readonly Multiple[];
  /** An integer vector that only addresses are made from: its lanes live in scalars. */
  readonly prefersLanes: (v: Value) => boolean;
  /** Loads of narrow integers that are converted at once, which one instruction can do. */
  readonly widened: (v: Value) => boolean;
}

export interface Uses {
  readonly count: number;
  /** Whether all of them are in the region that defines the value. */
  readonly here: boolean;
}

/** `value · scale`, read `count` times. */
export interface Multiple {
  readonly scale: number;
  readonly count: number;
}

interface Tally {
  count: number;
  here: boolean;
  packed: boolean;
}

/** Plans a function: its body, and the parameters that are defined outside of it. */
export const planOf = (body: Region, facts: Facts, layout: MemoryLayout): Plan => {
  const home = new Map<number, Region>();
  const raw = new Map<number, number>();
  const addresses = new Map<Op, Address>();
  const tallies = new Map<number, Tally>();
  const scaled = new Map<number, Map<number, Tally>>();
  const lanesOnly = new Set<number>();
  const widened = new Set<number>();

  const survey = (r: Region): void => {
    for (const p of r.params) home.set(p.id, r);
    for (const op of r.ops) {
      for (const v of op.operands) raw.set(v.id, (raw.get(v.id) ?? 0) + 1);
      op.regions.forEach(survey);
      for (const v of op.results) home.set(v.id, r);
    }
  };
  survey(body);

  const tally = <K>(map: Map<K, Tally>, key: K): Tally => {
    let t = map.get(key);
    if (!t) map.set(key, (t = { count: 0, here: true, packed: false }));
    return t;
  };
  const count = (t: Tally, v: Value, from: Region, packed: boolean): void => {
    t.count++;
    if (home.get(v.id) !== from) t.here = false;
    if (packed) t.packed = true;
  };
  const read = (v: Value, from: Region, packed: boolean): void => count(tally(tallies, v.id), v, from, packed);
  const readMultiple = (v: Value, scale: number, from: Region): void => {
    let scales = scaled.get(v.id);
    if (!scales) scaled.set(v.id, (scales = new Map<number, Tally>()));
    const known = scales.has(scale);
    count(tally(scales, scale), v, from, false);
    /* However often the multiple is used, the value is read for it once. */
    if (!known) read(v, from, false);
  };

  const region = (r: Region): void => {
    for (let k = r.ops.length - 1; k >= 0; k--) visit(r.ops[k], r);
  };
  const visit = (op: Op, r: Region): void => {
    op.regions.forEach(region);
    const access = accessesOf(op)?.[0];
    const live =
      op.results.length === 0 ||
      op.regions.length > 0 ||
      access?.kind === 'atomic' ||
      op.results.some((v) => tallies.has(v.id));
    if (!live) return;
    const result = op.results[0];
    const lanes = result !== undefined && lanesWelcome(op) && tallies.get(result.id)?.packed === false;
    if (lanes) lanesOnly.add(result.id);
    const touches = access !== undefined && access.kind !== 'hint';
    const indexAt = touches ? op.operands.lastIndexOf(access.index[0]) : undefined;
    if (touches) {
      const [index] = access.index;
      const base = baseOf(layout, access.place);
      const address = addressOf(index, elementBytes(op), base, facts, (v) => raw.get(v.id) ?? 0);
      addresses.set(op, address);
      for (const t of address.terms) {
        if (t.scale === 1) read(t.value, r, false);
        else readMultiple(t.value, t.scale, r);
      }
    }
    op.operands.forEach((v, k) => {
      if (k !== indexAt) read(v, r, !lanes && op.name !== 'arith.extract');
    });
    if (op.name === 'arith.cast') planWidening(op, r, lanes);
  };
  const planWidening = (op: Op, r: Region, lanes: boolean): void => {
    const [from, to] = [op.operands[0], op.results[0]];
    const load = facts.definition(from);
    const bytes = byteSize(scalarOf(from.type));
    const wanted = isFloat(to.type) ? 4 : byteSize(scalarOf(to.type));
    if (load?.name !== 'mem.load' || lanes || !isInteger(from.type) || !(isFloat(to.type) || isInteger(to.type)))
      return;
    if (home.get(from.id) !== r || raw.get(from.id) !== 1 || wanted < 2 * bytes || 2 * bytes * lanesOf(from.type) > 16)
      return;
    if (lanesOf(from.type) > 1) widened.add(from.id);
  };
  region(body);

  const none: Uses = { count: 0, here: true };
  return {
    addresses,
    uses: (v) => tallies.get(v.id) ?? none,
    multiples: (v) =>
      [...(scaled.get(v.id) ?? [])]
        .filter(([, t]) => t.count > 1 || !t.here)
        .map(([scale, t]) => ({ scale, count: t.count })),
    prefersLanes: (v) => lanesOnly.has(v.id),
    widened: (v) => widened.has(v.id),
  };
};

/** Ops that do as well lane by lane on scalars when their result only goes into addresses. */
const lanesWelcome = (op: Op): boolean => {
  const type = op.results[0].type;
  return (
    typeof type !== 'string' &&
    isInteger(type) &&
    laneOps.has(op.name) &&
    op.operands.every((v) => !isFloat(v.type) && scalarOf(v.type) !== 'i1')
  );
};

const laneOps = new Set(
  'add sub mul neg min max and or xor shl shr cast splat iota constant'
    .split(' ')
    .map((n) => `arith.${n}`)
    .concat('mem.load', 'mem.gather'),
);
