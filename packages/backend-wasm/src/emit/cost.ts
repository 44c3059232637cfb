import type { Op, Region } from '@filigree/ir';
import type { Facts } from './facts.js';

/** Trips of a loop whose bounds are not known. */
const unknownTrips = 16;

/** A loop of fewer operations than this is not worth waking another thread for: that takes some microseconds. */
export const worthForking = 30_000;

/** Operations of one run of a region, roughly; for deciding whether a parallel loop is worth its threads. */
export const costOf = (r: Region, facts: Facts): number =>
  Math.max(
    1,
    Math.min(
      2 ** 30,
      r.ops.reduce((n, op) => n + opCost(op, facts), 0),
    ),
  );

const opCost = (op: Op, facts: Facts): number => {
  if (op.name === 'arith.constant') return 0;
  const inner = op.regions.reduce((n, r) => n + costOf(r, facts), 0);
  if (op.name !== 'scf.for') return (op.name === 'scf.while' ? unknownTrips : 1) * inner + (slow.test(op.name) ? 8 : 1);
  const [lb, ub, step] = op.operands.slice(0, 3).map(facts.constantInteger);
  const trips =
    lb === undefined || ub === undefined || step === undefined || step <= 0
      ? unknownTrips
      : Math.max(0, Math.ceil((ub - lb) / step));
  return 1 + trips * inner;
};

const slow = /^arith\.(div|rem)$|^math\./;
