import { isLoop, type Access, type ControlOf, type Op, type Region, type Scalar, type Value } from '@filigree/ir';
import { tripCount } from './trip-count.js';

/** What is known of the loops of a kernel. */
export interface Loops {
  readonly control: ControlOf;
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** Trips of a loop of which nothing is known; 16 if not given. */
  readonly unknown?: number;
  /** Iterations of a loop that run at once; 1 if not given. */
  readonly lanes?: (loop: Op) => number;
  /** What an op reads and writes, which takes as long on lanes as without; nothing if not given. */
  readonly accesses?: (op: Op) => readonly Access[] | undefined;
}

/**
 * The rough number of ops that one run of a region takes, from 1 to 2³⁰; a division or anything slower counts as
 * several. The attribute `trips` of a loop says how often it runs if its bounds do not. On lanes ops are done for all at once, but memory is
 * read and written as much as without.
 *
 * @param lanes those that the region itself runs on
 */
export const workOf = (region: Region, loops: Loops, weight: (op: Op) => number = work, lanes = 1): number => {
  let sum = 0;
  const count = (op: Op, runs: number, wide: number): void => {
    sum += (runs * weight(op)) / (loops.accesses?.(op)?.length ? 1 : wide);
  };
  timesRun(region, loops, count, 1, lanes);
  return Math.max(1, Math.min(2 ** 30, Math.ceil(sum)));
};

/**
 * Visits the ops of a region in order, each with how often it runs when the region runs once, and on how many lanes; branches with all their
 * arms.
 */
export const timesRun = (
  region: Region,
  loops: Loops,
  visit: (op: Op, runs: number, lanes: number) => void,
  runs = 1,
  lanes = 1,
): void => {
  for (const op of region.ops) {
    visit(op, runs, lanes);
    if (op.regions.length === 0) continue;
    const trips = tripsOf(op, loops);
    const wide = loops.lanes?.(op) ?? 1;
    for (const inner of op.regions) timesRun(inner, loops, visit, runs * trips, lanes * wide);
  }
};

const slow = /^arith\.(div|rem)$|^math\.(?!fma$)/;

/** What an op costs, those in its regions apart. */
export const work = (op: Op): number => (op.name === 'arith.constant' ? 0 : slow.test(op.name) ? 8 : 1);

/** How often the regions of an op run, or may run. */
export const tripsOf = (op: Op, { control, constantOf, unknown = 16 }: Loops): number => {
  const flow = control(op);
  return flow && isLoop(flow) ? Number(tripCount(flow.count, constantOf) ?? op.attrs['trips'] ?? unknown) : 1;
};
