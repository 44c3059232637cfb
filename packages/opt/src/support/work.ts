import type { Op, Region, Scalar, Value } from '@filigree/ir';
import { tripCount } from './trip-count.js';

/** Trips of a loop whose bounds are not known. */
const unknownTrips = 16;

/** Ops that one run of a region takes, roughly; 2³⁰ at most. */
export const workOf = (region: Region, constantOf: (v: Value) => Scalar | undefined): number =>
  Math.min(
    2 ** 30,
    region.ops.reduce((sum, op) => sum + workOfOp(op, constantOf), 0),
  );

const workOfOp = (op: Op, constantOf: (v: Value) => Scalar | undefined): number => {
  if (op.name === 'arith.constant') return 0;
  const inner = op.regions.reduce((sum, r) => sum + workOf(r, constantOf), 0);
  if (op.name === 'scf.while') return 1 + unknownTrips * inner;
  if (op.name !== 'scf.for') return 1 + inner;
  const trips = tripCount(op, constantOf);
  return 1 + (trips === undefined ? unknownTrips : Number(trips)) * inner;
};
