import type { Op, Region, Scalar, Value } from '@filigree/ir';
import { tripCount } from './trip-count.js';

/** Trips of a loop whose bounds are not known. */
const unknownTrips = 16;

/**
 * The rough number of ops that one run of a region takes, from 1 to 2³⁰; a division or anything slower counts as
 * several. The attribute `trips` of a loop says how often it runs if its bounds do not.
 */
export const workOf = (region: Region, constantOf: (v: Value) => Scalar | undefined): number =>
  Math.max(1, timesRun(region, constantOf, work));

/**
 * How often the ops of a region run when the region runs once, each counted with its weight, up to 2³⁰. Loops count as
 * in `workOf`, branches with both arms.
 */
export const timesRun = (
  region: Region,
  constantOf: (v: Value) => Scalar | undefined,
  weight: (op: Op) => number,
): number => {
  let sum = 0;
  for (const op of region.ops) {
    sum += weight(op);
    for (const inner of op.regions) sum += tripsOf(op, constantOf) * timesRun(inner, constantOf, weight);
  }
  return Math.min(2 ** 30, sum);
};

const slow = /^arith\.(div|rem)$|^math\.(?!fma$)/;

/** What an op costs, those in its regions apart. */
export const work = (op: Op): number => (op.name === 'arith.constant' ? 0 : slow.test(op.name) ? 8 : 1);

/** How often the regions of an op run, or may run. */
export const tripsOf = (op: Op, constantOf: (v: Value) => Scalar | undefined): number => {
  if (op.name !== 'scf.for' && op.name !== 'scf.while') return 1;
  const trips = op.name === 'scf.for' ? tripCount(op, constantOf) : undefined;
  return Number(trips ?? op.attrs['trips'] ?? unknownTrips);
};
