import type { AnyNode } from 'acorn';
import { bare, children } from '../../source/ast.js';
import { functionOf, type Binding, type Scopes } from '../../source/scope.js';

/** The first effect of a function in another text, by the name it is called by here; undefined when it has none. */
export type OuterEffect = (name: string) => boolean;

/**
 * The offset of the first thing in an expression that changes what the expression does not own: an assignment to a
 * variable or element from outside, a call of an array method that changes it, or of a function that does so. An arm of a
 * symbolic condition must have none, because both arms are evaluated. What a function from elsewhere does is not seen,
 * unless `outer` knows it.
 */
export const firstEffect = (region: AnyNode, scopes: Scopes, outer: OuterEffect = () => false): number | undefined =>
  effectIn(region, region, scopes, outer, new Set());

const effectIn = (
  node: AnyNode,
  region: AnyNode,
  scopes: Scopes,
  outer: OuterEffect,
  seen: Set<AnyNode>,
): number | undefined => {
  const owned = (binding: Binding | undefined): boolean =>
    binding !== undefined && binding.start >= region.start && binding.start < region.end;

  const visit = (n: AnyNode): number | undefined => {
    const own = effect(n);
    if (own !== undefined) return own;
    for (const child of children(n)) {
      const found = visit(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const effect = (n: AnyNode): number | undefined => {
    if (n.type === 'AssignmentExpression') return changes(n.left) ? n.start : undefined;
    if (n.type === 'UpdateExpression') return changes(n.argument) ? n.start : undefined;
    if (n.type === 'UnaryExpression' && n.operator === 'delete') return changes(n.argument) ? n.start : undefined;
    if ((n.type === 'ForInStatement' || n.type === 'ForOfStatement') && n.left.type !== 'VariableDeclaration')
      return changes(n.left) ? n.start : undefined;
    if (n.type !== 'CallExpression' && n.type !== 'NewExpression') return undefined;
    const callee = bare(n.callee);
    if (callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier') {
      return mutators.has(callee.property.name) && changesObject(callee.object) ? n.start : undefined;
    }
    if (callee.type !== 'Identifier') return undefined;
    const binding = scopes.bindingOf(callee);
    if (!binding) return outer(callee.name) ? n.start : undefined;
    const called = functionOf(binding);
    if (!called || seen.has(called) || (called.start >= region.start && called.end <= region.end)) return undefined;
    seen.add(called);
    return effectIn(called, called, scopes, outer, seen) === undefined ? undefined : n.start;
  };

  const changes = (target: AnyNode): boolean => {
    const t = bare(target);
    switch (t.type) {
      case 'Identifier':
        return !owned(scopes.bindingOf(t));
      case 'MemberExpression':
        return changesObject(t.object);
      case 'AssignmentPattern':
        return changes(t.left);
      case 'RestElement':
        return changes(t.argument);
      case 'ArrayPattern':
        return t.elements.some((e) => e && changes(e));
      case 'ObjectPattern':
        return t.properties.some((p) => changes(p.type === 'RestElement' ? p.argument : p.value));
      default:
        return false;
    }
  };

  /** Whether an object may be one from outside: everything is but what was made here. */
  const changesObject = (object: AnyNode): boolean => {
    const o = bare(object);
    if (o.type === 'MemberExpression') return changesObject(o.object);
    if (o.type === 'ThisExpression' || o.type === 'Super') return true;
    if (o.type !== 'Identifier') return false;
    const binding = scopes.bindingOf(o);
    if (!binding || !owned(binding)) return true;
    return !binding.values.every((v) => typeof v === 'object' && made.has(bare(v).type));
  };

  return visit(node);
};

const made = new Set(['ArrayExpression', 'ObjectExpression', 'NewExpression', 'CallExpression']);
const mutators = new Set([
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
  'set',
  'delete',
  'clear',
]);
