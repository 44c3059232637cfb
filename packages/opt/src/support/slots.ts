import {
  handedOn,
  opWith,
  receivedBy,
  type Control,
  type ControlEdge,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { terminatorOf } from './values.js';

/**
 * One of the values that an op carries through its regions, at all places where it is handed on or arrives. All of them are
 * of one type, and dropped together.
 */
export interface Slot {
  /** Where it is handed on: positions of operands, of the op or of the terminators of its regions. */
  readonly from: readonly (readonly [ControlEdge['from'], number])[];
  /** Where it arrives: positions of parameters and results. */
  readonly to: readonly (readonly [ControlEdge['to'], number])[];
}

/** What an op carries. */
export const slotsOf = (op: Op, { edges }: Control): readonly Slot[] => {
  const at = new Map<string, MutableSlot>();
  for (const edge of edges) {
    const count = receivedBy(op, edge).length;
    for (let k = 0; k < count; k++) {
      const [from, to] = [edge.first + k, edge.into + k];
      const [leaves, arrives] = [`${edge.from} ${from}`, `${edge.to}:${to}`];
      const slot = at.get(leaves) ?? at.get(arrives) ?? { from: new Map(), to: new Map() };
      const other = at.get(arrives) ?? slot;
      slot.from.set(leaves, [edge.from, from]);
      slot.to.set(arrives, [edge.to, to]);
      if (other !== slot) {
        other.from.forEach((place, key) => slot.from.set(key, place));
        other.to.forEach((place, key) => slot.to.set(key, place));
      }
      for (const key of [...slot.from.keys(), ...slot.to.keys()]) at.set(key, slot);
    }
  }
  return [...new Set(at.values())].map((s) => ({ from: [...s.from.values()], to: [...s.to.values()] }));
};

interface MutableSlot {
  readonly from: Map<string, readonly [ControlEdge['from'], number]>;
  readonly to: Map<string, readonly [ControlEdge['to'], number]>;
}

/** The operands through which a slot is handed on. */
export const sourcesOf = (op: Op, { from }: Slot): readonly Value[] =>
  from.map(([at, n]) => (at === 'start' ? op : terminatorOf(op.regions[at]!)).operands[n]!);

/** The parameters and results that a slot arrives as. */
export const targetsOf = (op: Op, { to }: Slot): readonly Value[] =>
  to.map(([at, n]) => (at === 'end' ? op.results : op.regions[at]!.params)[n]!);

/** An op without some of the values that it carries. */
export const withoutSlots = (op: Op, dropped: readonly Slot[]): Op => {
  const gone = new Set(
    dropped.flatMap((s) => [...s.from.map(([at, n]) => `${at} ${n}`), ...s.to.map(([at, n]) => `${at}:${n}`)]),
  );
  const left = (values: readonly Value[], key: string): readonly Value[] =>
    values.filter((_, n) => !gone.has(key + String(n)));
  return opWith(op, {
    operands: left(op.operands, 'start '),
    results: left(op.results, 'end:'),
    regions: op.regions.map((region, n) => {
      const params = left(region.params, `${n}:`);
      const last = region.ops.length > 0 ? left(terminatorOf(region).operands, `${n} `) : [];
      return withTerminator({ ...region, params }, last);
    }),
  });
};

/** The region ending in the same terminator with other operands. */
export const withTerminator = (region: Region, operands: readonly Value[]): Region =>
  region.ops.length === 0
    ? region
    : { params: region.params, ops: [...region.ops.slice(0, -1), opWith(terminatorOf(region), { operands })] };

/** Operands that decide where control goes, or how often: of an op those that it does not hand on, and likewise of its terminators. */
export const decidingOperands = (op: Op, { edges }: Control): readonly Value[] => {
  const handed = (at: ControlEdge['from']): number =>
    Math.min(...edges.filter((e) => e.from === at && handedOn(op, e).length > 0).map((e) => e.first));
  return [
    ...op.operands.slice(0, handed('start')),
    ...op.regions.flatMap((r, n) => (r.ops.length > 0 ? terminatorOf(r).operands.slice(0, handed(n)) : [])),
  ];
};
