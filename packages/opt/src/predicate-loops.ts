import {
  definitions,
  freeValues,
  mapKernels,
  opWith,
  rewriteOps,
  substitute,
  type Builder,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { corePass } from './support/core-pass.js';
import { factsOf, type Facts } from './support/facts.js';
import { isParallelLoop, scratchOf, usesScratch } from './support/scratch.js';
import { bodyOf, terminatorOf } from './support/values.js';

/**
 * Takes parallel loops out of the outermost branches around them, so that each can be a task of its own (see `offload`). What a branch does
 * before such a loop and after it becomes a branch on the same condition; the loop itself runs no iteration where the condition does not hold.
 * A serial loop with parallel ones in it is taken out in the same way, and keeps them. What computes only, and cannot trap, is computed
 * whatever the condition is. A kernel whose serial code has something in scratch buffers stays as it is: those carry nothing from one task
 * to another.
 */
export const predicateLoops = corePass('predicate-loops', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const scratch = scratchOf(module.buffers);
    const opens = (op: Op): boolean => op.name === 'scf.if' && holdsLoop(op, facts) && carriesNumbers(op);
    const serialScratch = (ops: readonly Op[]): boolean =>
      ops.some(
        (op) =>
          !isParallelLoop(op, facts) &&
          (op.regions.length === 0 ? usesScratch(op, scratch, facts) : op.regions.some((r) => serialScratch(r.ops))),
      );
    return mapKernels(module, (kernel) => {
      if (!kernel.body.ops.some(opens) || serialScratch(kernel.body.ops)) return kernel;
      const constants = constantsOf(kernel);
      return rewriteOps(
        kernel,
        dialects,
        (op, ctx) =>
          ctx.parents.length === 0 && opens(op)
            ? ctx.build((b) => unbranched({ b, facts, constants }, op, undefined))
            : undefined,
        module.buffers,
      );
    });
  };
});

interface Opening {
  readonly b: Builder;
  readonly facts: Facts;
  readonly constants: ReadonlySet<number>;
}

/** Ids of the values that are constants. */
const constantsOf = ({ body }: Kernel): ReadonlySet<number> =>
  new Set([...definitions(body)].filter(([, op]) => op.name === 'arith.constant').map(([id]) => id));

/** Whether an op is a parallel loop, or one that can be taken out of branches stands in its branches and serial loops. */
const holdsLoop = (op: Op, facts: Facts): boolean =>
  op.name === 'scf.for'
    ? isParallelLoop(op, facts) || bodyOf(op.regions[0]!).some((inner) => holdsLoop(inner, facts))
    : op.name === 'scf.if' && op.regions.some((r) => bodyOf(r).some((inner) => holdsLoop(inner, facts)));

/** Whether all that a branch may have to hand on is of types for which there is a number that stands for nothing. */
const carriesNumbers = (op: Op): boolean =>
  [...op.results, ...op.regions.flatMap((r) => r.ops.flatMap((inner) => inner.results))].every(
    (v) => typeof v.type === 'string',
  ) && op.regions.every((r) => r.ops.every((inner) => inner.name !== 'scf.if' || carriesNumbers(inner)));

/** A branch as branches without parallel loops, and these; its results. `around` is the condition of the branches around it. */
const unbranched = (o: Opening, op: Op, around: Value | undefined): readonly Value[] => {
  const { b } = o;
  const condition = op.operands[0]!;
  const both = (c: Value): Value => (around ? b.and(around, c) : c);
  const [then, otherwise] = op.regions as readonly [Region, Region];
  const yes = arm(o, then, both(condition));
  const no = otherwise.ops.length > 1 ? arm(o, otherwise, both(b.not(condition))) : terminatorOf(otherwise).operands;
  return op.results.map((_, n) => b.select(condition, yes[n]!, no[n]!));
};

/** One side of a branch, which runs where `runs` holds; what it yields. */
const arm = (o: Opening, region: Region, runs: Value): readonly Value[] => {
  const { b, facts } = o;
  const values = new Map<number, Value>();
  const current = (ops: readonly Op[]): readonly Op[] => substitute({ params: [], ops }, values).ops;
  const body = bodyOf(region);
  let pending: Op[] = [];
  const settle = (rest: readonly Op[]): void => {
    if (pending.length === 0) return;
    const made = new Set(pending.flatMap((op) => op.results.map((v) => v.id)));
    const wanted = freeValues({ params: [], ops: rest }).filter((v) => made.has(v.id));
    const inside = current(pending);
    const { region: then } = b.region([], () => {
      for (const op of inside) b.append(op);
      return wanted;
    });
    const { region: otherwise } = b.region([], () => wanted.map((v) => nothing(b, v)));
    b.op('scf.if', [runs], {}, [then, otherwise]).forEach((v, n) => values.set(wanted[n]!.id, v));
    pending = [];
  };
  const waits = (v: Value): boolean => pending.some((op) => op.results.includes(v));
  body.forEach((op, at) => {
    if (!holdsLoop(op, facts)) {
      const free = facts.speculatable(op) && op.regions.length === 0 && !op.operands.some(waits);
      if (free) b.append(current([op])[0]!);
      else pending.push(op);
      return;
    }
    settle(region.ops.slice(at));
    const [now] = current([op]) as readonly [Op];
    const results = now.name === 'scf.if' ? unbranched(o, now, runs) : bounded(o, now, runs);
    op.results.forEach((v, n) => values.set(v.id, results[n]!));
  });
  settle(region.ops.slice(body.length));
  return current([terminatorOf(region)])[0]!.operands;
};

/** A loop that runs no iteration unless `runs` holds. */
const bounded = ({ b, constants }: Opening, op: Op, runs: Value): readonly Value[] => {
  const [lower, upper, step, ...inits] = op.operands as readonly [Value, Value, Value, ...Value[]];
  const by = constants.has(step.id) ? step : b.select(runs, step, b.constant(1, step.type));
  return b.append(opWith(op, { operands: [lower, b.select(runs, upper, lower), by, ...inits] }));
};

const nothing = (b: Builder, { type }: Value): Value => (type === 'i1' ? b.bool(false) : b.constant(0, type));
