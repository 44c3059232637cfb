import type { AnyNode, BinaryExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import { literal, type Scalar } from '../code/scalar.js';
import type { Absence, Flag } from './absence.js';
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
  if (flag) return equalsNothing(cx, e, e.operator, flag, isNullLiteral(nothing) ? 'null' : 'undefined');
  const same = isLoose ? isMissing || isNull : isNullLiteral(nothing) ? isNull : isMissing;
  return literal(same === e.operator.startsWith('='));
};

/** Whether what may be missing is undefined, or null; `==` asks for both. */
export const equalsNothing = (cx: Context, e: AnyNode, token: string, flag: Flag, of: Absence): Scalar => {
  const holds = token.length === 2 ? flag.is : isAbsent(cx, e, flag, of);
  if (!holds) return literal(token.startsWith('!'));
  return token.startsWith('=') ? holds : compute(cx, e, 'not', holds);
};

const isNullLiteral = (e: AnyNode): boolean => e.type === 'Literal' && e.raw === 'null';
