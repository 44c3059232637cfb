import type { AnyNode, BinaryExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import { literal } from '../code/scalar.js';
import { compute, type Context } from './context.js';
import { isMissing as isMissingNow } from './missing.js';
import { isNothing, optional } from './optional.js';
import type { Term } from './term.js';
import { isAbsent } from './with-default.js';

/** `x === undefined`, `x == null` and the like: what of an object is not there is known. */
export const comparedWithNothing = (cx: Context, e: BinaryExpression): Term => {
  const [left, right] = [bare(e.left as AnyNode), bare(e.right)];
  const [asked, nothing] = isNothing(cx, right) ? [left, right] : [right, left];
  const term = optional(cx, asked);
  const [isMissing, isNull] = [term.is === 'nothing', term.is === 'host' && term.value === null];
  const isLoose = e.operator.length === 2;
  const flag = isMissing || isNull ? undefined : isMissingNow(cx, e, term);
  const holds = flag && (isLoose ? flag.is : isAbsent(cx, e, flag, isNullLiteral(nothing) ? 'null' : 'undefined'));
  if (holds) return e.operator.startsWith('=') ? holds : compute(cx, e, 'not', holds);
  const same = isLoose ? isMissing || isNull : isNullLiteral(nothing) ? isNull : isMissing;
  return literal(same === e.operator.startsWith('='));
};

const isNullLiteral = (e: AnyNode): boolean => e.type === 'Literal' && e.raw === 'null';
