import type { AnyNode } from 'acorn';
import MagicString from 'magic-string';
import type { Bound } from '../ops/bind.js';
import { rewriteAssignment, rewriteUpdate, visitPattern } from './assignment.js';
import { children, isFunction } from '../../source/ast.js';
import { siteOf, unsupported, wrap, type Context } from './context.js';
import type { OuterEffect } from './effects.js';
import { rewriteCall, rewriteIdentifier, rewriteMember, rewriteNew } from './globals.js';
import { isLoop, rewriteLoop } from './loops.js';
import { rewriteBinary, rewriteConditional, rewriteLogical, rewriteTest, rewriteUnary } from './operators.js';
import type { Parsed } from '../../source/parse.js';
import { inferPlain } from './plain.js';

/** A rewritten text. */
export interface Rewritten {
  readonly code: MagicString;
  /** The bound operations that the code calls, and the name of each in the code. */
  readonly helpers: ReadonlyMap<keyof Bound, string>;
  /** What every generated name starts with; no name of the text does. */
  readonly prefix: string;
}

export interface RewriteOptions {
  /** Names declared outside the text that hold plain numbers. */
  readonly constants?: ReadonlySet<string>;
  /** Functions outside the text that change their surroundings. */
  readonly outerEffect?: OuterEffect;
}

/**
 * Rewrites the operators in these parts of a text (§4.7), so that they work on numbers and on symbols. Everything
 * else stays, character for character. Fails with `lang/unsupported-syntax` on what cannot be traced: async functions, eval.
 */
export const rewrite = (parsed: Parsed, roots: readonly AnyNode[], options: RewriteOptions = {}): Rewritten => {
  const code = new MagicString(parsed.text);
  const prefix = unusedPrefix(parsed.text);
  const helpers = new Map<keyof Bound, string>();
  let used = 0;
  const cx: Context = {
    parsed,
    code,
    plain: inferPlain(parsed.scopes, options.constants),
    outer: options.outerEffect ?? (() => false),
    helpersUsed: () => used,
    helper: (name) => {
      used++;
      helpers.set(name, prefix + name);
      return prefix + name;
    },
    untold: new Set(),
    temporary: (name) => `${prefix}_${name}`,
    visit: (node) => visit(cx, node, true),
    visitUnused: (node) => visit(cx, node, false),
    visitTest: (node) => rewriteTest(cx, node),
  };
  for (const root of roots) cx.visit(root);
  return { code, helpers, prefix };
};

const visit = (cx: Context, node: AnyNode, used: boolean): void => {
  if (isFunction(node)) checkFunction(cx, node);
  switch (node.type) {
    case 'BinaryExpression':
      return rewriteBinary(cx, node);
    case 'LogicalExpression':
      return rewriteLogical(cx, node);
    case 'ConditionalExpression':
      return rewriteConditional(cx, node);
    case 'UnaryExpression':
      return rewriteUnary(cx, node);
    case 'AssignmentExpression':
      return rewriteAssignment(cx, node);
    case 'UpdateExpression':
      return rewriteUpdate(cx, node, used);
    case 'CallExpression':
      return rewriteCall(cx, node);
    case 'NewExpression':
      return rewriteNew(cx, node);
    case 'MemberExpression':
      return rewriteMember(cx, node);
    case 'Identifier':
      return rewriteIdentifier(cx, node);
    case 'TaggedTemplateExpression':
      cx.visit(node.tag);
      return node.quasi.expressions.forEach(cx.visit);
    case 'TemplateLiteral':
      return node.expressions.forEach((e) => {
        cx.visit(e);
        if (!cx.plain.number(e)) wrap(cx, e, `${cx.helper('text')}(`, `, ${siteOf(cx, e.start)})`);
      });
    case 'SequenceExpression':
      return node.expressions.forEach((e, i) => visit(cx, e, used && i === node.expressions.length - 1));
    case 'ParenthesizedExpression':
      return visit(cx, node.expression, used);
    case 'ExpressionStatement':
      return cx.visitUnused(node.expression);
    case 'Property':
      return visitProperty(cx, node);
    case 'MethodDefinition':
    case 'PropertyDefinition':
      if (node.computed) cx.visit(node.key);
      if (node.value) cx.visit(node.value);
      return;
    case 'IfStatement':
      cx.visitTest(node.test);
      cx.visit(node.consequent);
      if (node.alternate) cx.visit(node.alternate);
      return;
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
      return rewriteLoop(cx, node, node);
    case 'SwitchStatement':
      for (const e of [node.discriminant, ...node.cases.flatMap((c) => (c.test ? [c.test] : []))]) {
        cx.visit(e);
        if (!cx.plain.number(e)) wrap(cx, e, `${cx.helper('known')}(`, `, 'a \`switch\`', ${siteOf(cx, e.start)})`);
      }
      return node.cases.forEach((c) => c.consequent.forEach(cx.visit));
    case 'CatchClause':
      return visitCatch(cx, node);
    case 'LabeledStatement':
      return isLoop(node.body) ? rewriteLoop(cx, node.body, node) : cx.visit(node.body);
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return;
    case 'VariableDeclarator':
      visitPattern(cx, node.id);
      if (node.init) cx.visit(node.init);
      return;
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'AssignmentPattern':
    case 'RestElement':
      return visitPattern(cx, node);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      node.params.forEach((p) => visitPattern(cx, p));
      return cx.visit(node.body);
    case 'ClassDeclaration':
    case 'ClassExpression':
      if (node.superClass) cx.visit(node.superClass);
      return cx.visit(node.body);
    default:
      return children(node).forEach(cx.visit);
  }
};

