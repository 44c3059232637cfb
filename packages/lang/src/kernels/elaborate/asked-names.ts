import type { AnyNode } from 'acorn';
import { bare, children } from '../../source/ast.js';
import type { Binding } from '../../source/scope.js';
import type { Context } from './context.js';
import { isNothing } from './optional.js';

/** The names of a function of which it asks whether they have a value: `a ?? b`, `a ??= b`, `a?.b`, `a === undefined`, `!a`, `if (a)`. */
export const askedNames = (cx: Context): ReadonlySet<Binding> => {
  const { parsed } = cx.unit.text;
  const known = asked.get(parsed);
  if (known) return known;
  const found = new Set<Binding>();
  const add = (node: AnyNode): void => {
    const binding = parsed.scopes.bindingOf(bare(node));
    if (binding) found.add(binding);
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'LogicalExpression') add(node.left);
    if (node.type === 'UnaryExpression' && node.operator === '!') add(node.argument);
    if ('test' in node && node.test && node.type !== 'SwitchCase') add(node.test);
    if (node.type === 'AssignmentExpression' && node.operator === '??=') add(node.left);
    if (node.type === 'MemberExpression' && node.optional) add(node.object);
    if (node.type === 'BinaryExpression' && /^[=!]==?$/.test(node.operator)) {
      const [left, right] = [bare(node.left as AnyNode), bare(node.right)];
      if (isNothing(cx, right)) add(left);
      if (isNothing(cx, left)) add(right);
    }
    for (const child of children(node)) visit(child);
  };
  visit(parsed.program);
  asked.set(parsed, found);
  return found;
};

const asked = new WeakMap<object, ReadonlySet<Binding>>();
