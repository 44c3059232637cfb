import type { CallExpression } from 'acorn';
import { literal } from '../../code/scalar.js';
import { chosen } from '../expressions/choice.js';
import { apart, compute, type Context } from '../context/context.js';
import { known } from '../expressions/evaluate.js';
import { callFunction } from './inline.js';
import type { OneOf, Term } from '../context/term.js';

/** A call of one of several functions of the surroundings, of which the kernel finds by an index which one it is: of each where it is that one. */
export const callOne = (cx: Context, e: CallExpression, f: OneOf, args: readonly Term[], self?: Term): Term => {
  const call = (inner: Context, k: number): Term => {
    const value = f.values[k] as { readonly name: string; readonly length: number };
    /* Those of one parameter take the first argument, wherever they are called. */
    const word = value.length === 1 ? undefined : inner.elaborator.word(value);
    return word
      ? word(inner, { ...e, arguments: args.map((term) => known(e, term)) })
      : callFunction(inner, e, { is: 'host', name: value.name, value }, args, self);
  };
  const from = (inner: Context, k: number): Term =>
    k === f.values.length - 1
      ? call(inner, k)
      : chosen(
          inner,
          e,
          compute(inner, e, 'eq', f.index, literal(k)),
          { node: e, term: () => call(apart(inner), k) },
          { node: e, term: () => from(apart(inner), k + 1) },
        );
  return from(cx, 0);
};
