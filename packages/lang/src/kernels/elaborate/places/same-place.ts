import type { AnyNode } from 'acorn';
import { bare } from '../../../source/ast.js';
import type { Context } from '../context/context.js';
import { destination } from './destination.js';
import { withoutEffects } from '../expressions/without-effects.js';

/**
 * Whether a node names the place that an assignment changes: the variable, or the same part of the same array or object, where computing
 * its indices again changes nothing.
 */
export const isSamePlace = (cx: Context, target: AnyNode, node: AnyNode): boolean =>
  saysSame(cx, target, node) &&
  (!hasIndex(target) || withoutEffects(cx, (inner) => destination(inner, bare(target))) !== undefined);

/** Whether two nodes say the same. */
export const saysSame = (cx: Context, target: AnyNode, node: AnyNode): boolean => {
  const [a, b] = [bare(target), bare(node)];
  const { bindingOf } = cx.unit.text.parsed.scopes;
  const same = (x: AnyNode, y: AnyNode): boolean => saysSame(cx, x, y);
  if (a.type === 'Identifier') return b.type === 'Identifier' && a.name === b.name && bindingOf(a) === bindingOf(b);
  if (a.type === 'ThisExpression') return b.type === 'ThisExpression';
  if (a.type === 'Literal') return b.type === 'Literal' && a.raw === b.raw;
  if (a.type === 'BinaryExpression')
    return b.type === 'BinaryExpression' && a.operator === b.operator && same(a.left, b.left) && same(a.right, b.right);
  if (a.type === 'CallExpression')
    return (
      b.type === 'CallExpression' &&
      a.arguments.length === b.arguments.length &&
      same(a.callee, b.callee) &&
      a.arguments.every((x, k) => same(x, b.arguments[k]))
    );
  if (a.type !== 'MemberExpression' || b.type !== 'MemberExpression' || a.computed !== b.computed) return false;
  if (!same(a.object, b.object)) return false;
  return a.computed ? same(a.property, b.property) : nameOf(a.property) === nameOf(b.property);
};

/** Whether the place is told by an index that a variable is part of, so that what is computed in between might change it. */
export const hasIndex = (target: AnyNode): boolean => {
  const e = bare(target);
  return e.type === 'MemberExpression' && ((e.computed && bare(e.property).type !== 'Literal') || hasIndex(e.object));
};

/** The name behind the point, of a private member with its sign. */
const nameOf = (property: AnyNode): string | undefined =>
  property.type === 'Identifier'
    ? property.name
    : property.type === 'PrivateIdentifier'
      ? `#${property.name}`
      : undefined;
