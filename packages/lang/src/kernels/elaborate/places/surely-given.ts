import type { AnyNode } from 'acorn';
import { bare, children } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Context } from '../context/context.js';

/** Whether every way gives a variable that is declared without a value one, before anybody looks at it. */
export const isSurelyGiven = (cx: Context, binding: Binding): boolean => {
  const { parsed } = cx.unit.text;
  const isName = (n: AnyNode): boolean => parsed.scopes.bindingOf(n) === binding;
  const declares = (s: AnyNode): boolean =>
    s.type === 'VariableDeclaration' && s.declarations.some(({ id, init }) => !init && isName(id));
  const visit = (node: AnyNode): boolean => {
    const at = node.type === 'BlockStatement' ? node.body.findIndex(declares) : -1;
    return node.type === 'BlockStatement' && at >= 0
      ? surelyGive(node.body.slice(at + 1), isName)
      : children(node).some(visit);
  };
  return visit(parsed.program);
};

/** Whether statements give a name a value, or leave, on all ways, and nothing reads it before. */
const surelyGive = (list: readonly AnyNode[], isName: (n: AnyNode) => boolean): boolean => {
  const mentions = (n: AnyNode): boolean => isName(n) || children(n).some(mentions);
  const first = list.find((s) => LEAVING.has(s.type) || mentions(s));
  if (!first) return false;
  if (LEAVING.has(first.type)) return !mentions(first);
  if (first.type === 'BlockStatement') return surelyGive(first.body, isName);
  if (first.type === 'IfStatement') {
    const ways = [first.consequent, first.alternate];
    return !mentions(first.test) && ways.every((way) => way && surelyGive([way], isName));
  }
  const given = first.type === 'ExpressionStatement' ? bare(first.expression) : undefined;
  return (
    given?.type === 'AssignmentExpression' && given.operator === '=' && isName(given.left) && !mentions(given.right)
  );
};

const LEAVING: ReadonlySet<string> = new Set([
  'BreakStatement',
  'ContinueStatement',
  'ReturnStatement',
  'ThrowStatement',
]);
