import { rare } from '#rare';
import type {
  AnyNode,
  BinaryExpression,
  ConditionalExpression,
  LogicalExpression,
  MemberExpression,
  UnaryExpression,
} from 'acorn';
import { bare } from '../../source/ast.js';
import { holds, leastType } from '../code/kinds.js';
import { literal } from '../code/scalar.js';
import { assignment, update } from './places/assign.js';
import { call } from './calls/call.js';
import { effect } from './places/effect.js';
import {
  apart,
  asNumber,
  asScalar,
  compute,
  refuse,
  takenAsThere,
  unsupported,
  type Context,
} from './context/context.js';
import { isModuleName, resolve, resolveImported } from './terms/names.js';
import { readSlot } from './terms/slots.js';
import { isOfTexts, nothing, type Term } from './context/term.js';
import { hostNumber } from './terms/host-value.js';
import { list, members } from './expressions/literals.js';
import { compared, condition, scalar, value } from './expressions/evaluate.js';
import {
  binaryOperation,
  binaryOperators,
  equalTerms,
  isComparison,
  isEquality,
} from './expressions/binary-operation.js';
import { chosen, eitherValue, thereOr, type Arm } from './expressions/choice.js';
import { absence, absent, isMissing, isNeverThere, partOf } from './terms/missing.js';
import { cut, ifThere, isChained, isNothing, optional } from './expressions/optional.js';
import { indexed, named } from './terms/member.js';
import { memberName } from './terms/member-name.js';
import { asIndex } from './terms/index-of.js';

/** What an expression stands for; an element of a field is not read yet. */
export const expression = (cx: Context, node: AnyNode): Term => {
  const e = bare(node);
  switch (e.type) {
    case 'Literal':
      return literalTerm(cx, e);
    case 'Identifier':
      return readSlot(cx, e, resolve(cx, e));
    case 'MemberExpression':
      return member(cx, e);
    case 'CallExpression':
      return call(cx, e);
    case 'UnaryExpression':
      return unary(cx, e);
    case 'BinaryExpression':
      return binary(cx, e);
    case 'LogicalExpression':
      return logical(cx, e);
    case 'ConditionalExpression':
      return conditional(cx, e);
    case 'AssignmentExpression':
      return assignment(cx, e, true);
    case 'UpdateExpression':
      return update(cx, e, true);
    case 'SequenceExpression':
      e.expressions.slice(0, -1).forEach((x) => effect(cx, x));
      return expression(cx, e.expressions[e.expressions.length - 1]);
    case 'ChainExpression': {
      const found = expression(cx, e.expression);
      return found === cut ? nothing : found;
    }
    case 'TemplateLiteral':
      return rare().knownText(cx, e);
    case 'NewExpression':
      return rare().newArray(cx, e) ?? rare().instance(cx, e) ?? rare().refuseExpression(cx, e);
    case 'ArrayExpression':
      return list(cx, e);
    case 'ObjectExpression':
      return members(cx, e);
    case 'ThisExpression':
      return cx.self ?? unsupported(cx, e, '`this` outside of methods', 'pass what it holds as arguments');
    case 'ClassExpression':
      return rare().ownClass(cx, e);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return {
        is: 'closure',
        name: 'id' in e && e.id ? e.id.name : 'function',
        node: e,
        unit: cx.unit,
        env: cx.env,
        self: cx.self,
      };
    default:
      return rare().refuseExpression(cx, e);
  }
};

const literalTerm = (cx: Context, e: AnyNode & { type: 'Literal' }): Term => {
  if (typeof e.value === 'number') return numeral(cx, e, e.value);
  if (typeof e.value === 'boolean') return literal(e.value);
  if (typeof e.value === 'string') return { is: 'host', name: e.value, value: e.value };
  if (typeof e.value === 'bigint')
    return leastType(e.value) === 'f64'
      ? refuse(cx, e, 'lang/literal', `${e.raw} has more than 64 bits`, 'no integer of a kernel has more')
      : hostNumber(e.value);
  return e.value === null && e.raw === 'null'
    ? absent('null')
    : unsupported(cx, e, 'a regular expression', 'compute with numbers');
};

/** A numeral with a point or an exponent is a float, though its value is whole. */
const numeral = (cx: Context, e: AnyNode & { type: 'Literal' }, value: number): Term => {
  const raw = (e.raw ?? String(value)).replaceAll('_', '');
  const real = !/^0[xob]/i.test(raw) && /[.e]/i.test(raw);
  if (!Number.isInteger(value)) return literal(value);
  if (real && (cx.unit.spelled || raw.includes('.') || !holds('i32', value)))
    return { ...literal(value), float: 'written' };
  if (Number.isSafeInteger(value)) return literal(value);
  const whole = BigInt(real ? value : raw);
  return whole === BigInt(value)
    ? literal(whole)
    : refuse(cx, e, 'lang/literal', `no number of JavaScript is ${raw}`, `write ${raw}n, which has 64 bits`);
};

