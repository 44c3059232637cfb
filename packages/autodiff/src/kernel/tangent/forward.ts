import {
  opWith,
  walk,
  type Builder,
  type ControlOf,
  type Effect,
  type Op,
  type OpTable,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import type { Again } from '../reverse/again.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { FoundAgain } from '../values/found-again.js';
import { lostValue } from '../keep/lost.js';
import type { OwnedIn, Owns } from '../elements/own.js';
import type { Coordinate } from '../elements/touched.js';
import type { TwinsOf } from './twins.js';

/** What forward mode asks and shares. */
export interface Forward {
  readonly table: OpTable;
  readonly derivatives: DerivativeTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  readonly twinsOf: TwinsOf;
  readonly again: Again;
  readonly found: FoundAgain;
  /** The op of the primal kernel that makes a value. */
  readonly definition: (v: Value) => Op | undefined;
  readonly active: ReadonlySet<number>;
  /** Whether anything that the kernel writes or returns depends on a value. */
  readonly matters: (v: Value) => boolean;
  /** The places of primals, as effects call them, each with that of its tangents. */
  readonly places: ReadonlyMap<string, string>;
  /** The numbers of the primal kernel, by value. */
  readonly constants: ReadonlyMap<number, Scalar>;
  readonly ownedIn: OwnedIn;
  /** What is known of the integers of the primal kernel. */
  readonly coordinateOf: (v: Value) => Coordinate | undefined;
  /** Whether an op is on elements of which is read what was not written. */
  readonly isRounded: (op: Op) => boolean;
  /** Buffers of which each iteration has its own. */
  readonly own: ReadonlySet<string>;
  /** Whether what the program says of derivatives is kept, for whoever differentiates the kernel again. */
  readonly keepsGiven: boolean;
  /** The values of the primal kernel as they are now, by id; the same map for all regions, since each is left before it is entered again. */
  readonly values: Map<number, Value>;
  /** Tangents by id of the primal value; a value that has none does not change. */
  readonly tangents: Map<number, Value>;
  /** Appends what the ops of a region do, but for its terminator, with tangents. */
  readonly region: (b: Builder, region: Region, around: Around) => void;
}

/** Where an op stands. */
export interface Around {
  /** Whether iterations of a parallel loop around it run at once, and if so which elements are its own. */
  readonly parallel: boolean;
  readonly owns: Owns;
  /** The ops that find extrema of several iterations of the outermost parallel loop around; the first run of that loop gathers them. */
  readonly extrema: Set<Op>;
  /** A second run of a parallel loop, which writes nothing but the tangents of extrema that the first has found. */
  readonly settles: boolean;
}

/** What a value is now. */
export const valueOf = ({ values }: Forward, v: Value): Value => {
  const now = values.get(v.id);
  if (!now) throw new Error(`value ${v.id} is not in scope`);
  return now;
};

/** The tangent of a value; nothing where it is zero. */
export const tangentOf = ({ tangents }: Forward, v: Value): Value | undefined => tangents.get(v.id);

/** As `tangentOf`, zero where there is nothing. */
export const tangentOrZero = (f: Forward, b: Builder, v: Value): Value => f.tangents.get(v.id) ?? b.constant(0, v.type);

/** Says what the tangent of a value is. */
export const setTangent = ({ tangents }: Forward, v: Value, tangent: Value | undefined): void =>
  void (tangent ? tangents.set(v.id, tangent) : tangents.delete(v.id));

/** Appends an op as it is, on values as they are now. */
export const copyOp = (f: Forward, b: Builder, op: Op): readonly Value[] => {
  const results = op.results.map((r) => b.newValue(r.type, r.hint));
  b.append(opWith(op, { operands: op.operands.map((v) => valueOf(f, v)), results }));
  op.results.forEach((r, n) => {
    f.values.set(r.id, results[n]);
    f.tangents.delete(r.id);
  });
  return results;
};

/** Stands for the results of an op that is not done again. */
export const loseResults = (f: Forward, b: Builder, op: Op): void =>
  op.results.forEach((r) => {
    f.values.set(r.id, lostValue(b, r, { why: 'what an op that writes has returned', remedy: REMEDY }));
    setTangent(f, r, f.active.has(r.id) ? lostTangent(b, r) : undefined);
  });

/** The tangent of a value that an atomic update has returned while others may have run in between. */
export const lostTangent = (b: Builder, of: Value): Value =>
  lostValue(b, of, {
    why: 'what an element held before an atomic update, while other iterations may have run',
    remedy: REMEDY,
  });

const REMEDY = 'compute it in another way, or in a kernel of its own';

/** Whether an op is on memory of which each iteration has its own. */
export const isOwnMemory = ({ own }: Forward, op: Op): boolean => own.has(String(op.attrs.buffer).slice(1));

/** What ops of regions do to places, but for those of which each iteration has its own. */
export const effectsWithin = (f: Forward, { regions }: Op): readonly Effect[] => {
  const all: Effect[] = [];
  for (const region of regions)
    walk(region, (op) => {
      for (const e of f.table.get(op.name)!.effects(op))
        if (e.buffer === undefined || !f.own.has(e.buffer)) all.push(e);
    });
  return all;
};
