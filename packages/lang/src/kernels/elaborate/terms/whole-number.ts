import type { AnyNode } from 'acorn';
import { typedLiteral, type Scalar } from '../../code/scalar.js';
import { compute, originOf, type Context } from '../context/context.js';

/**
 * What was rounded, as `Math.floor(x)` is, as an index or a bound: an i32, computed as f64 before where it is of no stated type.
 *
 * @param nowhere what stands for NaN, of which there is no element
 */
export const wholeNumber = (cx: Context, node: AnyNode, s: Scalar, nowhere: number): Scalar => {
  const x = cx.session.cast(originOf(cx, node), s, 'f64');
  const whole = cx.session.cast(originOf(cx, node), x, 'i32');
  return compute(cx, node, 'select', compute(cx, node, 'eq', x, x), whole, typedLiteral(nowhere, 'i32'));
};
