import type { AnyNode, BinaryExpression, ConditionalExpression, LogicalExpression, UnaryExpression } from 'acorn';
import type { Bound } from '../ops/bind.js';
import { bare } from '../../source/ast.js';
import { effectArgument, replace, siteOf, wrap, type Context } from './context.js';
import { standardGlobals } from '../../source/standard-globals.js';
import { isEquality, neverSymbolic } from './plain.js';

/** `a + b` → `$add(a, b, site)`. */
export const rewriteBinary = (cx: Context, e: BinaryExpression): void => {
  const helper = binaryHelpers[e.operator];
  const { plain, parsed } = cx;
  if (e.left.type === 'PrivateIdentifier') return cx.visit(e.right);
  cx.visit(e.left);
  if (e.operator !== 'instanceof' || bare(e.right).type !== 'Identifier') cx.visit(e.right);
  else if (parsed.scopes.isGlobal(bare(e.right), 'Float64Array')) cx.visit(e.right);
  if (helper === undefined || (plain.number(e.left) && plain.number(e.right))) return;
  /* A symbol differs from every string, null and undefined, which is what JavaScript finds by itself. */
  const strict = e.operator === '===' || e.operator === '!==';
  const toNothing = [e.left, e.right].some((side) => neverSymbolic(side, parsed.scopes) && !isString(side));
  if (
    isEquality(e.operator) &&
    (toNothing || (strict && [e.left, e.right].some((side) => neverSymbolic(side, parsed.scopes))))
  )
    return;

  const operator = parsed.tokenAt(e.left.end);
  replace(cx, operator.start, operator.end, ',');
  wrap(cx, e, `${cx.helper(helper)}(`, `, ${siteOf(cx, operator.start)})`);
};

const isString = (node: BinaryExpression['left']): boolean => {
  const e = bare(node);
  return (
    (e.type === 'Literal' && typeof e.value === 'string') || (e.type === 'UnaryExpression' && e.operator === 'typeof')
  );
};

/** `a && b` → `$and(a, () => (b), site)`; both sides are evaluated when the left is symbolic. */
export const rewriteLogical = (cx: Context, e: LogicalExpression): void => {
  cx.visit(e.left);
  cx.visit(e.right);
  if (e.operator === '??' || cx.plain.boolean(e.left) || cx.plain.number(e.left)) return;
  const operator = cx.parsed.tokenAt(e.left.end);
  replace(cx, operator.start, operator.end, ', () => (');
  const helper = e.operator === '&&' ? 'and' : 'or';
  wrap(cx, e, `${cx.helper(helper)}(`, `), ${siteOf(cx, operator.start)}${effectArgument(cx, e.right)})`);
};

/** `c ? a : b` → `$cond(c, () => (a), () => (b), site)`. Arrays and objects that an arm makes are said to be new. */
export const rewriteConditional = (cx: Context, e: ConditionalExpression): void => {
  cx.visit(e.test);
  cx.visit(e.consequent);
  cx.visit(e.alternate);
  if (cx.plain.boolean(e.test) || cx.plain.number(e.test)) return;
  sayMade(cx, e.consequent);
  sayMade(cx, e.alternate);
  const question = cx.parsed.tokenAt(e.test.end);
  const colon = cx.parsed.tokenAt(e.consequent.end);
  replace(cx, question.start, question.end, ', () => (');
  replace(cx, colon.start, colon.end, '), () => (');
  wrap(
    cx,
    e,
    `${cx.helper('cond')}(`,
    `), ${siteOf(cx, question.start)}${effectArgument(cx, e.consequent, e.alternate)})`,
  );
};

/** `[a, { b }]` → `$made([a, $made({ b })])`: nobody else has what is written as an array or an object where an arm of a choice ends. */
const sayMade = (cx: Context, arm: AnyNode): void => {
  const e = bare(arm);
  if (e.type === 'ArrayExpression') {
    /* A hole is neither of two numbers, nor undefined. */
    if (e.elements.includes(null)) return;
    for (const item of e.elements) if (item !== null && item.type !== 'SpreadElement') sayMade(cx, item);
  } else if (e.type === 'ObjectExpression') {
    if (e.properties.some((p) => p.type === 'Property' && p.kind !== 'init')) return;
    for (const p of e.properties) if (p.type === 'Property') sayMade(cx, p.value);
  } else return;
  wrap(cx, e, `${cx.helper('made')}(`, ')');
};

/** `-a` → `$neg(a, site)`. */
export const rewriteUnary = (cx: Context, e: UnaryExpression): void => {
  const { plain } = cx;
  const helper = unaryHelpers[e.operator];
  const argument = bare(e.argument);
  if (e.operator === 'typeof' && argument.type === 'Identifier') {
    if (cx.parsed.scopes.isGlobal(argument, argument.name) && standardGlobals.has(argument.name)) return;
    /* `typeof` of a name that does not exist must not throw. */
    replace(
      cx,
      e.start,
      e.end,
      `${cx.helper('typeOf')}(typeof ${argument.name} === 'undefined' ? undefined : ${argument.name})`,
    );
    return;
  }
  cx.visit(e.argument);
  if (helper === undefined || plain.number(argument) || (e.operator === '!' && plain.boolean(argument))) return;
  const operator = cx.parsed.tokenAt(e.start);
  replace(cx, operator.start, operator.end, `${cx.helper(helper)}(`);
  cx.code.appendLeft(e.end, e.operator === 'typeof' ? ')' : `, ${siteOf(cx, e.start)})`);
};

/** `if (c)` → `if ($truth(c, site))`. `&&`, `||` and `!` stay, and each of their parts is asked. */
export const rewriteTest = (cx: Context, test: Parameters<Context['visitTest']>[0]): void => {
  const { plain } = cx;
  if (test.type === 'ParenthesizedExpression') return cx.visitTest(test.expression);
  if (test.type === 'LogicalExpression' && test.operator !== '??') {
    cx.visitTest(test.left);
    return cx.visitTest(test.right);
  }
  if (test.type === 'UnaryExpression' && test.operator === '!') return cx.visitTest(test.argument);
  cx.visit(test);
  if (plain.boolean(test) || plain.number(test)) return;
  wrap(cx, test, `${cx.helper('truth')}(`, `, ${siteOf(cx, test.start)})`);
};

const binaryHelpers: Readonly<Record<string, keyof Bound | undefined>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '**': 'pow',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '===': 'eq',
  '!==': 'ne',
  '==': 'looseEq',
  '!=': 'looseNe',
  '&': 'bitAnd',
  '|': 'bitOr',
  '^': 'bitXor',
  '<<': 'shl',
  '>>': 'shr',
  '>>>': 'ushr',
};

/** The bound operation of a binary operator. */
export const binaryHelper = (operator: string): keyof Bound | undefined => binaryHelpers[operator];

const unaryHelpers: Readonly<Record<string, keyof Bound | undefined>> = {
  '-': 'neg',
  '+': 'pos',
  '!': 'not',
  '~': 'bitNot',
  typeof: 'typeOf',
};
