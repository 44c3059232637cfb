import type { CallExpression } from 'acorn';
import type { GivenGradient } from '../../vocabulary/with-gradient.js';
import type { Scalar, Temp } from '../../code/scalar.js';
import { apart, compute, originOf, refuse, type Context } from '../context/context.js';
import { loaded } from '../terms/member.js';
import { callFunction } from './inline.js';
import { itemsOf } from '../terms/items.js';
import { isScalar, termText, tupleOf, type Host, type Term } from '../context/term.js';

/** A call of a function that has a derivative of its own. Its result is that of the function, and depends on the arguments as the derivative says. */
export const callWithGradient = (
  cx: Context,
  e: CallExpression,
  f: Term,
  given: readonly Term[],
  { backward, near: nearOf }: GivenGradient,
): Term => {
  const args = given.map((a) => loaded(cx, e, a));
  const result = callFunction(cx, e, f, args);
  const found = scalarsOf(cx, e, result);
  const values = found.map((s) => compute(cx, e, 'real', s));
  const close = nearOf && loaded(cx, e, callFunction(cx, e, hostOf('near', nearOf), [result]));
  const near = close && nearby(cx, e, close, found, values);
  const to = values.map((): Temp => ({ is: 'temp' }));
  const seeds = values.map((): Temp => ({ is: 'temp' }));
  const [all, inputs] = [args.map((a) => scalarsOf(cx, e, a)), [] as Temp[]];
  const yields: Scalar[] = [];
  const body = cx.session.record(() => {
    const made = callFunction(apart(cx), e, hostOf('backward', backward), [
      ...args,
      close ?? result,
      inShape(cx, e, result, seeds),
    ]);
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
  cx.session.emit(originOf(cx, e), {
    do: 'given',
    to,
    values,
    ...(near && { near }),
    inputs,
    seeds,
    body,
    yields,
  });
  return inShape(cx, e, result, to);
};

const hostOf = (name: string, value: (...args: never[]) => unknown): Host => ({
  is: 'host',
  name: value.name === '' ? name : value.name,
  value,
});

/** The scalars of what is close to a result; those that are not moved are its own. */
const nearby = (
  cx: Context,
  e: CallExpression,
  close: Term,
  found: readonly Scalar[],
  values: readonly Scalar[],
): readonly Scalar[] => {
  const list = scalarsOf(cx, e, close);
  if (list.length !== found.length)
    refuse(cx, e, 'lang/gradient', `what is near is ${termText(close)}`, 'return it in the shape of the result');
  return list.map((s, n) => (s === found[n] ? values[n] : compute(cx, e, 'real', s)));
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