const checkFunction = (
  cx: Context,
  node: Extract<AnyNode, { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }>,
): void => {
  if (node.async)
    unsupported(
      cx,
      node.start,
      'an async function',
      'a trace runs from start to end at once: await the data first and pass it in',
    );
  if (node.generator) checkGenerator(cx, node.body);
};

/** A `yield` stands where no arrow of the rewriter is around it. */
const checkGenerator = (cx: Context, body: AnyNode): void => {
  const check = (node: AnyNode, stands: boolean): void => {
    if (isFunction(node)) return;
    if (isLoop(node)) cx.untold.add(node);
    if (node.type === 'YieldExpression' && !stands)
      unsupported(cx, node.start, 'a `yield` within an expression', 'give it a statement: `const x = yield y;`');
    const next = aboutOf(node, stands);
    children(node).forEach((child) => check(child, child === next));
  };
  check(body, false);
};

/** What a statement, a declaration in one, or an assignment that is one, is about. */
const aboutOf = (node: AnyNode, stands: boolean): AnyNode | null | undefined => {
  switch (node.type) {
    case 'VariableDeclarator':
      return node.init;
    case 'ExpressionStatement':
      return node.expression;
    case 'AssignmentExpression':
      return stands && node.operator === '=' ? node.right : undefined;
    default:
      return undefined;
  }
};

const visitProperty = (cx: Context, node: Extract<AnyNode, { type: 'Property' }>): void => {
  if (node.computed) cx.visit(node.key);
  if (node.shorthand && node.value.type === 'Identifier') rewriteIdentifier(cx, node.value, true);
  else cx.visit(node.value);
};

/** A diagnostic passes through the program's own `catch`. */
const visitCatch = (cx: Context, node: Extract<AnyNode, { type: 'CatchClause' }>): void => {
  if (node.param && node.param.type !== 'Identifier') {
    unsupported(
      cx,
      node.param.start,
      'a destructured `catch` parameter',
      'name the error, and take it apart in the block',
    );
  }
  cx.visit(node.body);
  const name = node.param?.type === 'Identifier' ? node.param.name : cx.temporary('e');
  if (!node.param) cx.code.appendLeft(cx.parsed.tokenAt(node.start).end, ` (${name})`);
  cx.code.appendLeft(node.body.start + 1, ` ${cx.helper('rethrow')}(${name});`);
};

const unusedPrefix = (text: string): string => {
  let prefix = '$';
  while (new RegExp(`(?<![\\w$])${prefix.replaceAll('$', '\\$')}[\\w$]`).test(text)) prefix += '$';
  return prefix;
};
