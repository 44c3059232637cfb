import type { AnyNode, BinaryExpression } from 'acorn';
import { bare } from '../../../source/ast.js';
import type { OperatorName } from '../../code/operators.js';
import { literal, type Scalar } from '../../code/scalar.js';
import type { Absence, Flag } from '../context/absence.js';
import { compute, type Context } from '../context/context.js';
import { absence, flagOf, isMissing as isMissingNow, isNeverThere, withoutFlag } from '../terms/missing.js';
import { isNothing, optional } from './optional.js';
import type { Term } from '../context/term.js';
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
const equalsNothing = (cx: Context, e: AnyNode, token: string, flag: Flag, of: Absence): Scalar => {
  const holds = token.length === 2 ? flag.is : isAbsent(cx, e, flag, of);
  if (!holds) return literal(token.startsWith('!'));
  return token.startsWith('=') ? holds : compute(cx, e, 'not', holds);
};

/** Whether two values are equal, or are not, of which one may be missing, or both: `compare` does so with those that are there. */
export const equalIfThere = (
  cx: Context,
  e: AnyNode,
  token: string,
  a: Term,
  b: Term,
  compare: (token: string) => boolean | Scalar,
): Scalar => {
  const nothing = absence(a) ?? absence(b);
  const asked = nothing && (isMissingNow(cx, e, a) ?? isMissingNow(cx, e, b));
  if (asked) return equalsNothing(cx, e, token, asked, nothing);
  const of = (operator: OperatorName, ...args: readonly Scalar[]): Scalar => compute(cx, e, operator, ...args);
  const [first, second] = [flagOf(cx, e, a), flagOf(cx, e, b)];
  const isOneNothing = [a, b].some((term) => !absence(term) && isNeverThere(cx, term));
  const found = !isOneNothing && withoutFlag(cx, a, () => withoutFlag(cx, b, () => compare(token.replace('!', '='))));
  const there = typeof found === 'boolean' ? literal(found) : found;
  const isLoose = token.length === 2;
  const alike = first && second && (isLoose ? of('and', first.is, second.is) : bothMissing(cx, e, first, second));
  const neither = second ? of('and', of('not', second.is), there) : there;
  const same = first ? of('select', first.is, alike ?? literal(false), neither) : neither;
  return token.startsWith('=') ? same : of('not', same);
};

/** Whether both are missing, and are the same nothing. */
const bothMissing = (cx: Context, e: AnyNode, first: Flag, second: Flag): Scalar => {
  const isNull = (flag: Flag): Scalar => flag.isNull ?? literal(flag.of === 'null');
  return compute(cx, e, 'and', second.is, compute(cx, e, 'eq', isNull(first), isNull(second)));
};

const isNullLiteral = (e: AnyNode): boolean => e.type === 'Literal' && e.raw === 'null';
