import type { AnyNode, CallExpression } from 'acorn';
import { storeTerm } from '../elaborate/places/assign.js';
import { refuse, type Context } from '../elaborate/context/context.js';
import { reference, value } from '../elaborate/expressions/evaluate.js';
import { itemsOf } from '../elaborate/terms/items.js';
import { isScalar, nothing, termText, type Element, type Term } from '../elaborate/context/term.js';
import { asIndex } from '../elaborate/terms/index-of.js';
import type { Scalar } from '../code/scalar.js';
import type { Intrinsic } from './intrinsic.js';

/** `at(u, I)`: what `u[i][j]` stands for. */
export const at: Intrinsic = (cx, e) => elementAt(cx, e, 2, 'at(u, I)');

/** `put(u, I, x)`. */
export const put: Intrinsic = (cx, e) => {
  const element = elementAt(cx, e, 3, 'put(u, I, x)');
  storeTerm(cx, e, element, value(cx, e.arguments[2]), e.arguments[2]);
  return nothing;
};

/** The indices that a term stands for: itself, or the items of a vector or array. */
export const coordinates = (cx: Context, node: AnyNode, place: Term): readonly Scalar[] =>
  (isScalar(place) ? [place] : itemsOf(cx, node, place)).map((item) => asIndex(cx, node, item));

const elementAt = (cx: Context, e: CallExpression, wanted: number, form: string): Element => {
  if (e.arguments.length !== wanted)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `${wanted} arguments are wanted, not ${e.arguments.length}`,
      `write ${form}`,
    );
  const [first, place] = e.arguments;
  const of = reference(cx, first);
  if (of.is !== 'element')
    return refuse(cx, first, 'lang/not-a-field', `a field is wanted here, this is ${termText(of)}`, `write ${form}`);
  return { ...of, index: [...of.index, ...coordinates(cx, place, value(cx, place))] };
};
