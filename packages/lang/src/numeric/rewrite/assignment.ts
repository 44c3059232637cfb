import type { AnyNode, AssignmentExpression, MemberExpression, UpdateExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import { effectArgument, insertBefore, replace, siteOf, textOf, unsupported, wrap, type Context } from './context.js';
import { binaryHelper } from './operators.js';

/**
 * Assignments. `x += e` becomes `x = $add(x, e, site)`. For an element the object and the index must be evaluated once:
 * where both are names, literals or elements of named arrays at such places they are simply written twice, otherwise
 * `$ref(object, index, ($o, $k) => $o[$k] = $add($o[$k], e, site))`.
 */
export const rewriteAssignment = (cx: Context, e: AssignmentExpression): void => {
  const target = bare(e.left);
  cx.visit(e.right);
  if (e.operator === '=') {
    if (target.type === 'MemberExpression') assignMember(cx, e, target);
    else visitPattern(cx, e.left);
    return;
  }
  if (e.operator === '??=') return visitPattern(cx, e.left, false);
  if (cx.plain.number(e.left) && cx.plain.number(e.right)) return;

  const logical = e.operator === '&&=' ? 'and' : e.operator === '||=' ? 'or' : undefined;
  const helper = cx.helper(logical ?? binaryHelper(e.operator.slice(0, -1)) ?? 'add');
  const operator = operatorToken(cx, e.left.end);
  const site = siteOf(cx, operator.start);
  const open = (read: string): string => (logical ? `${helper}(${read}, () => (` : `${helper}(${read}, `);
  const close = logical ? `), ${site}${effectArgument(cx, e.right)})` : `, ${site})`;
  modify(cx, e, target, (read) => ({ before: open(read), after: close }), operator, e.right.end);
};

/** `x++` → `x = $inc(x, site)`; where the old value is used, `$old(x, x = $inc(x, site))`. */
export const rewriteUpdate = (cx: Context, e: UpdateExpression, used: boolean): void => {
  if (cx.plain.number(e.argument)) return;
  const target = bare(e.argument);
  const operator = e.prefix ? cx.parsed.tokenAt(e.start) : operatorToken(cx, e.argument.end);
  const helper = cx.helper(e.operator === '++' ? 'inc' : 'dec');
  const step = (read: string): { before: string; after: string } => ({
    before: `${helper}(${read}`,
    after: `, ${siteOf(cx, operator.start)})`,
  });
  if (e.prefix) replace(cx, operator.start, operator.end, ' ');
  modify(cx, e, target, step, e.prefix ? undefined : operator, e.end, used && !e.prefix);
};

type Change = (read: string) => { before: string; after: string };

/**
 * Writes `target = change(target)`. What stands between target and `end` (the right side of a compound assignment) falls
 * between the two halves of the change. `operator` is the token to replace; without one the text is added after the target.
 */
const modify = (
  cx: Context,
  whole: AnyNode,
  target: AnyNode,
  change: Change,
  operator: TokenRange | undefined,
  end: number,
  old = false,
): void => {
  const put = (text: string): void => {
    if (operator) replace(cx, operator.start, operator.end, text);
    else cx.code.appendLeft(end, text);
  };
  const before = old ? `${cx.helper('old')}(` : '';
  const after = old ? ')' : '';
  stripParens(cx, whole, target);

  if (target.type === 'Identifier') {
    const { before: open, after: close } = change(target.name);
    put(` = ${open}`);
    cx.code.appendLeft(end, close + after);
    if (old) insertBefore(cx, whole.start, `${before}${target.name}, `);
    return;
  }
  if (target.type !== 'MemberExpression')
    return unsupported(cx, target.start, 'this assignment', 'assign to a variable or an element');

  if (isStable(cx, target.object, false) && (!target.computed || isSimpleKey(cx, target.property))) {
    const read = textOf(cx, target);
    const { before: open, after: close } = change(read);
    const guard = target.computed ? storing(cx, objectText(cx, target), target) : { before: '', after: '' };
    visitMember(cx, target);
    put(` = ${guard.before}${open}`);
    cx.code.appendLeft(end, close + guard.after + after);
    if (old) insertBefore(cx, whole.start, `${before}${read}, `);
    return;
  }
  const { object, element, arrow } = throughReference(cx, whole, target);
  const { before: open, after: close } = change(element);
  const guard = target.computed ? storing(cx, object, target) : { before: '', after: '' };
  put(`${arrow}${old ? `${before}${element}, ` : ''}${element} = ${guard.before}${open}`);
  cx.code.appendLeft(end, `${close}${guard.after}${after})`);
};

/** `a[i] = v` → `a[$index(i)] = $store(v, a, site)`. */
const assignMember = (cx: Context, e: AssignmentExpression, target: MemberExpression): void => {
  const guarded = target.computed && mayBeSymbolic(cx, e.right);
  if (!guarded || isStable(cx, target.object, true)) {
    visitMember(cx, target);
    if (!guarded) return;
    const guard = storing(cx, objectText(cx, target), target);
    return wrap(cx, e.right, guard.before, guard.after);
  }
  const operator = operatorToken(cx, e.left.end);
  stripParens(cx, e, target);
  const { object, element, arrow } = throughReference(cx, e, target);
  const guard = storing(cx, object, target);
  replace(cx, operator.start, operator.end, `${arrow}${element} = ${guard.before}`);
  cx.code.appendLeft(e.end, `${guard.after})`);
};

/** Turns the target into `$ref(object, key`, to be followed by `arrow`, an expression on `element`, and `)`. */
const throughReference = (
  cx: Context,
  whole: AnyNode,
  target: MemberExpression,
): { object: string; element: string; arrow: string } => {
  const o = cx.temporary('o');
  const k = cx.temporary('k');
  cx.visit(target.object);
  insertBefore(cx, whole.start, `${cx.helper('ref')}(`);
  if (target.computed) {
    visitKey(cx, target);
    const open = cx.parsed.tokenAt(target.object.end);
    const close = cx.parsed.tokenAt(target.property.end);
    replace(cx, open.start, open.end, ', ');
    replace(cx, close.start, close.end, ' ');
    return { object: o, element: `${o}[${k}]`, arrow: `, (${o}, ${k}) => ` };
  }
  const dot = cx.parsed.tokenAt(target.object.end);
  replace(cx, dot.start, target.end, ', 0');
  return { object: o, element: `${o}.${textOf(cx, target.property)}`, arrow: `, (${o}) => ` };
};

const objectText = (cx: Context, target: MemberExpression): string =>
  target.object.type === 'Super' ? 'this' : textOf(cx, target.object);

const storing = (cx: Context, object: string, target: MemberExpression): { before: string; after: string } => ({
  before: `${cx.helper('store')}(`,
  after: `, ${object}, ${siteOf(cx, target.start)})`,
});

/** Targets of destructuring: an element is reached through a slot that checks what it is given. */
export const visitPattern = (cx: Context, pattern: AnyNode, slots = true): void => {
  switch (pattern.type) {
    case 'Identifier':
      return;
    case 'ParenthesizedExpression':
      return visitPattern(cx, pattern.expression, slots);
    case 'AssignmentPattern':
      visitPattern(cx, pattern.left);
      return cx.visit(pattern.right);
    case 'RestElement':
      return visitPattern(cx, pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.forEach((p) => p && visitPattern(cx, p));
    case 'ObjectPattern':
      return pattern.properties.forEach((p) => {
        if (p.type === 'RestElement') return visitPattern(cx, p.argument);
        if (p.computed) cx.visit(p.key);
        return visitPattern(cx, p.value);
      });
    case 'MemberExpression': {
      if (!slots || !pattern.computed || pattern.object.type === 'Super') return visitMember(cx, pattern);
      cx.visit(pattern.object);
      cx.visit(pattern.property);
      const open = cx.parsed.tokenAt(pattern.object.end);
      const close = cx.parsed.tokenAt(pattern.property.end);
      insertBefore(cx, pattern.start, `${cx.helper('slot')}(`);
      replace(cx, open.start, open.end, ', ');
      replace(cx, close.start, close.end, `, ${siteOf(cx, pattern.property.start)}).value`);
      return;
    }
    default:
      return cx.visit(pattern);
  }
};

/** Object and key of an element that is read or written in place. */
export const visitMember = (cx: Context, e: MemberExpression): void => {
  cx.visit(e.object);
  if (e.computed) visitKey(cx, e);
};

const visitKey = (cx: Context, e: MemberExpression): void => {
  cx.visit(e.property);
  if (isPlainKey(cx, e.property)) return;
  wrap(cx, e.property, `${cx.helper('index')}(`, `, ${siteOf(cx, e.property.start)})`);
};

const isPlainKey = (cx: Context, key: AnyNode): boolean =>
  cx.plain.number(key) ||
  (bare(key).type === 'Literal' && typeof (bare(key) as { value?: unknown }).value === 'string');

const isSimpleKey = (cx: Context, key: AnyNode): boolean => {
  const e = bare(key);
  return (
    e.type === 'Identifier' ||
    e.type === 'Literal' ||
    (e.type === 'MemberExpression' && e.computed && isStable(cx, e, false)) ||
    (cx.plain.number(e) && !hasUpdate(e))
  );
};

const hasUpdate = (node: AnyNode): boolean => {
  const e = bare(node);
  if (e.type === 'BinaryExpression') return hasUpdate(e.left) || hasUpdate(e.right);
  if (e.type === 'UnaryExpression') return hasUpdate(e.argument);
  return e.type !== 'Identifier' && e.type !== 'Literal';
};

/** Whether reading an object a second time gives the same one: a name, or a row of an array; with `properties` also `a.b`. */
export const isStable = (cx: Context, node: AnyNode, properties: boolean): boolean => {
  const e = bare(node);
  switch (e.type) {
    case 'Identifier':
      return !['Math', 'Number', 'Boolean', 'Float64Array'].includes(e.name);
    case 'ThisExpression':
    case 'Super':
      return true;
    case 'MemberExpression':
      if (e.optional) return false;
      return isStable(cx, e.object, properties) && (e.computed ? isSimpleKey(cx, e.property) : properties);
    default:
      return false;
  }
};

const mayBeSymbolic = (cx: Context, value: AnyNode): boolean => {
  const e = bare(value);
  return !cx.plain.number(e) && !cx.plain.boolean(e) && !neverNumbers.has(e.type);
};

const neverNumbers = new Set([
  'ArrayExpression',
  'ObjectExpression',
  'ArrowFunctionExpression',
  'FunctionExpression',
  'ClassExpression',
  'TemplateLiteral',
  'NewExpression',
]);

interface TokenRange {
  readonly start: number;
  readonly end: number;
}

const operatorToken = (cx: Context, after: number): TokenRange => cx.parsed.tokenAt(after);

/* `(a[i]) += 1` is legal, `(a[i] = …)` is not what it would become. */
const stripParens = (cx: Context, whole: AnyNode, target: AnyNode): void => {
  let e =
    whole.type === 'AssignmentExpression'
      ? (whole.left as AnyNode)
      : whole.type === 'UpdateExpression'
        ? (whole.argument as AnyNode)
        : target;
  while (e.type === 'ParenthesizedExpression') {
    replace(cx, e.start, e.start + 1, ' ');
    replace(cx, e.end - 1, e.end, ' ');
    e = e.expression;
  }
};
