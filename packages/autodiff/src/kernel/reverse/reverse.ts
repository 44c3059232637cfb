import { algebraOf, fail, isFloat, isLoop, type Builder, type Op, type Region, type Value, walk } from '@filigree/ir';
import type { Known } from './again.js';
import type { ElementOp } from '../elements/element-ops.js';
import { reverseGiven } from './given.js';
import { isGiven } from '../values/is-given.js';
import { reverseLoop } from './loops.js';
import type { Owns } from '../elements/own.js';
import { captured, type Reversal } from './reversal.js';
import { ruleOf } from '../values/rule.js';
import type { Sums } from './sums.js';
import { whereReached } from './where-reached.js';

/** Appends the reverse of a region, whose values are known: from the sums of what it yields to those of what it takes. */
export const reverseRegion = (r: Reversal, b: Builder, { ops }: Region, known: Known, sums: Sums, owns: Owns): void => {
  for (let n = ops.length - 1; n >= 0; n--) {
    b.loc = ops[n].loc;
    reverseOp(r, b, ops[n], known, sums, owns);
  }
};

const reverseOp = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums, owns: Owns): void => {
  if (r.table.get(op.name)!.traits.terminator === true) return;
  const element = r.elementOf(op);
  if (element) return reverseElement(r, b, op, element, known, sums, owns);
  if (isGiven(op)) return reverseGiven(r, b, op, known, sums);
  if (op.regions.length > 0) {
    if (sums.some(op.results) || writesAdjoined(r, op)) reverseControl(r, b, op, known, sums, owns);
    return;
  }
  if (forgetsCleared(r, b, op, known)) return;
  reverseScalar(r, b, op, known, sums);
};

/** Ops that compute: by the table of derivatives. */
const reverseScalar = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums): void => {
  const [result] = op.results;
  const seed = result && sums.of(b, result);
  if (!seed || !op.operands.some((v) => r.active.has(v.id))) return;
  if (op.name === 'arith.cast')
    return sums.add(
      b,
      op.operands[0],
      b.value('arith.cast', [seed], { to: op.operands[0].type as string }),
      op.results,
    );
  const rule = ruleOf(r.derivatives, op, 'adjoint');
  if (!rule) return;
  const value = (v: Value): Value => r.again.value(known, v);
  const terms = rule.times(algebraOf(b, result.type), seed, value(result), ...op.operands.map(value));
  const guarded = whereReached(r, b, [result], [seed]);
  op.operands.forEach((v, n) => {
    const term = terms[n];
    if (term && r.active.has(v.id)) sums.add(b, v, guarded(term), op.results);
  });
};

/** Loads, stores and atomic updates of elements that have adjoints. */
const reverseElement = (
  r: Reversal,
  b: Builder,
  op: Op,
  { does, value, index, adjoint, place, lasting }: ElementOp,
  known: Known,
  sums: Sums,
  owns: Owns,
): void => {
  const at = index.map((v) => r.again.value(known, v));
  if (!adjoint) {
    if (value && r.active.has(value.id) && lasting)
      fail('adjoint/no-adjoint', `${place} has no adjoint, and is given what has a derivative`, {
        loc: op.loc,
        remedy: 'differentiate it too',
      });
    return;
  }
  if (does === 'load') {
    const sum = sums.leaving(b, op.results[0]);
    if (!sum) return;
    if (owns(op)) adjoint.store(b, b.add(adjoint.load(b, at), sum), at);
    else adjoint.add(b, sum, at);
    return;
  }
  if (!value || !isFloat(value.type)) return;
  if (does === 'store') {
    /* What was there before is gone, and so is its influence. */
    const seed = adjoint.load(b, at);
    adjoint.store(b, b.constant(0, value.type), at);
    return sums.add(b, value, seed);
  }
  if (sums.some(op.results))
    fail('adjoint/old-value', `what ${place} held before an atomic update is given to what has a derivative`, {
      loc: op.loc,
      remedy: 'load it in a kernel of its own',
    });
  if (op.attrs.kind === 'add') return sums.add(b, value, adjoint.load(b, at));
  if (op.attrs.kind === 'min' || op.attrs.kind === 'max') {
    if (!lasting && !r.settled.has(place))
      fail('adjoint/extremum', 'an extremum over a parallel loop is used while it is found, or found anew', {
        loc: op.loc,
        remedy:
          'find each in a variable of its own, that has a value before the loop and is used after it; or in an element of a field, by atomicMin or atomicMax',
      });
    /* The extremum is one of the values. Of those that equal it one takes the adjoint, and leaves nothing for the others; so does one that does not change, from what was there before. */
    const [seed] = b.if(
      r.found.is(b, value, adjoint.primal(b, at), (v) => r.again.value(known, v)),
      () => adjoint.take(b, b.constant(0, value.type), at),
      () => b.constant(0, value.type),
    );
    return sums.add(b, value, seed);
  }
  fail('adjoint/no-rule', `an atomic update by '${String(op.attrs.kind)}' has no derivative that is known`, {
    loc: op.loc,
    remedy: 'accumulate sums',
  });
};

