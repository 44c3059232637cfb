import { freeValues, type Builder, type ControlOf, type Op, type OpTable, type Region, type Value } from '@filigree/ir';
import type { Again, Known } from './again.js';
import type { ElementOpOf } from './element-ops.js';
import type { Owns } from './own.js';
import type { Sums } from './sums.js';

/** What reversing a kernel asks and shares. */
export interface Reversal {
  readonly table: OpTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  readonly again: Again;
  readonly active: ReadonlySet<number>;
  /** Places, as effects call them, of values that have adjoints. */
  readonly places: ReadonlySet<string>;
  /** A buffer of one element of a type, for sums over the iterations of a parallel loop. */
  readonly cell: (v: Value) => string;
  /** Appends a region's computation, and then its reverse. */
  readonly region: (b: Builder, region: Region, known: Known, sums: Sums, owns: Owns) => void;
}

/** The values with adjoints that an op's regions take from around them. */
export const captured = (r: Reversal, op: Op): readonly Value[] => {
  const all = new Map(op.regions.flatMap((region) => freeValues(region).map((v) => [v.id, v] as const)));
  return [...all.values()].filter((v) => r.active.has(v.id));
};
