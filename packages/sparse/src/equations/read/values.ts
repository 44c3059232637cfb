import type { Op } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import { combine, constantOf, isConstant, plus, shiftedBy, times, type Conjunction } from '../sets/conjunction.js';
import { isEmpty } from '../sets/integer-points.js';

/** What is known of a whole number: a function of the iterators, or the least or greatest of several. */
export type Whole =
  | { readonly kind: 'affine'; readonly value: Affine }
  | { readonly kind: 'min' | 'max'; readonly of: readonly Affine[] };

/** A truth value that only iterators decide: where it holds and where it does not. */
export interface Condition {
  readonly when: readonly Conjunction[];
  readonly unless: readonly Conjunction[];
}

export const affine = (value: Affine): Whole => ({ kind: 'affine', value });

/** An integer op on whole numbers; undefined where the result is no affine function. */
export const wholeOf = (op: Op, args: readonly Whole[]): Whole | undefined => {
  const [a, b] = args;
  switch (op.name) {
    case 'arith.cast':
      return a;
    case 'arith.neg':
      return scaled(a, -1);
    case 'arith.add':
      return sumOf(a, b);
    case 'arith.sub': {
      const minus = scaled(b, -1);
      return minus && sumOf(a, minus);
    }
    case 'arith.mul':
      return numberOf(b) !== undefined
        ? scaled(a, numberOf(b)!)
        : numberOf(a) !== undefined
          ? scaled(b, numberOf(a)!)
          : undefined;
    case 'arith.shl':
      return numberOf(b) === undefined ? undefined : scaled(a, 2 ** numberOf(b)!);
    case 'arith.div':
    case 'arith.rem':
      return quotient(op.name, a, b);
    case 'arith.min':
    case 'arith.max':
      return extremeOf(op.name === 'arith.min' ? 'min' : 'max', a, b);
    default:
      return undefined;
  }
};

/** The value of a whole number that is the same at every iteration. */
export const numberOf = (a: Whole): number | undefined =>
  a.kind === 'affine' && isConstant(a.value) ? a.value.constant : undefined;

const scaled = (a: Whole, n: number): Whole | undefined => {
  if (a.kind === 'affine') return affine(times(a.value, n));
  if (n === 0) return affine(constantOf(0));
  const kind = n > 0 ? a.kind : a.kind === 'min' ? 'max' : 'min';
  return { kind, of: a.of.map((f) => times(f, n)) };
};

const sumOf = (a: Whole, b: Whole): Whole | undefined => {
  if (a.kind === 'affine' && b.kind === 'affine') return affine(plus(a.value, b.value));
  if (a.kind === 'affine') return sumOf(b, a);
  return b.kind === 'affine' ? { kind: a.kind, of: a.of.map((f) => plus(f, b.value)) } : undefined;
};

/* Division rounds to zero, so only what divides without rest is affine. */
const quotient = (name: string, a: Whole, b: Whole): Whole | undefined => {
  const by = numberOf(b);
  if (by === undefined || by === 0 || a.kind !== 'affine') return undefined;
  const { constant, coefs } = a.value;
  if (isConstant(a.value)) return affine(constantOf(name === 'arith.div' ? Math.trunc(constant / by) : constant % by));
  if (constant % by !== 0 || coefs.some((c) => c % by !== 0)) return undefined;
  return affine(name === 'arith.div' ? { constant: constant / by, coefs: coefs.map((c) => c / by) } : constantOf(0));
};

const extremeOf = (kind: 'min' | 'max', a: Whole, b: Whole): Whole | undefined => {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return affine(constantOf(kind === 'min' ? Math.min(x, y) : Math.max(x, y)));
  const parts = (w: Whole): readonly Affine[] | undefined =>
    w.kind === 'affine' ? [w.value] : w.kind === kind ? w.of : undefined;
  const [left, right] = [parts(a), parts(b)];
  return left && right ? { kind, of: [...left, ...right] } : undefined;
};

/** A comparison of two functions. */
export const comparison = (predicate: string, a: Affine, b: Affine): Condition => {
  const difference = combine(1, a, -1, b);
  const less: Conjunction = [shiftedBy(times(difference, -1), -1)];
  const more: Conjunction = [shiftedBy(difference, -1)];
  const equal: Conjunction = [difference, times(difference, -1)];
  switch (predicate) {
    case 'lt':
      return { when: [less], unless: [[difference]] };
    case 'le':
      return { when: [[times(difference, -1)]], unless: [more] };
    case 'gt':
      return { when: [more], unless: [[times(difference, -1)]] };
    case 'ge':
      return { when: [[difference]], unless: [less] };
    case 'eq':
      return { when: [equal], unless: [less, more] };
    default:
      return { when: [less, more], unless: [equal] };
  }
};

export const opposite = ({ when, unless }: Condition): Condition => ({ when: unless, unless: when });

/** Both conditions. Its sets are disjoint where theirs are. */
export const both = (a: Condition, b: Condition): Condition => ({
  when: crossed(a.when, b.when),
  unless: [...a.unless, ...crossed(a.when, b.unless)],
});

export const either = (a: Condition, b: Condition): Condition => opposite(both(opposite(a), opposite(b)));

export const always: Condition = { when: [[]], unless: [] };

/** The intersections of sets from two unions that have a point. */
export const crossed = (a: readonly Conjunction[], b: readonly Conjunction[]): readonly Conjunction[] =>
  a.flatMap((x) => b.map((y) => [...x, ...y])).filter((c) => !isEmpty(c));
