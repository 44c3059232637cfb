import {
  bufferMap,
  mapKernels,
  opWith,
  rewriteOps,
  useCounts,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { affineForms, type AffineForms } from '../support/affine.js';
import { inBounds } from '../support/bounds.js';
import { constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, touches, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { bodyOf, definedIn, terminatorOf } from '../support/values.js';
import { accumulates, accumulatorsOf } from './accumulators.js';
import { counterOf } from './off-lanes.js';

/**
 * Takes reads out of the branches of loops that hand on several numbers, as the sums over all other bodies do, `if (i !== j) force = force.add(…)`: g++ 12 puts such a loop on lanes with
 * reads under a mask, of several elements side by side at once (SLP), and gives each of these the mask of another iteration: wrong numbers. It does so wherever all that the condition is made
 * of can be had for several elements at once: counters, what is the same for all iterations, and elements that lie apart. What is read whatever the condition says needs no mask, and costs less on lanes.
 * A loop in which such reads remain, since they may be out of bounds, are of what the loop writes, or are many, runs off lanes: it says `lanes = 1`; so does one that goes on while a condition holds.
 */
export const guardedReads = corePass('guarded-reads', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const buffers = bufferMap(module.buffers);
    return mapKernels(module, (kernel) => {
      const found = guarding(kernel, facts);
      if (found.size === 0) return kernel;
      let known: Ranges | undefined;
      const ranges = (): Ranges =>
        (known ??= rangesOf(kernel, buffers, facts, { unasked: ({ name }) => name === 'scf.if' }));
      return rewriteOps(kernel, dialects, (op) => {
        const key = mayGuard(op, facts) ? keyOf(op) : undefined;
        if (key === undefined || !found.has(key)) return undefined;
        if (op.name === 'scf.while')
          return { ops: [opWith(op, { attrs: { ...op.attrs, lanes: 1 } })], values: op.results };
        const { writes, external } = facts.footprint(op);
        const isFree = (o: Op): boolean => {
          const access = loadStoreOf(o);
          if (!access) return o.regions.length === 0 && facts.speculatable(o);
          return (
            access.kind === 'load' &&
            !external &&
            !touches(writes, String(o.attrs['buffer'])) &&
            inBounds(o, facts, ranges, buffers)
          );
        };
        const ahead = opWith(op, { regions: [withReadsAhead(op.regions[0]!, isFree)] });
        const [before, now] = [op, ahead].map(({ regions: [r] }) => r!.ops.filter((o) => loadStoreOf(o)).length);
        if (now! - before! > MOST || isGuarding(ahead, formsIn(kernel, facts)))
          return { ops: [opWith(op, { attrs: { ...op.attrs, lanes: 1 } })], values: op.results };
        return { ops: [ahead], values: op.results };
      });
    });
  };
});

/** Reads that an iteration may do for nothing. */
const MOST = 16;

/** What tells loops apart. */
const keyOf = (loop: Op): number => loop.regions.at(-1)!.params[0]!.id;

/** Loops that g++ would put on lanes with such reads. */
const guarding = (kernel: Kernel, facts: Facts): ReadonlySet<number> => {
  const found = new Set<number>();
  let forms: AffineForms | undefined;
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      if (mayGuard(op, facts) && isGuarding(op, (forms ??= formsIn(kernel, facts)))) found.add(keyOf(op));
    }
  };
  visit(kernel.body);
  return found;
};

const formsIn = ({ body }: Kernel, facts: Facts): AffineForms => {
  const forms = affineForms();
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      forms.note(op, constantOfOp(op, facts));
      op.regions.forEach(visit);
    }
  };
  visit(body);
  return forms;
};

/** Whether a loop hands on several numbers, and does nothing but read, compute, choose and write. */
const mayGuard = (op: Op, facts: Facts): boolean =>
  (op.name === 'scf.for' || op.name === 'scf.while') &&
  op.attrs['lanes'] !== 1 &&
  op.results.filter((v) => typeof v.type === 'string' && v.type !== 'i1').length > 1 &&
  op.regions.every((r) => isFlat(r, facts));