/** Ops with regions: branches keep their form, loops run backwards. */
const reverseControl = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums, owns: Owns): void => {
  const control = r.controlOf(op);
  if (control && isLoop(control)) {
    if (control.parallel) return reverseParallel(r, b, op, known, sums);
    if (reverseLoop(r, b, op, control, known, sums, owns)) return;
  } else if (control) return reverseBranch(r, b, op, known, sums, owns);
  fail('adjoint/no-rule', `the loop '${op.name}' has no derivative that is known`, {
    loc: op.loc,
    remedy: 'let a loop count its iterations: for (const k of range(n))',
  });
};

/** Each arm gives the adjoints of what it takes from around it; an arm that is not taken computes nothing. */
const reverseBranch = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums, owns: Owns): void => {
  const taken = captured(r, op);
  const regions = op.regions.map(
    (arm) =>
      b.region([], () => {
        const inside = sums.inner();
        arm.ops[arm.ops.length - 1].operands.forEach((v, n) => {
          const seed = sums.of(b, op.results[n]);
          if (seed) inside.add(b, v, seed, [op.results[n]]);
        });
        r.region(b, arm, new Map(known), inside, owns);
        return taken.map((v) => inside.orZero(b, v));
      }).region,
  );
  const operands = op.operands.map((v) => r.again.value(known, v));
  b.op(op.name, operands, op.attrs, regions).forEach((sum, n) => sums.add(b, taken[n], sum));
};

/** Iterations add what they give to values from around the loop into cells in memory. */
const reverseParallel = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums): void => {
  const [body] = op.regions;
  const taken = captured(r, op).map((v) => ({ v, cell: r.cell(v) }));
  for (const { v, cell } of taken) b.store(cell, b.constant(0, v.type), b.i32(0));
  const { cache: _, ...attrs } = op.attrs;
  const { region } = b.region(body.params, (params) => {
    const within = new Map(known);
    body.params.forEach((p, n) => within.set(p.id, params[n]));
    const inside = sums.inner();
    r.region(b, body, within, inside, r.ownedIn(op));
    for (const { v, cell } of taken) {
      const sum = inside.of(b, v);
      if (sum) b.atomic(cell, 'add', sum, b.i32(0));
    }
  });
  b.op(
    op.name,
    op.operands.map((v) => r.again.value(known, v)),
    attrs,
    [region],
  );
  for (const { v, cell } of taken) sums.add(b, v, b.load(cell, b.i32(0)));
};

/** Whether ops in an op's regions write what has an adjoint, or may. */
const writesAdjoined = (r: Reversal, op: Op): boolean => {
  let found = false;
  for (const region of op.regions)
    walk(region, (inner) => {
      const { effects } = r.table.get(inner.name)!;
      found ||= effects(inner).some((e) => e.kind !== 'read' && (e.buffer === undefined || r.places.has(e.buffer)));
      const element = r.elementOf(inner);
      found ||= element?.value !== undefined && r.active.has(element.value.id);
    });
  return found;
};

/** Whether an op clears what has an adjoint, which is set to zero then. */
const forgetsCleared = (r: Reversal, b: Builder, op: Op, known: Known): boolean => {
  const written = r.table
    .get(op.name)!
    .effects(op)
    .find((e) => (e.kind === 'write' || e.kind === 'atomic') && e.buffer !== undefined && r.places.has(e.buffer));
  if (!written) return false;
  const at = op.operands.map((v) => r.again.value(known, v));
  if (op.name === 'field.clear_all' && r.isParallel(op))
    fail('adjoint/no-rule', 'all that a node holds is cleared by each iteration of a parallel loop', {
      loc: op.loc,
      remedy: 'clear before the loop, or in a kernel of its own',
    });
  if (r.forgetCleared(b, op, at)) return true;
  return fail('adjoint/no-rule', `'${op.name}' changes '${written.buffer!.replace(/^\$/, '')}', and has no reverse`, {
    loc: op.loc,
    remedy: 'do so in a kernel that is not differentiated, before the first launch that is',
  });
};
