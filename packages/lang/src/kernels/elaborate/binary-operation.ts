import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { OperatorName } from '../code/operators.js';
import { literal, type Scalar } from '../code/scalar.js';
import { asScalar, compute, unsupported, type Context } from './context.js';
import { isLiteral, isScalar, type Term } from './term.js';

/** What the tokens of binary operators mean. */
export const binaryOperators: Readonly<Record<string, OperatorName>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '**': 'pow',
  '&': 'bitand',
  '|': 'bitor',
  '^': 'bitxor',
  '<<': 'shl',
  '>>': 'shr',
  '>>>': 'ushr',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '==': 'eq',
  '===': 'eq',
  '!=': 'ne',
  '!==': 'ne',
};

/** The operation of an operator token on two scalars. */
export const binaryOperation = (cx: Context, node: AnyNode, token: string, a: Scalar, b: Scalar): Scalar => {
  const operator = binaryOperators[token];
  if (operator === undefined) return unsupported(cx, node, `\`${token}\``, 'write it another way');
  return operator === 'pow' ? power(cx, node, a, b) : compute(cx, node, operator, a, b);
};

/** Whether a token compares for equality. */
export const isEquality = (token: string): boolean => /^[=!]==?$/.test(token);

/** Whether two values are equal, or are not: decided now where one is no number, as strings are. */
export const equalTerms = (
  cx: Context,
  node: AnyNode,
  token: string,
  [left, a]: readonly [AnyNode, Term],
  [right, b]: readonly [AnyNode, Term],
): boolean | Scalar => {
  const { missing } = cx.session;
  if (missing.has(a) || missing.has(b))
    return truthOf(rare().equalIfThere(cx, node, token, a, b, (t) => equalTerms(cx, node, t, [left, a], [right, b])));
  const known = equalHosts(token, a, b);
  if (known !== undefined) return known;
  const [one, other] = a.is === 'one-of' ? [a, b] : [b, a];
  return truthOf(
    one.is === 'one-of' && (isPlain(other) || other.is === 'one-of')
      ? rare().equalsOne(cx, node, one, other, token.startsWith('='))
      : binaryOperation(cx, node, token, asScalar(cx, left, a), asScalar(cx, right, b)),
  );
};

const truthOf = (x: Scalar): boolean | Scalar => (isLiteral(x) ? Boolean(x.value) : x);

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

/** Small whole powers are products: exact for integers, and much cheaper. */
export const power = (cx: Context, node: AnyNode, a: Scalar, b: Scalar): Scalar => {
  if (isLiteral(a) || !isLiteral(b) || !Number.isInteger(b.value)) return compute(cx, node, 'pow', a, b);
  const n = Number(b.value);
  if (n === 0) return literal(1);
  if (n < 0) return compute(cx, node, 'div', literal(1), power(cx, node, a, literal(-n)));
  if (n > 16) return compute(cx, node, 'pow', a, b);
  const half = n > 1 ? power(cx, node, a, literal(n >> 1)) : a;
  if (n === 1) return a;
  const square = compute(cx, node, 'mul', half, half);
  return n % 2 === 0 ? square : compute(cx, node, 'mul', square, a);
};