const isFlat = ({ ops }: Region, facts: Facts): boolean =>
  ops.every((op) =>
    op.regions.length > 0
      ? op.name === 'scf.if' && op.regions.every((r) => isFlat(r, facts))
      : facts.terminator(op) || loadStoreOf(op) !== undefined || facts.pure(op),
  );

/** Whether a loop reads several elements of a buffer only where conditions hold, all of which g++ may take for masks of several elements at once. */
const isGuarding = (loop: Op, forms: AffineForms): boolean => {
  const counter = loop.name === 'scf.for' ? counterOf(loop) : undefined;
  const body = loop.regions.at(-1)!;
  const uses = useCounts(body);
  const definitions = new Map<number, Op>();
  const guarded = new Map<string, number>();
  const count = (op: Op): void => {
    const buffer = String(op.attrs['buffer']);
    guarded.set(buffer, (guarded.get(buffer) ?? 0) + 1);
  };
  /* Elements one beside the other, one an iteration: g++ has no mask of those for several elements. */
  const isBeside = (op: Op): boolean => {
    const access = loadStoreOf(op);
    if (!access || counter === undefined) return false;
    const stride = forms.coefficients(access.index).get(counter);
    return stride === 1n || stride === -1n;
  };
  const isMadeOf = (v: Value, test: (op: Op) => boolean, seen = new Set<number>()): boolean => {
    const op = definitions.get(v.id);
    if (!op || seen.has(v.id)) return false;
    seen.add(v.id);
    return (
      test(op) ||
      op.operands.some((o) => isMadeOf(o, test, seen)) ||
      op.regions.some((r) => terminatorOf(r).operands.some((o) => isMadeOf(o, test, seen)))
    );
  };
  /* What is read for a choice alone is written within it, but in loops that are written for lanes. */
  const isForLanes = accumulates(loop) && accumulatorsOf(loop) !== undefined;
  const chosen = (v: Value): void => {
    const op = definitions.get(v.id);
    if (isForLanes || !op || op.regions.length > 0 || uses.get(v.id) !== 1) return;
    if (loadStoreOf(op)?.kind === 'load') count(op);
    else op.operands.forEach(chosen);
  };
  const visit = (region: Region, isGuarded: boolean): void => {
    for (const op of region.ops) {
      for (const v of op.results) definitions.set(v.id, op);
      if (isGuarded && loadStoreOf(op)?.kind === 'load') count(op);
      const branches = op.name === 'scf.if' || op.name === 'arith.select';
      const masks = branches && !isMadeOf(op.operands[0]!, isBeside);
      if (op.name === 'arith.select' && masks) op.operands.slice(1).forEach(chosen);
      for (const inner of op.regions) visit(inner, isGuarded || masks);
    }
  };
  visit(body, false);
  return [...guarded.values()].some((n) => n > 1);
};

/** A region whose branches have the reads in front of them that may stand there, with all that their indices are made of. */
const withReadsAhead = (region: Region, isFree: (op: Op) => boolean): Region => {
  const ops = region.ops.flatMap((op): readonly Op[] => {
    if (op.name !== 'scf.if') return [op];
    const before: Op[] = [];
    const regions = op.regions.map((r): Region => {
      const inner = withReadsAhead(r, isFree);
      const moved = movable(inner, isFree);
      before.push(...inner.ops.filter((o) => moved.has(o)));
      return moved.size === 0 ? inner : { params: inner.params, ops: inner.ops.filter((o) => !moved.has(o)) };
    });
    return [...before, opWith(op, { regions })];
  });
  return { params: region.params, ops };
};

/** The reads of a region that need nothing of it but what may go with them. */
const movable = (region: Region, isFree: (op: Op) => boolean): ReadonlySet<Op> => {
  const inside = definedIn(region);
  const able = new Map<number, Op>();
  const moved = new Set<Op>();
  const take = (op: Op): void => {
    if (moved.has(op)) return;
    moved.add(op);
    for (const v of op.operands) if (able.has(v.id)) take(able.get(v.id)!);
  };
  for (const op of bodyOf(region)) {
    if (!isFree(op) || !op.operands.every((v) => !inside.has(v.id) || able.has(v.id))) continue;
    for (const v of op.results) able.set(v.id, op);
    if (loadStoreOf(op)) take(op);
  }
  return moved;
};
