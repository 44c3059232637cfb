import {
  bufferMap,
  Builder,
  highestId,
  idsFrom,
  type Buffer,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import { againIn, passingWrites } from './again.js';
import type { ForgetCleared } from './cleared.js';
import { cutsOf } from './cuts.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { MakeBuffer } from '../keep/history.js';
import type { Influence } from './influence.js';
import type { Found, KeptReads } from '../keep/kept-reads.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import type { Overwritten } from '../keep/overwrites.js';
import type { Places } from '../keep/places.js';
import { ownsAll, type OwnedIn } from '../elements/own.js';
import { recordLoop } from './record.js';
import { foundAgain } from '../values/found-again.js';
import type { Reversal } from './reversal.js';
import { reverseRegion } from './reverse.js';
import { settledPlaces } from '../elements/settled-places.js';
import { Sums } from './sums.js';

/** What is known of a kernel before it is reversed. */
export interface Setting {
  readonly primal: Kernel;
  readonly table: OpTable;
  readonly derivatives: DerivativeTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  /** The adjoints of buffers that it uses. */
  readonly ownBuffers: ReadonlyMap<string, Buffer>;
  readonly active: ReadonlySet<number>;
  /** See `cutsOf`. */
  readonly influence: Influence;
  readonly steep: ReadonlySet<number>;
  readonly unreached: ReadonlySet<number>;
  readonly places: ReadonlySet<string>;
  readonly facts: LoopFacts;
  readonly ownedIn: OwnedIn;
  readonly forgetCleared: ForgetCleared;
  readonly iterations: number;
  /** See `keepingPlaces`. */
  readonly appended: Places;
  /** See `reversesInAnyOrder`. */
  readonly anyOrder: (loop: Op) => boolean;
  readonly overwritten: Overwritten;
  /** What serial code reads and overwrites, where it can be kept. */
  readonly keptReads: KeptReads | undefined;
}

/** What a derivative asks for that is kept in memory: the states of loops, and what reads found, by their numbers. */
export interface Remembered {
  readonly loops: ReadonlySet<number>;
  readonly reads: ReadonlySet<number>;
}

/** How an adjoint says that a loop had more iterations than there was room for. */
export interface Overflow {
  /** Of one element: 0, or the number of one of the loops, counted from 1. */
  readonly buffer: string;
  readonly loops: readonly TooLong[];
}

/** A loop that may have more iterations than there is room for, those of loops in it among them; or an append of which more places may be asked for. */
export interface TooLong {
  readonly op: Op;
  readonly most: number;
}

/** An adjoint kernel before dead code is dropped. */
export interface Draft {
  readonly draft: Kernel;
  readonly buffers: readonly Buffer[];
  readonly parameters: ReadonlyMap<number, string>;
  readonly unwanted: readonly (readonly string[])[];
  readonly arrays: ReadonlyMap<string, string>;
  readonly overflow?: Overflow;
}

/**
 * Makes an adjoint kernel. What loops carried, and what was read and then overwritten, is known in it of those that are `remembered`; of others it is lost.
 */
export const draftAdjoint = (
  known: readonly Buffer[],
  { primal, facts, influence, steep, keptReads, ...setting }: Setting,
  remembered: Remembered,
): Draft => {
  const { name } = primal;
  const { table, elementOf, ownBuffers, active } = setting;
  const made: Buffer[] = [];
  /* Buffers are made while the body is: loads of them have their types from here. */
  const buffers = new Map([...bufferMap(known), ...bufferMap([...ownBuffers.values()])]);
  const buffer: MakeBuffer = (type, length, role, called) => {
    const one = { name: `${name}_${called}`, type, length, role };
    if (buffers.has(one.name)) one.name += `_${made.length}`;
    made.push(one);
    buffers.set(one.name, one);
    return one.name;
  };
  const parameters = new Map(
    primal.params.flatMap((p, n) =>
      active.has(p.id) ? [[n, buffer(p.type as ScalarType, 1, 'output', `by_${p.hint ?? n}`)] as const] : [],
    ),
  );
  const settled = settledPlaces(primal.body, elementOf);
  const keeping = keptReads?.keeping(buffer, remembered.reads);
  /* Where there was no room for the place of an append, that is reported. */
  const found: Found = (b, read, valueOf) => {
    const slots = setting.appended.get(String(read.attrs.field));
    if (slots?.isOpen) r.overflow(b, read, b.cmp('ge', valueOf(read.operands[0]), b.i32(slots.room)), slots.room);
    return keeping?.found(b, read, valueOf);
  };
  const tooLong: TooLong[] = [];
  let flag: string | undefined;
  const r: Reversal = {
    ...setting,
    ...facts,
    again: againIn(
      table,
      elementOf,
      passingWrites(primal.body, elementOf),
      ({ id }) => influence.of.has(id),
      { body: primal.body, places: settled },
      setting.overwritten,
      found,
    ),
    found: foundAgain(primal, setting.derivatives),
    settled,
    cell: (v) => buffer(v.type as ScalarType, 1, 'temp', 'sum'),
    buffer,
    remembered: new Set([...facts.loops].flatMap(([op, n]) => (remembered.loops.has(n) ? [op] : []))),
    recorded: new Map(),
    record: (b, op, values) => recordLoop(r, b, op, values),
    region: (b, region, values, sums, owns) => {
      r.again.region(b, region, values, r.record);
      reverseRegion(r, b, region, values, sums, owns);
    },
    reverse: (b, region, values, sums, owns) => reverseRegion(r, b, region, values, sums, owns),
    overflow: (b, op, when, most) => {
      const at = (flag ??= buffer('i32', 1, 'output', 'overflow'));
      const known = tooLong.findIndex((l) => l.op === op && l.most === most);
      const n = known < 0 ? tooLong.push({ op, most }) : known + 1;
      b.if(when, () => void b.atomic(at, 'max', b.i32(n), b.i32(0)));
    },
  };
  const ids = idsFrom(highestId(primal) + 1);
  const b = new Builder(table, buffers, ids);
  const unwanted: Value = { id: ids.next(), type: 'i32', hint: 'unwanted' };
  const cuts = cutsOf(influence, steep, unwanted);
  const { region: body } = b.region([], () => {
    const { ops } = b.collect(() => {
      const sums = new Sums(active, cuts);
      const params = new Map(primal.params.map((p) => [p.id, p]));
      keeping?.run(b, params, r.overflow);
      r.region(b, primal.body, params, sums, ownsAll);
      for (const [n, at] of parameters)
        b.store(at, sums.leaving(b, primal.params[n]) ?? b.constant(0, primal.params[n].type), b.i32(0));
    });
    for (const one of ownBuffers.values()) clear(b, one);
    if (flag !== undefined) b.store(flag, b.i32(0), b.i32(0));
    ops.forEach((op) => b.append(op));
  });
  const groups = cuts.unwanted();
  return {
    draft: {
      name: `${name}_adjoint`,
      params: [...primal.params, ...(groups.length > 0 ? [unwanted] : [])],
      body,
      attrs: primal.attrs,
    },
    buffers: [...ownBuffers.values(), ...made],
    parameters,
    unwanted: groups,
    arrays: new Map([...ownBuffers].flatMap(([of, one]) => (one.role === 'output' ? [[of, one.name] as const] : []))),
    ...(flag === undefined ? {} : { overflow: { buffer: flag, loops: tooLong } }),
  };
};

const clear = (b: Builder, { name, type, length }: Buffer): void => {
  if (length === 1) return b.store(name, b.constant(0, type), b.i32(0));
  b.for(b.i32(0), b.i32(length), b.i32(1), { parallel: true }, [], (n) => b.store(name, b.constant(0, type), n));
};
