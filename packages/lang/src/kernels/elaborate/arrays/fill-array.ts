import type { CallExpression } from 'acorn';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { storeTerm } from '../places/assign.js';
import { compute, originOf, refuse, type Context } from '../context/context.js';
import { counting } from '../statements/counting.js';
import { argumentsOf } from '../expressions/evaluate.js';
import { asIndex } from '../terms/index-of.js';
import { indexed } from '../terms/member.js';
import type { ArrayArgument, ArrayElement, Term } from '../context/term.js';

/** `a.fill(x, from, to)` of an array that a launch gives: at once where it stands outermost, as a loop over its elements is, and one after the other within loops. */
export const fillArray = (cx: Context, e: CallExpression, of: ArrayArgument): Term => {
  const [x, ...ends] = argumentsOf(cx, e);
  if (x === undefined || ends.length > 2)
    return refuse(cx, e, 'lang/arguments', 'fill takes from one to three arguments', 'write a.fill(0)');
  const [from = literal(0), to = of.length] = ends.map((end, k) =>
    within(cx, e, of, asIndex(cx, e.arguments[k + 1], end)),
  );
  const at = originOf(cx, e);
  const each = (i: Temp): void => storeTerm(cx, e, indexed(cx, e, of, i) as ArrayElement, x, e.arguments[0]);
  if (cx.parallel || cx.looped) {
    counting(cx, e, 'k', { from, to, step: literal(1) }, each);
    return of;
  }
  const k: Temp = { is: 'temp', type: 'i32', hint: 'k' };
  const body = cx.session.record(() => each(k));
  cx.session.emit(at, {
    do: 'parallel',
    space: { over: 'range', bounds: [[from, to]] },
    variables: [k],
    body,
    reductions: [],
  });
  return of;
};

/** A place, from the end where it is negative, kept within the array. */
const within = (cx: Context, e: CallExpression, of: ArrayArgument, k: Scalar): Scalar => {
  const fromEnd = compute(cx, e, 'max', compute(cx, e, 'add', of.length, k), literal(0));
  return compute(cx, e, 'select', compute(cx, e, 'lt', k, literal(0)), fromEnd, compute(cx, e, 'min', k, of.length));
};
