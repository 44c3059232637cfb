import type { AnyNode, CallExpression } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { asScalar, compute, refuse, type Context } from '../context/context.js';
import { isLiteral, isScalar, termText, type Mixed, type Term } from '../context/term.js';
import { bare } from '../../../source/ast.js';
import { saysSame } from '../places/same-place.js';
import { isMissing, partOf, promised } from '../terms/missing.js';
import { argumentsOf, value } from './evaluate.js';
import { binaryOperation } from './binary-operation.js';
import { columnOfMixed, kindOf, oneOf, type HostKind } from './one-of.js';

/*
 * One of several values of the surroundings that are of several kinds, as `number | ((x: number) => number)`: `typeof`, `Array.isArray` and comparisons ask of which it is, and who
 * uses it as one kind takes it to be one of these. Where it is not, that one is missing.
 */

/** One of those that are of a kind; nothing where none is. */
export const narrowed = (cx: Context, e: AnyNode, of: Mixed, kind: HostKind): Term | undefined => {
  const isOfKind = (value: unknown): boolean => kindOf(value) === kind;
  if (!of.values.some(isOfKind)) return undefined;
  const those = columnOfMixed(cx, of, `[only ${kind}]`, (value) => (isOfKind(value) ? value : undefined));
  return oneOf(cx, e, of.name, those, of.index);
};

/** What one arm of `typeof x === 'number' ? x : 0` has, where the test says of which kind x is there. */
export const narrowedBy = (cx: Context, test: AnyNode, arm: AnyNode, of: Mixed, holds: boolean): Term => {
  const asks = questionOf(cx, bare(test), arm);
  const left = asks ? of.values.filter((value) => asks(value) === holds) : of.values;
  const [kind, ...others] = new Set(left.map(kindOf));
  if (kind === undefined || others.length > 0) return of;
  const those = columnOfMixed(cx, of, `[as ${kind}]`, (value) => (kindOf(value) === kind ? value : left[0]));
  return oneOf(cx, arm, of.name, those, of.index);
};

/** What `typeof x === 'number'`, `Array.isArray(x)` and the like ask of x. */
const questionOf = (cx: Context, test: AnyNode, x: AnyNode): ((value: unknown) => boolean) | undefined => {
  if (test.type === 'CallExpression' && test.arguments.length === 1 && saysSame(cx, test.arguments[0], x)) {
    const f = value(cx, test.callee);
    return f.is === 'host' && f.value === Array.isArray ? Array.isArray : undefined;
  }
  if (test.type !== 'BinaryExpression' || !/^[=!]==?$/.test(test.operator)) return undefined;
  const [left, right] = [bare(test.left), bare(test.right)];
  const [of, text] = left.type === 'UnaryExpression' ? [left, right] : [right, left];
  if (of.type !== 'UnaryExpression' || of.operator !== 'typeof' || !saysSame(cx, of.argument, x)) return undefined;
  const isEqual = test.operator.startsWith('=');
  return text.type === 'Literal' ? (one) => (typeof one === text.value) === isEqual : undefined;
};

/** A member of those that have it: of one kind as this kind has it, of several what each has. Nothing where none does. */
export const memberOfMixed = (
  cx: Context,
  e: AnyNode,
  of: Mixed,
  name: string,
  named: (cx: Context, e: AnyNode, of: Term, name: string) => Term,
): Term | undefined => {
  const [kind, ...others] = kindsWith(of, name);
  if (kind === undefined) return undefined;
  const narrow = others.length === 0 ? narrowed(cx, e, of, kind) : undefined;
  if (narrow) return promised(cx, partOf(cx, e, narrow, named(cx, e, narrow, name)));
  const members = columnOfMixed(cx, of, name, (value) => (Object(value) as Record<string, unknown>)[name]);
  return oneOf(cx, e, `${of.name}.${name}`, members, of.index);
};

