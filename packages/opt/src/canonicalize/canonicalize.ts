import {
  isFloat,
  bufferMap,
  mapKernels,
  resolve,
  substituteOperands,
  opWith,
  type Buffers,
  type Kernel,
  type Loc,
  type Op,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { constantPool } from '../support/constant-pool.js';
import { factsOf, type Facts } from '../support/facts.js';
import { freshValues, simpleOp, terminatorOf } from '../support/values.js';
import type { CanonicalizeContext } from './context.js';
import { simplifyControl, withoutAgreement, withoutInvariants } from './control-flow.js';
import { evaluateConstants } from './evaluate.js';
import { truthsBehind } from './truths.js';
import { sumsOfBranches } from './sums-of-branches.js';

/**
 * Brings ops to their simplest equal form: folds constants by the ops' own evaluators, applies identities, puts constants
 * on the right of commutative ops, resolves branches and loops whose course is known. Without `fastMath` every result
 * stays the same to the last bit. Ops that fall out of use stay for `dce` to drop.
 *
 * Option `fastMath` (default false): also identities that hold for real numbers only, `x + 0`, `x * 0`, `x - x`, `x / x`, and
 * reassociation of constants.
 */
export const canonicalize = corePass('canonicalize', { fastMath: false as boolean }, (dialects, { fastMath }) => {
  const facts = factsOf(dialects);
  return (module) => {
    const buffers = bufferMap(module.buffers);
    return mapKernels(module, (k) => canonicalizeKernel(k, facts, buffers, fastMath));
  };
});

/** Each round sees through one more layer of loops and branches; few kernels have more than two. */
const maxRounds = 8;

const canonicalizeKernel = (kernel: Kernel, facts: Facts, buffers: Buffers, fastMath: boolean): Kernel => {
  let now = kernel;
  for (let round = 0; round < maxRounds; round++) {
    const { body, again } = sweep(now, facts, buffers, fastMath);
    now = { ...now, body };
    if (!again) break;
  }
  return now;
};

/**
 * One walk over the kernel in program order, so that operands are simple before their users are looked at. `again`: a loop or
 * a branch can be resolved now that what is in it is simpler, so that another walk finds more.
 */
const sweep = (kernel: Kernel, facts: Facts, buffers: Buffers, fastMath: boolean): { body: Region; again: boolean } => {
  const fresh = freshValues(kernel);
  const pool = constantPool(fresh);
  const now = new Map<number, Value>();
  const defs = new Map<number, Op>();
  /** Values that loops carry, and sums of them. */
  const accumulators = new Set<number>();
  /** Conditions whose value is known inside a branch. */
  const known = new Map<number, Scalar>();
  let out: Op[] = [];
  let again = false;
  /** Where the op at hand comes from; what replaces it comes from there too. */
  let place: Loc | undefined;

  const append = (op: Op): void => {
    for (const v of op.results) defs.set(v.id, op);
    out.push(op);
  };
  const context: CanonicalizeContext = {
    facts,
    buffers,
    fastMath,
    constantOf: (v) => pool.scalarOf(v) ?? known.get(v.id),
    defOf: (v) => defs.get(v.id),
    constant: (value, type) => pool.value(value, type, append),
    build: (name, operands, type, attrs = {}) => {
      const ordered = commute(simpleOp(name, operands, attrs, fresh(type), place));
      const folded = fold(ordered);
      if (folded) return folded;
      append(ordered);
      return ordered.results[0]!;
    },
  };
  const fold = (op: Op): Value | undefined => evaluateConstants(op, context) ?? facts.def(op)?.fold?.(op, context);
  const commute = (op: Op): Op => {
    if (op.operands.length !== 2 || facts.def(op)?.traits.commutative !== true) return op;
    const [a, b] = [op.operands[0]!, op.operands[1]!];
    const isConstant = (v: Value): boolean => context.constantOf(v) !== undefined;
    const goesRight = !isConstant(b) && (isConstant(a) || (isKept(op, a) && !isKept(op, b)));
    return goesRight ? opWith(op, { operands: [b, a] }) : op;
  };
  /* The first of two floats is asked whether it is NaN: what a loop carries had better not wait for the answer. */
  const isKept = ({ name }: Op, v: Value): boolean =>
    (name === 'arith.min' || name === 'arith.max') && isFloat(v.type) && context.defOf(v) === undefined;
  const replace = (old: readonly Value[], by: readonly Value[]): void => {
    old.forEach((v, i) => now.set(v.id, by[i]!));
  };

  const visitSimple = (op: Op): void => {
    if (facts.def(op)?.traits.constant) {
      const same = noteConstant(op);
      if (same) now.set(op.results[0]!.id, same);
      else append(op);
      return;
    }
    const ordered = commute(op);
    const value = ordered.results.length === 1 && facts.def(op) ? fold(ordered) : undefined;
    if (value) replace(op.results, [value]);
    else append(ordered);
  };
  const noteConstant = (op: Op): Value | undefined => {
    const scalar = constantOfOp(op, facts);
    return scalar === undefined ? undefined : pool.note(op, scalar);
  };

  /** Puts the ops of a region in place of its owner and gives the operands of its terminator. */
  const inline = (region: Region, args: readonly Value[]): readonly Value[] => {
    region.params.forEach((p, i) => now.set(p.id, args[i]!));
    const last = terminatorOf(region);
    for (const op of region.ops) if (op !== last) visit(op);
    return last.operands.map((v) => resolve(v, now));
  };
  const rewritten = (region: Region): Region => {
    const before = out;
    out = [];
    pool.enter();
    for (const op of region.ops) visit(op);
    pool.leave();
    const result = { params: region.params, ops: out };
    out = before;
    return result;
  };
  /** A region in which these truth values are known. */
  const among = (truths: ReadonlyMap<number, boolean>, region: Region): Region => {
    const outer = [...truths.keys()].map((id) => [id, known.get(id)] as const);
    for (const [id, truth] of truths) known.set(id, truth);
    const result = rewritten(region);
    for (const [id, before] of outer) {
      if (before === undefined) known.delete(id);
      else known.set(id, before);
    }
    return result;
  };

  /** Whether the next walk would resolve a loop or branch, now that what is in it is simpler. */
  const canGoOn = (op: Op): boolean => {
    const step = simplifyControl(op, context);
    return step.kind !== 'keep' || step.op !== op || withoutInvariants(op, context).replaced.length > 0;
  };
  const visitControl = (op: Op): void => {
    const step = simplifyControl(op, context);
    if (step.kind === 'inline') {
      const results = inline(step.region, step.args);
      replace(op.results, results.slice(step.skip));
    } else if (step.kind === 'replace') {
      replace(op.results, step.values);
    } else {
      const { op: kept, replaced } = withoutInvariants(step.op, context);
      for (const { old, by } of replaced) now.set(old.id, by);
      if (kept.name === 'scf.for') for (const v of kept.regions[0]!.params.slice(1)) accumulators.add(v.id);
      const edges = facts.control(kept)?.edges ?? [];
      /* What a region asks at its end is known in the next one. */
      const simpler = kept.regions.reduce((sofar, r, n) => {
        const [way, ...others] = edges.filter(({ to }) => to === n);
        const truths = way?.when && others.length === 0 ? truthsBehind(sofar, way, context.defOf) : undefined;
        return opWith(sofar, { regions: sofar.regions.with(n, truths ? among(truths, r) : rewritten(r)) });
      }, kept);
      const agreed = withoutAgreement(simpler, context);
      const { op: branched, sums } = sumsOfBranches(agreed.op, context, accumulators, fresh);
      append(branched);
      for (const sum of sums) {
        append(sum);
        accumulators.add(sum.results[0]!.id);
      }
      again ||= canGoOn(branched);
      for (const { old, by, constant, truth } of agreed.replaced) {
        if (constant !== undefined) replace([old], [context.constant(constant, old.type)]);
        else replace([old], [truth === 'is not' ? context.build('arith.not', [by], old.type) : by]);
      }
    }
  };

  const visit = (op: Op): void => {
    const current = substituteOperands(op, now);
    place = op.loc;
    if (current.regions.length > 0 && facts.def(op)) visitControl(current);
    else if (current.regions.length > 0) append(opWith(current, { regions: current.regions.map((r) => rewritten(r)) }));
    else visitSimple(current);
  };

  const body = rewritten(kernel.body);
  return { body, again };
};
