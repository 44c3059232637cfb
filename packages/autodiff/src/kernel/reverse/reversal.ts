import {
  freeValues,
  type Builder,
  type ControlOf,
  type Op,
  type OpTable,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import type { Again, Instead, Known } from './again.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { FoundAgain } from '../values/found-again.js';
import type { MakeBuffer, ReportTooLong } from '../keep/history.js';
import type { OwnedIn, Owns } from '../elements/own.js';
import type { ForgetCleared } from './cleared.js';
import type { Recorded } from './recorded.js';
import type { Sums } from './sums.js';

/** What reversing a kernel asks and shares. */
export interface Reversal {
  readonly table: OpTable;
  readonly derivatives: DerivativeTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  readonly again: Again;
  readonly found: FoundAgain;
  readonly active: ReadonlySet<number>;
  /** Values that may be computed for nothing, see `unreachedValues`. */
  readonly unreached: ReadonlySet<number>;
  /** Places, as effects call them, of values that have adjoints. */
  readonly places: ReadonlySet<string>;
  /** Places of the kernel's own that are made again, and hold in the end what they held in the primal. */
  readonly settled: ReadonlySet<string>;
  /** A buffer of one element of a type, for sums over the iterations of a parallel loop. */
  readonly cell: (v: Value) => string;
  /** Appends a region's computation, and then its reverse. */
  readonly region: (b: Builder, region: Region, known: Known, sums: Sums, owns: Owns) => void;
  /** Appends the reverse of a region that is computed already. */
  readonly reverse: Reversal['region'];
  /** Loops by numbers of their own. */
  readonly loops: ReadonlyMap<Op, number>;
  /** Loops whose states the derivative asks for. */
  readonly remembered: ReadonlySet<Op>;
  /** Runs loops in a way in which they can be reversed, and what is known of those that have been run. */
  readonly record: Instead;
  readonly recorded: Map<Op, Recorded>;
  /** Iterations that there is room for in a loop that is remembered, where their number is not known. */
  readonly iterations: number;
  readonly buffer: MakeBuffer;
  readonly ownedIn: OwnedIn;
  readonly forgetCleared: ForgetCleared;
  /** Whether the reverse of a serial loop runs in any order. */
  readonly anyOrder: (loop: Op) => boolean;
  /** Whether an op lies in a parallel loop. */
  readonly isParallel: (op: Op) => boolean;
  readonly constants: ReadonlyMap<number, Scalar>;
  readonly constantOf: (v: Value) => Scalar | undefined;
  readonly overflow: ReportTooLong;
}

/** The values with adjoints that an op's regions take from around them. */
export const captured = (r: Reversal, op: Op): readonly Value[] => {
  const all = new Map(op.regions.flatMap((region) => freeValues(region).map((v) => [v.id, v] as const)));
  return [...all.values()].filter((v) => r.active.has(v.id));
};
