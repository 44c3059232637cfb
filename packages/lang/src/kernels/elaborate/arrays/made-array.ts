import type { AnyNode, CallExpression, Identifier, NewExpression } from 'acorn';
import { isFloat, type ScalarType } from '@filigree/ir';
import { bare } from '../../../source/ast.js';
import { literal, type Scalar } from '../../code/scalar.js';
import { asScalar, originOf, refuse, type Context } from '../context/context.js';
import { argumentsOf, value } from '../expressions/evaluate.js';
import { hold } from '../terms/holds.js';
import { callFunction } from '../calls/inline.js';
import { eachItem, itemsOf } from '../terms/items.js';
import { loaded } from '../terms/member.js';
import { made } from '../terms/made.js';
import { pending, readSlot, variable } from '../terms/slots.js';
import { ownTypes } from '../terms/typed-arrays.js';
import { isLiteral, isScalar, nothing, tupleOf, type Slot, type Term } from '../context/term.js';

/** `new Array(n).fill(x)`, the way to make an array of equal items. */
export const filledArray = (cx: Context, e: CallExpression): Term | undefined => {
  const callee = bare(e.callee);
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return undefined;
  const array = bare(callee.object);
  const isMade = (array.type === 'NewExpression' || array.type === 'CallExpression') && array.arguments.length === 1;
  const { isGlobal } = cx.unit.text.parsed.scopes;
  if (callee.property.name !== 'fill' || !isMade || !isGlobal(bare(array.callee), 'Array')) return undefined;
  const n = lengthOf(cx, array, value(cx, array.arguments[0]));
  const [x, ...more] = argumentsOf(cx, e);
  if (x === undefined || more.length > 0)
    return refuse(cx, e, 'lang/arguments', 'fill takes one argument', 'write new Array(n).fill(0)');
  if (x.is === 'list' || x.is === 'members') return refuseOneForAll(cx, e);
  hold(cx, x, -1);
  return made(cx, e, tupleOf(new Array<Term>(n).fill(x)));
};

/** Refuses to let all items of an array be one array or object. */
export const refuseOneForAll = (cx: Context, e: AnyNode): never =>
  refuse(
    cx,
    e,
    'lang/array-alias',
    'all items would be one array or object',
    'make one for each: Array.from({ length: n }, () => [0, 0])',
  );

/** `new Array(n)`, whose items have no value yet, and `new Array(a, b)`, `Array.of(a)`, which has these. */
export const plainArray = (cx: Context, e: NewExpression | CallExpression, isLength: boolean): Term => {
  const given = argumentsOf(cx, e);
  const [n] = given;
  if (!isLength || given.length !== 1 || !isScalar(n)) return made(cx, e, tupleOf(given));
  const item = (_: unknown, k: number): Slot =>
    pending(cx, e, `new Array(…)[${k}]`, true, { since: cx.session.age(), writes: 0 });
  return made(cx, e, { is: 'list', items: Array.from({ length: lengthOf(cx, e, n) }, item) });
};

/** `new Float32Array(n)`, `new Int32Array([1, 2])` and the like: zeros of a type, or items that are rounded to it. */
export const newArray = (cx: Context, e: NewExpression): Term | undefined => {
  const callee = bare(e.callee);
  const { isGlobal } = cx.unit.text.parsed.scopes;
  if (isGlobal(callee, 'Array')) return plainArray(cx, e, true);
  const type = callee.type === 'Identifier' ? ownTypes[callee.name] : undefined;
  if (!type || !isGlobal(callee, (callee as Identifier).name)) return undefined;
  if (e.arguments.length !== 1) return undefined;
  const given = value(cx, e.arguments[0]);
  if (!isScalar(given)) return ofType(cx, e, type, given);
  const zero = cx.session.cast(originOf(cx, e), literal(0), type);
  return made(cx, e, tupleOf(new Array<Term>(lengthOf(cx, e, given)).fill(zero), type));
};

/** `Float32Array.from(list, f)` and `Float32Array.of(a, b)`; undefined where a kernel makes no arrays of the type. */
export const typedArrayFrom = (cx: Context, e: CallExpression, f: unknown, array: unknown): Term | undefined => {
  const type = typeof array === 'function' ? ownTypes[array.name] : undefined;
  return type && ofType(cx, e, type, f === Float32Array.from ? arrayFrom(cx, e) : plainArray(cx, e, false));
};

/** The items of an array, each rounded to a type. */
const ofType = (cx: Context, e: AnyNode, type: ScalarType, given: Term): Term => {
  const cast = (x: Scalar): Scalar => cx.session.cast(originOf(cx, e), x, type);
  const items = itemsOf(cx, e, given).map((item) => asScalar(cx, e, loaded(cx, e, item)));
  if (isFloat(type)) return made(cx, e, tupleOf(items.map(cast), type));
  /* What an integer cannot hold is refused, as where it is assigned. */
  return readSlot(cx, e, variable(cx, e, 'item', tupleOf(items, type)));
};

/** `Array.from({ length: n }, (_, k) => …)`, and of the items of an array. */
export const arrayFrom = (cx: Context, e: CallExpression): Term => {
  const [of, f, ...more] = argumentsOf(cx, e);
  if (of === undefined || more.length > 0)
    return refuse(
      cx,
      e,
      'lang/arguments',
      'Array.from takes one or two arguments',
      'write Array.from({ length: n }, f)',
    );
  const length = of.is === 'members' ? of.members.get('length') : undefined;
  const items = length
    ? new Array<() => Term>(lengthOf(cx, e, readSlot(cx, e, length))).fill(() => nothing)
    : eachItem(cx, e, of);
  const list = tupleOf(items.map((item, k) => (f ? callFunction(cx, e, f, [item(), literal(k)]) : item())));
  return made(cx, e, list);
};

const lengthOf = (cx: Context, node: AnyNode, n: Term): number =>
  isLiteral(n) && Number.isInteger(n.value) && Number(n.value) >= 0 && Number(n.value) <= LONGEST
    ? Number(n.value)
    : refuse(
        cx,
        node,
        'lang/shape',
        `the length of an array is known at compile time, and at most ${LONGEST}`,
        'use a number of the scope, or a field',
      );

/* Each item is a variable. */
const LONGEST = 4096;
