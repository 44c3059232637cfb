import {
  handedOn,
  isLoop,
  opWith,
  type Control,
  type ControlEdge,
  type Op,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { branches } from '../support/facts.js';
import { isParallelLoop, losesScratch } from '../support/scratch.js';
import { slotsOf, sourcesOf, targetsOf, withoutSlots, type Slot } from '../support/slots.js';
import { tripCount } from '../support/trip-count.js';
import { terminatorOf } from '../support/values.js';
import type { CanonicalizeContext } from './context.js';

/** What becomes of an op with regions. */
export type ControlStep =
  /** The region's ops take the op's place; its results are the terminator's operands from `skip` on. */
  | { readonly kind: 'inline'; readonly region: Region; readonly args: readonly Value[]; readonly skip: number }
  /** Nothing runs, the results are these. */
  | { readonly kind: 'replace'; readonly values: readonly Value[] }
  | { readonly kind: 'keep'; readonly op: Op };

/**
 * Resolves branches whose condition is known and loops that run once or never; turns `if not c` into `if c` with its
 * arms exchanged.
 */
export const simplifyControl = (op: Op, context: CanonicalizeContext): ControlStep => {
  const control = context.facts.control(op);
  if (!control) return { kind: 'keep', op };
  const course = courseOf(op, control, context);
  if (course) return course;
  return op.name === 'scf.if' ? simplifyIf(op, context) : { kind: 'keep', op };
};

/** What becomes of an op if it is known that it runs none of its regions, or one of them and once. */
const courseOf = (op: Op, control: Control, context: CanonicalizeContext): ControlStep | undefined => {
  const first = context.facts.def(op)!.effects(op).length > 0 ? undefined : next(op, control, 'start', context);
  if (!first) return undefined;
  if (first.to === 'end') return { kind: 'replace', values: handedOn(op, first) };
  /* One thread of a team does what is in it; outside of it all would. */
  if (op.attrs['team'] === true) return undefined;
  /* Parallel loops within it would have scratch buffers of their own, and not those of its iteration. */
  if (isParallelLoop(op, context.facts) && op.regions[0]!.ops.some((inner) => losesScratch(inner, context.facts)))
    return undefined;
  const last = next(op, control, first.to, context);
  if (last?.to !== 'end') return undefined;
  const own = ownParams(op, control, first, context);
  return (
    own && { kind: 'inline', region: op.regions[first.to]!, args: [...own, ...handedOn(op, first)], skip: last.first }
  );
};

/** The way that control is known to take from a place, at the first time. */
const next = (
  op: Op,
  { edges, count }: Control,
  from: ControlEdge['from'],
  context: CanonicalizeContext,
): ControlEdge | undefined => {
  const ways = edges.filter((e) => e.from === from);
  const trips = count && tripCount(count, context.constantOf);
  if (count) {
    const ends = trips === (from === 'start' ? 0n : 1n);
    return trips === undefined || (from !== 'start' && !ends) ? undefined : ways.find((e) => (e.to === 'end') === ends);
  }
  const open = ways.filter(({ when }) => {
    if (!when) return true;
    const known = truthOf(op, from, when.operand, context);
    return known === undefined || known === when.is;
  });
  return open.length === 1 ? open[0] : undefined;
};

/**
 * What a condition is known to be. One that a region computes counts only if it is known before the region runs, or is a constant
 * of it.
 */
const truthOf = (
  op: Op,
  from: ControlEdge['from'],
  operand: number,
  context: CanonicalizeContext,
): Scalar | undefined => {
  if (from === 'start') return context.constantOf(op.operands[operand]!);
  const region = op.regions[from]!;
  const condition = terminatorOf(region).operands[operand]!;
  const known = context.constantOf(condition);
  if (known !== undefined) return known;
  const inner = region.ops.find((o) => o.results.some((v) => v.id === condition.id));
  return inner?.name === 'arith.constant' ? (inner.attrs['value'] as boolean) : undefined;
};

/** The parameters that an op gives a region itself, at the first time; undefined where they are not known. */
const ownParams = (
  op: Op,
  { count }: Control,
  { into, to }: ControlEdge,
  context: CanonicalizeContext,
): readonly Value[] | undefined => {
  if (into === 0) return [];
  if (into > 1 || count?.counter !== 0) return undefined;
  const { lower } = count;
  return [typeof lower === 'object' ? lower : context.constant(lower, op.regions[Number(to)]!.params[0]!.type)];
};

const simplifyIf = (op: Op, context: CanonicalizeContext): ControlStep => {
  if (op.results.length === 0 && op.regions.every((r) => r.ops.length === 1)) return { kind: 'replace', values: [] };
  const def = context.defOf(op.operands[0]!);
  if (def?.name !== 'arith.not') return { kind: 'keep', op };
  return { kind: 'keep', op: opWith(op, { operands: [def.operands[0]!], regions: [op.regions[1]!, op.regions[0]!] }) };
};

/**
 * A loop without the carried values that every iteration passes on unchanged: parameter and result are the initial
 * value.
 */
export const withoutInvariants = (
  op: Op,
  { facts }: CanonicalizeContext,
): { readonly op: Op; readonly replaced: readonly Replaced[] } => {
  const control = facts.control(op);
  if (!control || control.fixed || !isLoop(control)) return { op, replaced: [] };
  const replaced: Replaced[] = [];
  const dropped = slotsOf(op, control).filter((slot) => {
    const initial = slot.from.filter(([at]) => at === 'start');
    const init = initial.length === 1 ? op.operands[initial[0]![1]] : undefined;
    const ends = targetsOf(op, slot);
    const unchanged = sourcesOf(op, slot).every((v) => v.id === init?.id || ends.some((e) => e.id === v.id));
    if (!init || !unchanged) return false;
    replaced.push(...ends.map((old) => ({ old, by: init })));
    return true;
  });
  return { op: dropped.length === 0 ? op : withoutSlots(op, dropped), replaced };
};

/**
 * An `if` without the results for which both branches yield the same value, which is then defined outside, or constant; nor those that are true in the one and false in the other, which are
 * its condition, or are not.
 */
export const withoutAgreement = (
  op: Op,
  { facts, constantOf }: CanonicalizeContext,
): { readonly op: Op; readonly replaced: readonly Agreed[] } => {
  const control = facts.control(op);
  if (!control || control.fixed || op.results.length === 0 || !branches(op, facts)) return { op, replaced: [] };
  const replaced: Agreed[] = [];
  const dropped = slotsOf(op, control).filter((slot) => {
    const [a, ...others] = sourcesOf(op, slot);
    const x = constantOf(a!);
    /* What all hand on stands before the op; what a single region does may be its own. */
    if (others.length === 0) return false;
    const same = others.every((b) => b.id === a!.id);
    const constant = !same && x !== undefined && others.every((b) => Object.is(constantOf(b), x)) ? x : undefined;
    const truth = same || constant !== undefined ? undefined : truthIn(op, slot, constantOf);
    if (!same && constant === undefined && truth === undefined) return false;
    for (const old of targetsOf(op, slot))
      replaced.push(
        same ? { old, by: a! } : { old, by: op.operands[0]!, ...(truth ? { truth } : { constant: constant! }) },
      );
    return true;
  });
  return { op: dropped.length === 0 ? op : withoutSlots(op, dropped), replaced };
};

/** Whether a result says which branch of an `if` was taken. */
const truthIn = (op: Op, slot: Slot, constantOf: CanonicalizeContext['constantOf']): Agreed['truth'] => {
  if (op.name !== 'scf.if' || slot.from.length !== 2) return undefined;
  const [then, otherwise] = [0, 1].map((n) => {
    const place = slot.from.find(([at]) => at === n);
    return place && constantOf(terminatorOf(op.regions[n]!).operands[place[1]]!);
  });
  if (typeof then !== 'boolean' || typeof otherwise !== 'boolean' || then === otherwise) return undefined;
  return then ? 'is' : 'is not';
};

interface Agreed extends Replaced {
  /** What it is instead of `by`. */
  readonly constant?: Scalar;
  /** Whether it is what `by` says, or not. */
  readonly truth?: 'is' | 'is not';
}

interface Replaced {
  readonly old: Value;
  readonly by: Value;
}
