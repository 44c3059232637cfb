import type { AnyNode } from 'acorn';
import { typedLiteral, type Scalar } from '../code/scalar.js';
import { asScalar, compute, originOf, type Context } from './context.js';
import type { Term } from './term.js';

/**
 * A term as an index or a bound. What was rounded, as `Math.floor(x)` is, is an i32 there, computed as f64 before where it is of no
 * stated type; `nowhere` stands for NaN, of which there is no element.
 */
export const asIndex = (cx: Context, node: AnyNode, term: Term, nowhere = LEAST): Scalar => {
  const s = asScalar(cx, node, term);
  if (!cx.session.isRounded(s)) return s;
  const x = cx.session.cast(originOf(cx, node), s, 'f64');
  const whole = cx.session.cast(originOf(cx, node), x, 'i32');
  return compute(cx, node, 'select', compute(cx, node, 'eq', x, x), whole, typedLiteral(nowhere, 'i32'));
};

const LEAST = -(2 ** 31);

/** The bound that a loop begins at: from NaN on there is nothing. */
export const asStart = (cx: Context, node: AnyNode, term: Term): Scalar => asIndex(cx, node, term, 2 ** 31 - 1);
