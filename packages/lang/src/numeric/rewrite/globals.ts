import type { AnyNode, CallExpression, Identifier, MemberExpression, NewExpression } from 'acorn';

import { mathMember } from '../../source/ast.js';
import { visitMember } from './assignment.js';
import { methodOf, rewriteCallback } from './callbacks.js';
import { replace, siteOf, unsupported, wrap, type Context } from './context.js';
import { binaryMath, unaryMath } from '../ops/math-functions.js';
import { shortCircuits } from './short-circuits.js';
import { isQuestion, type Question } from '../ops/questions.js';

/** Calls: `Math` functions become operations; functions that ask about a value ask whether it is known; what is called for each element says so. */
export const rewriteCall = (cx: Context, e: CallExpression): void => {
  const before = cx.helpersUsed();
  for (const a of e.arguments) cx.visit(a);
  const end = rewriteCallback(cx, e, cx.helpersUsed() > before);
  rewriteCalled(cx, e);
  end();
};

const rewriteCalled = (cx: Context, e: CallExpression): void => {
  const { isGlobal } = cx.parsed.scopes;
  const math = mathMember(e.callee, isGlobal);
  if (math !== undefined && !e.optional) return rewriteMath(cx, e, math);
  const [first] = e.arguments;
  const name =
    e.callee.type === 'Identifier' && cx.parsed.scopes.bindingOf(e.callee) === undefined ? e.callee.name : undefined;
  if (name === 'Number' || name === 'Boolean') {
    if (e.arguments.length !== 1 || first.type === 'SpreadElement') return;
    replace(cx, e.callee.start, e.callee.end, cx.helper(name === 'Number' ? 'num' : 'bool'));
    cx.code.appendLeft(first.end, `, ${siteOf(cx, e.start)}`);
    return;
  }
  if ((name === 'isNaN' || name === 'isFinite') && asks(cx, e, name)) return;
  if (name === 'String' && first) return wrap(cx, first, `${cx.helper('text')}(`, `, ${siteOf(cx, first.start)})`);
  if (name === 'Array') return rewriteArray(cx, e);
  if (e.callee.type === 'MemberExpression' && !e.callee.computed && e.callee.property.type === 'Identifier') {
    const method = e.callee.property.name;
    if (isGlobal(e.callee.object, 'Number')) {
      if (isQuestion(method) && asks(cx, e, method)) return;
      return method.startsWith('is') ? requireKnown(cx, first, `Number.${method}`) : undefined;
    }
    if (isGlobal(e.callee.object, 'Object') && method === 'is')
      return e.arguments.forEach((a) => requireKnown(cx, a, '`Object.is`'));
    cx.visit(e.callee);
    if (keyed.has(method) && first && first.type !== 'SpreadElement' && !cx.plain.number(first))
      wrap(cx, first, `${cx.helper('key')}(`, `, ${siteOf(cx, first.start)})`);
    if (deciding.has(method) && first && first.type !== 'SpreadElement') {
      wrap(
        cx,
        first,
        `${cx.helper('callback')}(`,
        `, 'the result of \`${method}\`', ${siteOf(cx, first.start)}${methodOf(cx, e)})`,
      );
    } else if (searching.has(method) && e.callee.object.type !== 'Super' && !shortCircuits(e.callee.object)) {
      wrap(cx, e.callee.object, `${cx.helper('searchable')}(`, `, ${siteOf(cx, e.callee.property.start)})`);
      requireKnown(cx, first, `\`${method}\``);
    }
    return;
  }
  cx.visit(e.callee);
};

/** `new Array(n)`, `new Float64Array(n)`: a length must be known. What the latter is follows from its name. */
export const rewriteNew = (cx: Context, e: NewExpression): void => {
  for (const a of e.arguments) cx.visit(a);
  const { isGlobal } = cx.parsed.scopes;
  if (isGlobal(e.callee, 'Array')) return rewriteArray(cx, e);
  if (isGlobal(e.callee, 'Float64Array')) rewriteArray(cx, e);
  const [first] = e.arguments;
  if (COLLECTIONS.some((name) => isGlobal(e.callee, name)) && first && first.type !== 'SpreadElement')
    wrap(cx, first, `${cx.helper('key')}(`, `, ${siteOf(cx, first.start)})`);
  if (e.callee.type !== 'Identifier' || REPLACED.some((name) => isGlobal(e.callee, name))) cx.visit(e.callee);
};

