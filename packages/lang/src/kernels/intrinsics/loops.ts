import type { AnyNode, CallExpression } from 'acorn';
import { refuse, type Context } from '../elaborate/context/context.js';
import { argumentsOf, reference, value } from '../elaborate/expressions/evaluate.js';
import { itemsOf } from '../elaborate/terms/items.js';
import { visitedBy } from '../elaborate/expressions/visited.js';
import { isLiteral, isScalar, termText, type Bounds, type LoopHead, type Term } from '../elaborate/context/term.js';
import { asIndex, asStart } from '../elaborate/terms/index-of.js';
import { literal, type Scalar } from '../code/scalar.js';
import type { Intrinsic } from './intrinsic.js';

/** `range(to)`, `range(from, to)`, `range(from, to, step)`. */
export const range: Intrinsic = (cx, e) => {
  const given = argumentsOf(cx, e);
  const args = given.map((a, k) => (k === 0 && given.length > 1 ? asStart : asIndex)(cx, e.arguments[k] ?? e, a));
  if (args.length < 1 || args.length > 3)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `range takes from 1 to 3 arguments, not ${args.length}`,
      'write range(from, to)',
    );
  const [from, to] = args.length === 1 ? [literal(0), args[0]] : args;
  const step = args[2] ?? literal(1);
  if (isLiteral(step) && !(Number.isInteger(step.value) && Number(step.value) > 0))
    return refuse(
      cx,
      e,
      'lang/range',
      `a step is a positive whole number, not ${String(step.value)}`,
      'count upwards and subtract',
    );
  return loop(cx, e, [{ from, to, step }], true);
};

/** `ndrange(n, m)`, `ndrange([1, n], [1, m])`. */
export const ndrange: Intrinsic = (cx, e) => {
  const bounds = argumentsOf(cx, e).map((a): Bounds => {
    if (isScalar(a)) return { from: literal(0), to: asIndex(cx, e, a), step: literal(1) };
    const items = itemsOf(cx, e, a);
    if (items.length !== 2)
      return refuse(
        cx,
        e,
        'lang/range',
        `bounds are two numbers, from and up to, not ${items.length}`,
        'write ndrange([1, n], [1, m])',
      );
    return { from: asStart(cx, e, items[0]), to: asIndex(cx, e, items[1]), step: literal(1) };
  });
  if (bounds.length === 0)
    return refuse(cx, e, 'lang/arguments', 'ndrange takes the bounds of at least one axis', 'write ndrange(n, m)');
  return loop(cx, e, bounds, false);
};

/** `active(u)`. */
export const active: Intrinsic = (cx, e) => {
  const u = e.arguments.length === 1 ? reference(cx, e.arguments[0]) : undefined;
  if (u?.is !== 'element' || u.index.length > 0)
    return refuse(
      cx,
      e,
      'lang/active',
      `active takes a field${u ? `, this is ${termText(u)}` : ''}`,
      'write active(u)',
    );
  return { is: 'loop', space: { over: 'active', field: u.field }, order: 'parallel' };
};

/** `unrolled(…)`, `serially(…)`; arrays of known length are unrolled as they are, and those of a launch and fields gone through in order. */
export const ordered =
  (order: LoopHead['order']): Intrinsic =>
  (cx, e) => {
    const of = e.arguments.length === 1 ? value(cx, e.arguments[0]) : undefined;
    if (of?.is === 'loop') return { ...of, order };
    if (of && order === 'serial' && (of.is === 'array' || of.is === 'element')) {
      const over = visitedBy(cx, e, of);
      if ('space' in over) return { is: 'loop', ...over, order };
    }
    if (of && (of.is !== 'host' || Array.isArray(of.value)) && (order === 'unrolled' || !isScalar(of))) return of;
    return refuse(
      cx,
      e,
      'lang/range',
      'a range is wanted here',
      `write ${order === 'unrolled' ? 'unrolled' : 'serially'}(range(n))`,
    );
  };

const loop = (cx: Context, e: CallExpression, bounds: readonly Bounds[], single: boolean): Term => {
  for (const b of bounds) for (const s of [b.from, b.to, b.step]) whole(cx, e, s);
  return { is: 'loop', space: { over: 'range', bounds, single }, order: 'parallel' };
};

const whole = (cx: Context, e: AnyNode, s: Scalar): void => {
  if (isLiteral(s) && (typeof s.value === 'boolean' || Number(s.value) !== (Number(s.value) | 0)))
    refuse(cx, e, 'lang/range', `bounds are whole numbers of 32 bits, not ${String(s.value)}`, 'use i32(…)');
};
