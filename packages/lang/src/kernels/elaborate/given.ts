import type { CallExpression } from 'acorn';
import type { Backward } from '../vocabulary/with-gradient.js';
import type { Scalar, Temp } from '../code/scalar.js';
import { compute, originOf, refuse, type Context } from './context.js';
import { loaded } from './member.js';
import { callFunction } from './inline.js';
import { itemsOf } from './items.js';
import { isScalar, termText, tupleOf, type Host, type Term } from './term.js';

/** A call of a function that has a derivative of its own. Its result is that of the function, and depends on the arguments as the derivative says. */
export const callWithGradient = (
  cx: Context,
  e: CallExpression,
  f: Term,
  given: readonly Term[],
  backward: Backward,
): Term => {
  const args = given.map((a) => loaded(cx, e, a));
  const result = callFunction(cx, e, f, args);
  const values = scalarsOf(cx, e, result).map((s) => compute(cx, e, 'real', s));
  const to = values.map((): Temp => ({ is: 'temp' }));
  const seeds = values.map((): Temp => ({ is: 'temp' }));
  const [all, inputs] = [args.map((a) => scalarsOf(cx, e, a)), [] as Temp[]];
  const yields: Scalar[] = [];
  const body = cx.session.record(() => {
    const of: Host = { is: 'host', name: backward.name === '' ? 'backward' : backward.name, value: backward };
    const made = callFunction(cx, e, of, [...args, result, inShape(cx, e, result, seeds)]);
    const adjoints = args.length === 1 ? [made] : itemsOf(cx, e, made);
    if (adjoints.length !== args.length)
      refuse(cx, e, 'lang/gradient', `${args.length} adjoints are wanted, one for each argument`, 'return all of them');
    all.forEach((scalars, n) => {
      const list = scalarsOf(cx, e, loaded(cx, e, adjoints[n]));
      if (list.length !== scalars.length)
        refuse(
          cx,
          e,
          'lang/gradient',
          `the adjoint of ${termText(args[n])} is ${termText(adjoints[n])}`,
          'return adjoints in the shapes of the arguments',
        );
      scalars.forEach((s, k) => {
        if (s.is !== 'temp') return;
        inputs.push(s);
        yields.push(list[k]);
      });
    });
  });
  cx.session.emit(originOf(cx, e), { do: 'given', to, values, inputs, seeds, body, yields });
  return inShape(cx, e, result, to);
};

/** The scalars of a number, a vector or matrix, or an array of such. */
const scalarsOf = (cx: Context, e: CallExpression, t: Term): readonly Scalar[] =>
  isScalar(t)
    ? [t]
    : t.is === 'shaped'
      ? t.elements
      : itemsOf(cx, e, t).flatMap((item) => scalarsOf(cx, e, loaded(cx, e, item)));

/** Scalars in the shape of a term. */
const inShape = (cx: Context, e: CallExpression, t: Term, scalars: readonly Scalar[]): Term => {
  if (isScalar(t)) return scalars[0];
  if (t.is === 'shaped') return { ...t, elements: scalars };
  let from = 0;
  return tupleOf(
    itemsOf(cx, e, t).map((item) => {
      const { length } = scalarsOf(cx, e, item);
      from += length;
      return inShape(cx, e, item, scalars.slice(from - length, from));
    }),
  );
};