/** Names of globals that mean something else in rewritten code, where they stand as values. */
export const rewriteIdentifier = (cx: Context, id: Identifier, shorthand = false): void => {
  if (cx.parsed.scopes.bindingOf(id)) return;
  const put = (text: string): void => replace(cx, id.start, id.end, shorthand ? `${id.name}: ${text}` : text);
  const site = siteOf(cx, id.start);
  const x = cx.temporary('x');
  switch (id.name) {
    case 'Math':
      return put(`${cx.helper('mathObject')}(${site})`);
    case 'Float64Array':
    case 'Map':
    case 'Set':
    case 'structuredClone':
      return put(cx.helper(id.name));
    case 'Number':
      return put(`((${x}) => ${cx.helper('num')}(${x}, ${site}))`);
    case 'Boolean':
      return put(`((${x}) => ${cx.helper('bool')}(${x}, ${site}))`);
    case 'eval':
    case 'Function':
      return unsupported(
        cx,
        id.start,
        `\`${id.name}\``,
        'code made from strings is out of reach: write the function out',
      );
  }
};

/** `a.b` and `a[i]`, read. */
export const rewriteMember = (cx: Context, e: MemberExpression): void => {
  const { isGlobal } = cx.parsed.scopes;
  const math = mathMember(e, isGlobal);
  if (math === 'random') return refuseRandom(cx, e.start);
  if (math !== undefined) {
    if (typeof (Math as unknown as Record<string, unknown>)[math] !== 'function') return;
    return replace(cx, e.start, e.end, `${cx.helper('mathFunction')}('${math}', ${siteOf(cx, e.start)})`);
  }
  if (!e.computed && (isGlobal(e.object, 'Number') || isGlobal(e.object, 'Boolean'))) return;
  visitMember(cx, e);
};

const rewriteMath = (cx: Context, e: CallExpression, name: string): void => {
  if (name === 'random') return refuseRandom(cx, e.start);
  if (cx.plain.number(e)) return;
  const site = siteOf(cx, e.start);
  const spread = e.arguments.some((a) => a.type === 'SpreadElement');
  const last = e.arguments.at(-1);
  const unary = e.arguments.length === 1 && unaryMath.find((f) => f === name);
  const binary = e.arguments.length === 2 && binaryMath.find((f) => f === name);
  const direct = unary ? (`math_${unary}` as const) : binary ? (`math_${binary}` as const) : undefined;
  if (direct && last && !spread) {
    replace(cx, e.callee.start, e.callee.end, cx.helper(direct));
    cx.code.appendLeft(last.end, `, ${site}`);
    return;
  }
  const open = cx.parsed.tokenAt(e.callee.end);
  replace(cx, e.callee.start, e.callee.end, cx.helper('mathOf'));
  replace(cx, open.start, open.end, `('${name}', [`);
  replace(cx, e.end - 1, e.end, `], ${site})`);
};

const refuseRandom = (cx: Context, offset: number): never =>
  unsupported(
    cx,
    offset,
    '`Math.random`',
    'it would draw once, while the function is traced: give random numbers as an input',
  );

const rewriteArray = (cx: Context, e: CallExpression | NewExpression): void => {
  if (e.arguments.length === 1) requireKnown(cx, e.arguments[0], 'the length of an array');
};

const requireKnown = (cx: Context, argument: AnyNode | undefined, what: string): void => {
  if (!argument || argument.type === 'SpreadElement' || cx.plain.number(argument)) return;
  wrap(cx, argument, `${cx.helper('known')}(`, `, '${what}', ${siteOf(cx, argument.start)})`);
};

/** `isNaN(x)` and the like: of a symbol a condition. */
const asks = (cx: Context, e: CallExpression, name: Question): boolean => {
  const [first] = e.arguments;
  if (e.optional || e.arguments.length !== 1 || first.type === 'SpreadElement') return false;
  if (cx.plain.number(first)) return true;
  const open = cx.parsed.tokenAt(e.callee.end);
  const plain = cx.parsed.text.slice(e.callee.start, e.callee.end);
  replace(cx, e.callee.start, e.callee.end, cx.helper('asked'));
  replace(cx, open.start, open.end, `(${plain}, '${name}', `);
  cx.code.appendLeft(first.end, `, ${siteOf(cx, first.start)}`);
  return true;
};

/* Globals that rewritten code has its own of, and `Function`, which it must not have. */
const COLLECTIONS = ['Map', 'Set'];
const REPLACED = ['Float64Array', 'Function', ...COLLECTIONS];
/** Methods of these that take a key. */
const keyed = new Set(['get', 'set', 'has', 'add', 'delete']);
/** Array methods whose callback decides which elements count, or in which order. */
const deciding = new Set([
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'some',
  'every',
  'sort',
  'toSorted',
]);
/** Array methods that compare elements. */
const searching = new Set(['includes', 'indexOf', 'lastIndexOf', 'sort', 'toSorted']);
