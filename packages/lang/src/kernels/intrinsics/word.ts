import type { CallExpression } from 'acorn';
import { extensionText, type Extension } from '@filigree/ir';
import { wordOperator } from '../code/operators.js';
import { literal, type Scalar, type Temp } from '../code/scalar.js';
import { compute, originOf, refuse, type Context } from '../elaborate/context.js';
import { callFunction } from '../elaborate/inline.js';
import { loaded } from '../elaborate/member.js';
import { isLiteral, isScalar, termText, type Host } from '../elaborate/term.js';
import type { Derivative, Word } from '../extension.js';
import type { Intrinsic } from './intrinsic.js';
import { scalars } from './math.js';

/** A word that an extension brings: of numbers known at compile time a number, else its op. */
export const word = (name: string, { fn, op, attrs, takes, derivative }: Word, by: Extension): Intrinsic => {
  const operator = wordOperator(name, op, attrs ?? {}, takes ?? 'floats');
  return (cx, e) => {
    if (derivative !== undefined && derivative.partials.length !== fn.length)
      refuse(
        cx,
        e,
        'extension/derivative',
        `the word '${name}' of extension ${extensionText(by)} has ${fn.length} parameters and ${derivative.partials.length} partial derivatives`,
        'give one for each parameter',
      );
    const args = scalars(cx, e, fn.length);
    const known = args.filter(isLiteral).map((s) => s.value);
    if (known.length === args.length && known.every((x) => typeof x === 'number')) return literal(fn(...known));
    const result = cx.session.computeWord(originOf(cx, e), operator, args);
    return derivative !== undefined && cx.session.derivatives
      ? differentiated(cx, e, result, args, derivative)
      : result;
  };
};

/** A word's result, that depends on its arguments as its partial derivatives say. */
const differentiated = (
  cx: Context,
  e: CallExpression,
  result: Scalar,
  args: readonly Scalar[],
  { partials }: Derivative,
): Temp => {
  const [to, seed]: readonly Temp[] = [{ is: 'temp' }, { is: 'temp' }];
  const inputs = args.filter((s) => s.is === 'temp');
  const yields: Scalar[] = [];
  const body = cx.session.record(() => {
    partials.forEach((value, n) => {
      if (args[n].is !== 'temp') return;
      const of: Host = { is: 'host', name: value.name === '' ? 'partial' : value.name, value };
      const partial = loaded(cx, e, callFunction(cx, e, of, args));
      yields.push(
        isScalar(partial)
          ? compute(cx, e, 'mul', seed, partial)
          : refuse(cx, e, 'extension/derivative', `a partial derivative is ${termText(partial)}`, 'return a number'),
      );
    });
  });
  cx.session.emit(originOf(cx, e), { do: 'given', to: [to], values: [result], inputs, seeds: [seed], body, yields });
  return to;
};
