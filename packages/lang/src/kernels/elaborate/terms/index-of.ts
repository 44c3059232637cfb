import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { Scalar } from '../../code/scalar.js';
import { asScalar, type Context } from '../context/context.js';
import type { Term } from '../context/term.js';

/** A term as an index, or the bound that a loop ends at; `nowhere` stands for what is NaN. */
export const asIndex = (cx: Context, node: AnyNode, term: Term, nowhere = -(2 ** 31)): Scalar => {
  const s = asScalar(cx, node, term);
  return cx.session.isRounded(s) ? rare().wholeNumber(cx, node, s, nowhere) : s;
};

/** The bound that a loop begins at: from NaN on there is nothing. */
export const asStart = (cx: Context, node: AnyNode, term: Term): Scalar => asIndex(cx, node, term, 2 ** 31 - 1);