/** One of those that have a method. */
export const withMethod = (cx: Context, e: AnyNode, of: Mixed, name: string): Term | undefined => {
  const [kind, ...others] = kindsWith(of, name);
  if (others.length > 0)
    return refuse(
      cx,
      e,
      'lang/shape',
      `${termText(of)} has \`${name}\` as ${[kind, ...others].join(' and as ')}`,
      'ask what it is: Array.isArray(x) or typeof x, in one arm of c ? a : b',
    );
  return kind && narrowed(cx, e, of, kind);
};

const kindsWith = (of: Mixed, name: string): readonly HostKind[] =>
  (['object', 'array', 'string', 'vector'] as const).filter((kind) =>
    of.values.some((value) => kindOf(value) === kind && name in Object(value)),
  );

/** What `typeof` says of it. */
export const typeOfMixed = (cx: Context, e: AnyNode, of: Mixed): Term =>
  oneOf(
    cx,
    e,
    `typeof ${of.name}`,
    columnOfMixed(cx, of, '[typeof]', (value) => typeof value),
    of.index,
  );

/** What JavaScript takes it for where a truth value is wanted. */
export const truthOfMixed = (cx: Context, e: AnyNode, of: Mixed): boolean | Scalar => {
  const truth = asScalar(cx, e, oneOf(cx, e, of.name, columnOfMixed(cx, of, '[truth]', Boolean), of.index));
  return isLiteral(truth) ? Boolean(truth.value) : truth;
};

/** `Array.isArray(x)`; what may be missing is none where it is. */
export const isArray = (cx: Context, e: CallExpression): Term => {
  const [of, ...more] = argumentsOf(cx, e);
  if (of === undefined || more.length > 0)
    return refuse(cx, e, 'lang/arguments', 'Array.isArray takes one argument', 'write Array.isArray(x)');
  const there = isArrayThere(cx, e, of);
  const flag = isLiteral(there) && there.value === false ? undefined : isMissing(cx, e, of);
  return flag ? compute(cx, e, 'and', compute(cx, e, 'not', flag.is), asScalar(cx, e, there)) : there;
};

const isArrayThere = (cx: Context, e: CallExpression, of: Term): Term => {
  if (of.is === 'mixed') return oneOf(cx, e, of.name, columnOfMixed(cx, of, '[array]', Array.isArray), of.index);
  if (of.is === 'host') return literal(Array.isArray(of.value));
  if (of.is === 'one-of') return literal(of.values.every(Array.isArray));
  if (of.is === 'list' || of.is === 'table')
    return literal((of.is === 'list' || of.index.length < of.shape.length) && of.element === undefined);
  return literal(of.is === 'sieve');
};

/** Whether it equals another value. */
export const equalsMixed = (cx: Context, e: AnyNode, of: Mixed, other: Term, token: string): Scalar => {
  const isSame = token.startsWith('=');
  const isLoose = token.length === 2;
  if (isLiteral(other) || other.is === 'host' || other.is === 'nothing') {
    const value = other.is === 'nothing' ? undefined : other.value;
    // oxlint-disable-next-line eqeqeq -- the kernel says so
    const equal = (one: unknown): boolean => (isLoose ? one == value : one === value) === isSame;
    return asScalar(cx, e, oneOf(cx, e, of.name, of.values.map(equal), of.index));
  }
  if (!isScalar(other) || (isLoose && of.values.some((one) => kindOf(one) !== 'number' && kindOf(one) !== 'function')))
    return refuse(
      cx,
      e,
      'lang/shape',
      `${termText(of)} is compared with ${termText(other)}`,
      isLoose ? `write ${token}=` : 'ask what it is: typeof x',
    );
  const kind = cx.session.isTruth(other) ? 'boolean' : 'number';
  const one = narrowed(cx, e, of, kind);
  if (!one) return literal(!isSame);
  const isOfKind = oneOf(
    cx,
    e,
    of.name,
    of.values.map((value) => typeof value === kind),
    of.index,
  );
  const equal = compute(
    cx,
    e,
    'and',
    asScalar(cx, e, isOfKind),
    binaryOperation(cx, e, '===', asScalar(cx, e, one), other),
  );
  return isSame ? equal : compute(cx, e, 'not', equal);
};
