import { exactText, isInteger, type ScalarType } from '@filigree/ir';
import type { AnyNode, AssignmentPattern } from 'acorn';
import type { KernelArg } from '../../arguments.js';
import { holds } from '../../code/kinds.js';
import type { Scalar } from '../../code/scalar.js';
import { apart, refuse, type Context } from '../context/context.js';
import { value } from './evaluate.js';
import { sameShape } from '../terms/slots.js';
import { isScalar, shapedTerm, termText, type Term } from '../context/term.js';

/**
 * The default of a parameter that launches may leave out, `(u, dt = 0.1) => …`: its numbers as text, in which infinities and large
 * integers stay what they are in every file. The host fills it in, so it must be known when the kernel is compiled.
 * Undefined for fields, which launches do not give.
 *
 * @param cx in which the parameters have their values
 */
export const givenDefault = (
  cx: Context,
  { right }: AssignmentPattern,
  arg: KernelArg,
): readonly string[] | undefined => {
  if (typeof arg !== 'string' && arg.is !== 'shaped' && arg.is !== 'array') return undefined;
  if (typeof arg !== 'string' && arg.is === 'array')
    return refuse(cx, right, 'lang/default', 'an array that launches give has no default', 'give it at each launch');
  const [type, shape] = typeof arg === 'string' ? [arg, []] : [arg.type, arg.shape];
  const found: { term?: Term } = {};
  cx.session.record(() => void (found.term = value(apart(cx), right)));
  const term = found.term!;
  const given = isScalar(term) || term.is === 'shaped' ? shapedTerm(term) : undefined;
  if (!given || !sameShape(given.shape, shape))
    return refuse(
      cx,
      right,
      'lang/default',
      `this default is ${termText(term)}, and the argument is declared as ${shape.length === 0 ? '' : 'another, of '}${type}`,
      'give a value of the type that the list of arguments says',
    );
  return given.elements.map((x) => textOf(cx, right, x, type));
};

const textOf = (cx: Context, node: AnyNode, x: Scalar, type: ScalarType): string => {
  if (x.is !== 'literal')
    return refuse(
      cx,
      node,
      'lang/default',
      'this default depends on what is given at a launch, and launches fill defaults in before the kernel runs',
      'write one that is known when the kernel is compiled, or compute it where the kernel is launched',
    );
  const { value: v } = x;
  const isOne =
    type === 'i1'
      ? typeof v === 'boolean'
      : typeof v !== 'boolean' && (!isInteger(type) || (Number.isInteger(Number(v)) && holds(type, v)));
  return isOne
    ? isInteger(type)
      ? String(v)
      : exactText(v)
    : refuse(
        cx,
        node,
        'lang/default',
        `this default is ${v}, which is no ${type}`,
        `give a value of ${type}, or another type in the list of arguments`,
      );
};
