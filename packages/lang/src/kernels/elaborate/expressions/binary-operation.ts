import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { OperatorName } from '../../code/operators.js';
import { literal, typedLiteral, type Scalar } from '../../code/scalar.js';
import { compute, unsupported, type Context } from '../context/context.js';
import { isLiteral, isScalar, type Term } from '../context/term.js';

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
  if (operator === 'div' && (isBigInt(a) || isBigInt(b))) return compute(cx, node, 'idiv', a, b);
  return operator === 'pow' ? power(cx, node, a, b) : compute(cx, node, operator, a, b);
};

/** Quotients and powers of BigInts are whole. */
const isBigInt = (s: Scalar): boolean => isLiteral(s) && typeof s.value === 'bigint';

/** Whether a token compares for equality. */
export const isEquality = (token: string): boolean => /^[=!]==?$/.test(token);

/** Whether a token compares in any way. */
export const isComparison = (token: string): boolean => isEquality(token) || /^[<>]=?$/.test(token);

/** Whether two values are equal, or are not: decided now where one is no number, as strings are. */
export const equalTerms = (
  cx: Context,
  node: AnyNode,
  token: string,
  first: readonly [AnyNode, Term],
  second: readonly [AnyNode, Term],
): boolean | Scalar => {
  const [a, b] = [first[1], second[1]];
  const { missing } = cx.session;
  return isScalar(a) && isScalar(b) && !missing.has(a) && !missing.has(b)
    ? decidedTruth(binaryOperation(cx, node, token, a, b))
    : rare().equalOthers(cx, node, token, first, second);
};

/** A truth value, decided now where it is known. */
export const decidedTruth = (x: Scalar): boolean | Scalar => (isLiteral(x) ? Boolean(x.value) : x);

/** Small whole powers are products: exact for integers, and much cheaper. */
export const power = (cx: Context, node: AnyNode, a: Scalar, b: Scalar): Scalar => {
  const n = isLiteral(b) && typeof b.value !== 'boolean' ? Number(b.value) : NaN;
  if ((isLiteral(a) && !isBigInt(a)) || !Number.isInteger(n)) return compute(cx, node, 'pow', a, b);
  if (n === 0) return isBigInt(b) ? typedLiteral(1n, 'i64') : literal(1);
  if (n < 0) return compute(cx, node, 'div', literal(1), power(cx, node, a, literal(-n)));
  if (n > 16 && !isBigInt(b)) return compute(cx, node, 'pow', a, b);
  const half = n > 1 ? power(cx, node, a, literal(isBigInt(b) ? BigInt(n >> 1) : n >> 1)) : a;
  if (n === 1) return a;
  const square = compute(cx, node, 'mul', half, half);
  return n % 2 === 0 ? square : compute(cx, node, 'mul', square, a);
};
