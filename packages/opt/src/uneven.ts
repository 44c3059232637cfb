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
import { factsOf, isEmpty, type Facts } from './support/facts.js';
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
  const guard = guardOf(loop.regions[0]!);
  const workOf = (region: Region): Work => region.ops.reduce((sum, op) => plus(sum, workOfOp(op)), nothing);
  const workOfOp = (op: Op): Work => {
    const own = { sure: work(op), perhaps: 0 };
    const byData = op.operands.some((v) => data.has(v.id));
    const decides = (op.name === 'scf.for' ? op.operands.slice(0, 3) : op.operands).some((v) => data.has(v.id));
    if (byData || !isEmpty(facts.footprint(op).reads)) {
      for (const v of op.results) data.add(v.id);
      /* What a loop carries may be of data from the second iteration on. */
      for (const r of op.regions) for (const p of op.name === 'scf.for' ? r.params.slice(1) : r.params) data.add(p.id);
    }
    if (op.regions.length === 0) return own;
    const inside = op.regions.map(workOf).reduce(plus);
    const trips = tripsOf(op, { control: facts.control, constantOf });
    const all = { sure: trips * inside.sure, perhaps: trips * inside.perhaps };
    const decided =
      op.name === 'scf.while' || (decides && (op.name === 'scf.for' || (op !== guard && op.regions.some(hasLoop))));
    return plus(own, decided ? unsure(all) : all);
  };
  const { sure, perhaps } = workOf(loop.regions[0]!);
  return perhaps > sure;
};

/** The branch that is all of an iteration, as around what is done for a cell if it is active. */
const guardOf = (region: Region): Op | undefined => {
  const nested = region.ops.filter((op) => op.regions.length > 0);
  if (nested.length !== 1) return undefined;
  return nested[0]!.name === 'scf.for' ? guardOf(nested[0]!.regions[0]!) : nested[0];
};

const hasLoop = (region: Region): boolean =>
  region.ops.some((op) => op.name === 'scf.for' || op.name === 'scf.while' || op.regions.some(hasLoop));
