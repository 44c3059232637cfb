import {
  mapKernels,
  rewriteOps,
  opWith,
  type Op,
  type Region,
  type RewriteContext,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { constantIn } from './support/constant-in.js';
import { corePass } from './support/core-pass.js';
import { factsOf, isEmpty, isLoopOp, type Facts } from './support/facts.js';
import { isParallelLoop } from './support/scratch.js';
import { tripsOf, work } from './support/work.js';

/**
 * Finds outermost parallel loops whose iterations take very different times, and marks them `schedule = dynamic`, so
 * that threads take them a few iterations at a time. These are loops most of whose work is in inner loops that the data
 * control: whether they run, and how often. A loop that is already marked is left alone.
 */
export const unevenLoops = corePass('uneven-loops', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) =>
    mapKernels(module, (k) =>
      rewriteOps(
        k,
        dialects,
        (op, ctx) => {
          if (op.name !== 'scf.for' || op.attrs['parallel'] !== true || op.attrs['schedule'] !== undefined)
            return undefined;
          if (ctx.parents.some((p) => isParallelLoop(p, facts))) return undefined;
          return isUneven(op, ctx, facts)
            ? { ops: [opWith(op, { attrs: { ...op.attrs, schedule: 'dynamic' } })], values: op.results }
            : undefined;
        },
        module.buffers,
      ),
    );
});

/** What a part of an iteration costs whatever the data are, and what it costs besides at the most. */
interface Work {
  readonly sure: number;
  readonly perhaps: number;
}

const nothing: Work = { sure: 0, perhaps: 0 };

const plus = (a: Work, b: Work): Work => ({ sure: a.sure + b.sure, perhaps: a.perhaps + b.perhaps });

const unsure = ({ sure, perhaps }: Work): Work => ({ sure: 0, perhaps: sure + perhaps });

const isUneven = (loop: Op, ctx: RewriteContext, facts: Facts): boolean => {
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const data = new Set<number>();
  const guard = guardOf(loop.regions[0]!, facts);
  const workOf = (region: Region): Work => region.ops.reduce((sum, op) => plus(sum, workOfOp(op)), nothing);
  const workOfOp = (op: Op): Work => {
    const own = { sure: work(op), perhaps: 0 };
    const byData = op.operands.some((v) => data.has(v.id));
    const decides = decidersOf(op, facts).some((v) => data.has(v.id));
    if (byData || !isEmpty(facts.footprint(op).reads)) {
      for (const v of op.results) data.add(v.id);
      /* What a loop carries may be of data from the second iteration on. */
      const counter = facts.control(op)?.count?.counter;
      for (const r of op.regions) r.params.forEach((p, k) => k !== counter && data.add(p.id));
    }
    if (op.regions.length === 0) return own;
    const inside = op.regions.map(workOf).reduce(plus);
    const trips = tripsOf(op, { control: facts.control, constantOf });
    const all = { sure: trips * inside.sure, perhaps: trips * inside.perhaps };
    const loops = isLoopOp(op, facts);
    const counted = facts.control(op)?.count !== undefined;
    const decided =
      (loops && !counted) || (decides && (loops || (op !== guard && op.regions.some((r) => hasLoop(r, facts)))));
    return plus(own, decided ? unsure(all) : all);
  };
  const { sure, perhaps } = workOf(loop.regions[0]!);
  return perhaps > sure;
};

/** The values that tell which regions of an op run, and how often: what a loop counts, or conditions. */
const decidersOf = (op: Op, facts: Facts): readonly Value[] => {
  const count = facts.control(op)?.count;
  return count ? [count.lower, count.upper, count.step].filter((v) => typeof v !== 'number') : op.operands;
};

/** The branch that is all of an iteration, as around what is done for a cell if it is active. */
const guardOf = (region: Region, facts: Facts): Op | undefined => {
  const nested = region.ops.filter((op) => op.regions.length > 0);
  if (nested.length !== 1) return undefined;
  const [op] = nested as [Op];
  return facts.control(op)?.count ? guardOf(op.regions[0]!, facts) : op;
};

const hasLoop = (region: Region, facts: Facts): boolean =>
  region.ops.some((op) => isLoopOp(op, facts) || op.regions.some((r) => hasLoop(r, facts)));
