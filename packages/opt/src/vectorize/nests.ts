import {
  byteSize,
  isFloat,
  mapKernels,
  rewriteOps,
  scalarOf,
  walk,
  type Attr,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
} from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import { constantIn } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { laneArithmetic } from '../support/lane-arithmetic.js';
import { attrsOfParts, indexConstant } from '../support/split-loop.js';
import { ownsScratch, scratchOf } from '../support/scratch.js';
import { tripCount } from '../support/trip-count.js';
import { varyingIn } from './varying.js';
import { widen } from './widen.js';

/**
 * Puts the iterations of an `scf.for {simd = true}` that contains loops or branches on vector lanes (thesis §4.3: the
 * innermost dense level). All lanes go through inner loops and branches together, so bounds and conditions must be the
 * same for all of them; sums that inner loops carry become vectors, and what is the same for all lanes is computed
 * once. C compilers do this to innermost loops by themselves but not to nests. A loop is taken only if its number of
 * iterations is known and its lanes add and multiply floats that lie side by side: other work costs as much on lanes as
 * one by one.
 *
 * The attribute `vector_width` of a kernel, a hint, says how many lanes its vectors have.
 *
 * Option `bytes` (default 64): the most bytes of a vector otherwise; more than a register holds means several independent
 * sums, which need not wait for each other. Throws `option/value` when it is not a positive whole number.
 */
export const vectorizeNests = corePass(
  'vectorize-nests',
  { bytes: 64 },
  (dialects, { bytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const scratch = scratchOf(module.buffers);
      return mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            isNest(op) && !ownsScratch(op, ctx, scratch, facts)
              ? vectorizeNest(op, ctx, facts, bytes, k.attrs['vector_width'])
              : undefined,
          module.buffers,
        ),
      );
    };
  },
  { bytes: 1 },
);

const isNest = (op: Op): boolean =>
  op.name === 'scf.for' &&
  op.attrs['simd'] === true &&
  op.results.length === 0 &&
  op.regions[0]!.ops.some((inner) => inner.regions.length > 0);

const vectorizeNest = (
  loop: Op,
  ctx: RewriteContext,
  facts: Facts,
  bytes: number,
  hint: Attr | undefined,
): Replacement | undefined => {
  const constantOf = (v: Op['operands'][number]) => constantIn(v, ctx.definition, facts);
  const step = constantOf(loop.operands[2]!);
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (step === undefined || BigInt(step) !== 1n || trips === undefined) return undefined;
  const lanes = lanesFor(loop, Number(trips), bytes, hint);
  const varying = varyingIn(loop);
  if (lanes < 2 || !goesTogether(loop.regions[0]!, varying, facts)) return undefined;
  const replacement = ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub] = [loop.operands[0]!, loop.operands[1]!];
    const { simd: _simd, ...attrs } = attrsOfParts(loop);
    if (trips === BigInt(lanes) && attrs['parallel'] !== true) widen(loop, lb, lanes, varying, b);
    else b.for(lb, ub, indexConstant(b, loop, BigInt(lanes)), attrs, [], (iv) => widen(loop, iv, lanes, varying, b));
    return [];
  });
  return pays({ params: [], ops: replacement.ops }) ? replacement : undefined;
};

/** As many lanes as the hint says, else as many of the widest float as fit; fewer if iterations were left over. */
const lanesFor = (loop: Op, trips: number, bytes: number, hint: Attr | undefined): number => {
  let width = 0;
  walk(loop.regions[0]!, (op) => {
    for (const v of op.results) if (isFloat(v.type)) width = Math.max(width, byteSize(scalarOf(v.type)));
  });
  if (width === 0) return 0;
  let lanes = 2 ** Math.floor(Math.log2(Math.max(1, typeof hint === 'number' ? hint : bytes / width)));
  while (lanes > 1 && trips % lanes !== 0) lanes /= 2;
  return trips === 0 ? 0 : lanes;
};

/** Whether all lanes do the same ops, each of which has a meaning lane by lane. */
const goesTogether = (region: Region, varying: ReadonlySet<number>, facts: Facts): boolean =>
  region.ops.every((op) => {
    if (facts.terminator(op)) return true;
    if ([...op.operands, ...op.results].some((v) => typeof v.type !== 'string')) return false;
    if (op.name === 'scf.for' || op.name === 'scf.if') {
      const decides = op.name === 'scf.for' ? op.operands.slice(0, 3) : op.operands;
      return (
        op.attrs['parallel'] !== true &&
        !decides.some((v) => varying.has(v.id)) &&
        op.regions.every((r) => goesTogether(r, varying, facts))
      );
    }
    const def = facts.def(op);
    if (!def || op.regions.length > 0) return false;
    /* An element that all lanes read is written by none, as iterations do not depend on one another. */
    const access = loadStoreOf(op);
    if (access) return access.kind === 'load' || varying.has(access.index.id);
    const varies = op.operands.some((v) => varying.has(v.id));
    return facts.pure(op) && op.results.length === 1 && (!varies || def.traits.elementwise === true);
  });

/** Whether all that the vectors are used for is done as fast for all lanes as for one. */
const pays = (region: Region): boolean => {
  let good = true;
  walk(region, (op) => {
    const vectors = [...op.operands, ...op.results].filter((v) => typeof v.type !== 'string');
    good &&= vectors.every((v) => isFloat(v.type)) && (vectors.length === 0 || cheap.has(op.name));
  });
  return good;
};

const cheap: ReadonlySet<string> = new Set([
  ...laneArithmetic,
  'arith.splat',
  'mem.load',
  'mem.store',
  'scf.for',
  'scf.if',
  'scf.yield',
]);