const unary = (cx: Context, e: UnaryExpression): Term => {
  switch (e.operator) {
    case '-':
      return compute(cx, e, 'neg', scalar(cx, e.argument));
    case '+': {
      const x = value(cx, e.argument);
      return x.is === 'mixed' || x.is === 'one-of'
        ? rare().ofEach(cx, e, x, Number)
        : asNumber(cx, e, asScalar(cx, e.argument, x));
    }
    case '~':
      return compute(cx, e, 'bitnot', scalar(cx, e.argument));
    case '!': {
      const known = condition(cx, e.argument);
      return typeof known === 'boolean' ? literal(!known) : compute(cx, e, 'not', known);
    }
    case 'void':
      expression(cx, e.argument);
      return nothing;
    case 'typeof':
      return rare().typeOf(cx, e);
    default:
      return unsupported(cx, e, `\`${e.operator}\``, 'what an object holds never changes: leave it out');
  }
};

const binary = (cx: Context, e: BinaryExpression): Term => {
  const asks = e.operator === 'in' || e.operator === 'instanceof';
  const known = asks ? (e.operator === 'in' ? rare().isIn(cx, e) : rare().instanceOf(cx, e)) : undefined;
  if (known) return known;
  if (!(e.operator in binaryOperators))
    return unsupported(cx, e, `\`${e.operator}\``, 'what a value is must be known when the kernel is written');
  if (isEquality(e.operator) && [e.left, e.right].some((x) => isNothing(cx, bare(x as AnyNode))))
    return rare().comparedWithNothing(cx, e);
  const [left, right] = [e.left as AnyNode, e.right];
  if (!isComparison(e.operator)) {
    const [a, b] = [value(cx, left), value(cx, right)];
    return binaryOperation(cx, e, e.operator, asScalar(cx, left, a), asScalar(cx, right, b));
  }
  const [a, b] = [compared(cx, left), compared(cx, right)];
  if (!isEquality(e.operator)) {
    const { missing } = cx.session;
    return missing.has(a) || missing.has(b)
      ? rare().orderIfThere(cx, e, e.operator, [left, a], [right, b])
      : binaryOperation(cx, e, e.operator, asScalar(cx, left, a), asScalar(cx, right, b));
  }
  const equal = equalTerms(cx, e, e.operator, [left, a], [right, b]);
  return typeof equal === 'boolean' ? literal(equal) : equal;
};

const logical = (cx: Context, e: LogicalExpression): Term => {
  if (e.operator === '??') {
    const left = optional(cx, e.left);
    if (absence(left)) return value(cx, e.right);
    const flag = isMissing(cx, e, left);
    if (!flag) return left;
    const right: Arm = { node: e.right, term: () => value(apart(cx), e.right) };
    return thereOr(cx, e, flag, { node: e.left, term: () => left }, right);
  }
  return eitherValue(cx, e, e.left, ifThere(cx, e.left), e.operator === '&&', e.right);
};

const conditional = (cx: Context, e: ConditionalExpression): Term => {
  const test = condition(cx, e.test);
  if (typeof test === 'boolean') {
    const taken = test ? e.consequent : e.alternate;
    return cx.asked === e ? optional(cx, taken) : expression(cx, taken);
  }
  const made = cx.asked === e ? optional : value;
  const arm = (node: AnyNode): Arm => ({
    node,
    term: () => {
      const term = made(apart(cx), node);
      return term.is === 'mixed' ? rare().narrowedBy(cx, e.test, node, term, node === e.consequent) : term;
    },
  });
  return chosen(cx, e, test, arm(e.consequent), arm(e.alternate));
};

/** `object.name` and `object[index]`. */
export const member = (cx: Context, e: MemberExpression): Term => {
  const object = bare(e.object);
  const name = memberName(e);
  if (object.type === 'Super' && name !== undefined) return rare().superMember(cx, e, name);
  if (!e.computed && object.type === 'Identifier' && isModuleName(cx, object) && e.property.type === 'Identifier')
    return resolveImported(cx, object, e.property.name);
  const binding = e.optional ? undefined : cx.unit.text.parsed.scopes.bindingOf(object);
  const slot = binding && cx.env.lookup(binding);
  if (slot?.is === 'chosen') return rare().partOfChosen(cx, e, slot);
  const of = e.optional ? optional(cx, object) : expression(cx, object);
  if (of === cut || (e.optional && isNeverThere(cx, of))) return cut;
  const chained = (part: Term): Term => (isChained(e) ? partOf(cx, e, of, part) : part);
  if (!isChained(e)) takenAsThere(cx, e.object, of);
  if (name !== undefined) return chained(named(cx, e.property, of, name));
  const key = value(cx, e.property as AnyNode);
  if (key.is === 'host' && typeof key.value === 'string') return chained(named(cx, e.property, of, key.value));
  const byText = key.is === 'one-of' && isOfTexts(key) ? rare().memberByText(cx, e, of, key) : undefined;
  if (byText) return chained(byText);
  return chained(indexed(cx, e, of, asIndex(cx, e.property as AnyNode, key)));
};
