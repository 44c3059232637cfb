import type { AnyNode, CallExpression } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { binaryOperation, equalTerms, decidedTruth } from './binary-operation.js';
import { equalIfThere } from './compared-with-nothing.js';
import type { OperatorName } from '../../code/operators.js';
import { asScalar, compute, refuse, type Context } from '../context/context.js';
import { argumentsOf } from './evaluate.js';
import { equalsMixed } from './mixed.js';
import { flagOf, withoutFlag } from '../terms/missing.js';
import { equalsOne } from './one-of.js';
import { isScalar, type Term } from '../context/term.js';
import { isAbsent } from './with-default.js';

/** Whether two values are equal, or are not, that are no two numbers, or of which one may be missing. */
export const equalOthers = (
  cx: Context,
  node: AnyNode,
  token: string,
  [left, a]: readonly [AnyNode, Term],
  [right, b]: readonly [AnyNode, Term],
): boolean | Scalar => {
  const { missing } = cx.session;
  if (missing.has(a) || missing.has(b))
    return decidedTruth(equalIfThere(cx, node, token, a, b, (t) => equalTerms(cx, node, t, [left, a], [right, b])));
  if (a.is === 'mixed') return decidedTruth(equalsMixed(cx, node, a, b, token));
  if (b.is === 'mixed') return decidedTruth(equalsMixed(cx, node, b, a, token));
  const known = equalHosts(token, a, b);
  if (known !== undefined) return known;
  const [one, other] = a.is === 'one-of' ? [a, b] : [b, a];
  return decidedTruth(
    one.is === 'one-of' && (isPlain(other) || other.is === 'one-of')
      ? equalsOne(cx, node, one, other, token.startsWith('='))
      : binaryOperation(cx, node, token, asScalar(cx, left, a), asScalar(cx, right, b)),
  );
};

/** `Object.is(a, b)`: of numbers NaN is the same as itself, and 0 is not −0. */
export const sameValue = (cx: Context, e: CallExpression): Term => {
  const [a, b] = argumentsOf(cx, e);
  if (a === undefined || b === undefined)
    return refuse(cx, e, 'lang/arguments', 'Object.is takes two arguments', 'write Object.is(a, b)');
  const [left, right] = e.arguments;
  const equal = equalTerms(cx, e, '===', [left, a], [right, b]);
  const isNumber = (x: Term): x is Scalar => isScalar(x) && !cx.session.isTruth(x) && !cx.session.missing.has(x);
  if (!isNumber(a) || !isNumber(b)) return typeof equal === 'boolean' ? literal(equal) : equal;
  const of = (operator: OperatorName, ...args: readonly Scalar[]): Scalar => compute(cx, e, operator, ...args);
  const inverse = (x: Scalar): Scalar => of('div', literal(1), x);
  const sameSign = of('or', of('ne', a, literal(0)), of('eq', inverse(a), inverse(b)));
  const bothNaN = of('and', of('ne', a, a), of('ne', b, b));
  return of('or', of('and', typeof equal === 'boolean' ? literal(equal) : equal, sameSign), bothNaN);
};

/** Which of two values is less, of which one may be missing: undefined is neither less nor more than anything, and null is 0. */
export const orderIfThere = (
  cx: Context,
  node: AnyNode,
  token: string,
  ...sides: readonly [readonly [AnyNode, Term], readonly [AnyNode, Term]]
): Scalar => {
  const numbers = sides.map(([at, term]): readonly [Scalar, Scalar | undefined] => {
    const flag = flagOf(cx, node, term);
    const x = withoutFlag(cx, term, () => asScalar(cx, at, term));
    if (!flag) return [x, undefined];
    const isNull = isAbsent(cx, node, flag, 'null');
    const isUndefined = isAbsent(cx, node, flag, 'undefined');
    return [isNull ? compute(cx, node, 'select', isNull, literal(0), x) : x, isUndefined];
  });
  const [[a], [b]] = numbers;
  return numbers.reduce(
    (holds, [, isUndefined]) =>
      isUndefined ? compute(cx, node, 'and', compute(cx, node, 'not', isUndefined), holds) : holds,
    binaryOperation(cx, node, token, a, b),
  );
};

/** Strings and the like are compared when the kernel is compiled. */
const equalHosts = (operator: string, a: Term, b: Term): boolean | undefined => {
  if (a.is === 'one-of' || b.is === 'one-of' || (!isPlain(a) && !isPlain(b))) return undefined;
  if (isText(a) !== isText(b) && (isScalar(a) || isScalar(b))) return undefined;
  const content = (t: Term): unknown =>
    t.is === 'host' || t.is === 'literal' ? t.value : t.is === 'nothing' ? undefined : t;
  return (content(a) === content(b)) === operator.startsWith('=');
};

const isPlain = (t: Term): boolean => t.is === 'host' || t.is === 'nothing';

const isText = (t: Term): boolean => t.is === 'host' && typeof t.value === 'string';
