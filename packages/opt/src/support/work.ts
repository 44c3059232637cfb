import type { Op, Region, Scalar, Value } from '@filigree/ir';
import { tripCount } from './trip-count.js';

/** Trips of a loop whose bounds are not known. */
const unknownTrips = 16;

/**
 * Ops that one run of a region takes, roughly, from 1 to 2³⁰; what takes a division or more counts as several. A loop's
 * attribute `trips` says how often it runs where its bounds do not.
 */
export const workOf = (region: Region, constantOf: (v: Value) => Scalar | undefined): number =>
  Math.max(
    1,
    Math.min(
      2 ** 30,
      region.ops.reduce((sum, op) => sum + workOfOp(op, constantOf), 0),
    ),
  );

const slow = /^arith\.(div|rem)$|^math\./;
const slowWork = 8;

const workOfOp = (op: Op, constantOf: (v: Value) => Scalar | undefined): number => {
  if (op.name === 'arith.constant') return 0;
  const inner = op.regions.reduce((sum, r) => sum + workOf(r, constantOf), 0);
  const expected = Number(op.attrs['trips'] ?? unknownTrips);
  if (op.name === 'scf.while') return 1 + expected * inner;
  if (op.name !== 'scf.for') return (slow.test(op.name) ? slowWork : 1) + inner;
  return 1 + Number(tripCount(op, constantOf) ?? expected) * inner;
};
