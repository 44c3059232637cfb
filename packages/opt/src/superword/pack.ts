import type { ScalarType, Value } from '@filigree/ir';

/** What one lane of an operand is: a value, or a number that is written in. */
export type LaneValue = Value | number;

/** Scalar ops of one block that become one op on a vector (a *superword*). */
export interface Pack {
  readonly name: string;
  /** Positions of the ops, lane by lane; undefined where a lane lets a value of another kind through. */
  readonly ops: readonly (number | undefined)[];
  /** What the lanes come to; of a store, nothing. */
  readonly results: readonly LaneValue[];
  /** The operands that are vectors, position by position, lane by lane. */
  readonly operands: readonly (readonly LaneValue[])[];
  /** Of the results; of a store, of what is stored. */
  readonly type: ScalarType;
  /** Lanes of the vector: at least those in use. What the others hold does not matter. */
  readonly width: number;
}

export const isNumber = (x: LaneValue): x is number => typeof x === 'number';

/** The same for lane values that are the same. */
export const laneKey = (x: LaneValue): string => (isNumber(x) ? (Object.is(x, -0) ? '#-0' : `#${x}`) : `${x.id}`);

export const lanesKey = (lanes: readonly LaneValue[]): string => lanes.map(laneKey).join(' ');

/** What a pack has the vector of: its results, or the first of them, since what follows them does not matter. */
export const firstLanes = ({ results }: Pack): readonly (readonly LaneValue[])[] =>
  Array.from({ length: Math.max(results.length - 1, 0) }, (_, k) => results.slice(0, k + 2));

/** Positions of the ops in a pack. */
export const members = (p: Pack): readonly number[] => p.ops.filter((at) => at !== undefined);
