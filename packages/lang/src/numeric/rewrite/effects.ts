import type { AnyNode } from 'acorn';
import { bare, children, isFunction } from '../../source/ast.js';
import { functionOf, type Binding, type Scopes } from '../../source/scope.js';

/** Whether what is called here and stands in another text has an effect: a function by its name here, or some method of this name. */
export type OuterEffect = (name: string, is: 'function' | 'method') => boolean;

/**
 * The offset of the first thing in an expression that changes what the expression does not own: an assignment to a
 * variable or element from outside, a call of an array method that changes it, or of a function that does so, or on an object from
 * outside of a method whose name is that of one that does. An arm of a
 * symbolic condition must have none, because both arms are evaluated. What a function from elsewhere does is not seen,
 * unless `outer` knows it.
 */
export const firstEffect = (
  region: AnyNode,
  program: AnyNode,
  scopes: Scopes,
  outer: OuterEffect = () => false,
): number | undefined => effectIn(region, region, program, scopes, outer, new Set());

/** Whether some method of this name in a text changes what is not its own. */
export const methodHasEffect = (
  name: string,
  program: AnyNode,
  scopes: Scopes,
  outer: OuterEffect,
  seen = new Set<AnyNode>(),
): boolean =>
  (methodsIn(program).get(name) ?? []).some((method) => {
    if (seen.has(method)) return false;
    seen.add(method);
    return effectIn(method, method, program, scopes, outer, seen) !== undefined;
  });

const methodsOf = new WeakMap<AnyNode, ReadonlyMap<string, readonly AnyNode[]>>();

/** The methods in a text by their names, those of classes and of objects. */
const methodsIn = (program: AnyNode): ReadonlyMap<string, readonly AnyNode[]> => {
  const known = methodsOf.get(program);
  if (known) return known;
  const found = new Map<string, AnyNode[]>();
  const visit = (node: AnyNode): void => {
    const member = node.type === 'MethodDefinition' || node.type === 'PropertyDefinition' || node.type === 'Property';
    if (member && !node.computed && node.key.type === 'Identifier' && node.value && isFunction(node.value))
      found.set(node.key.name, [...(found.get(node.key.name) ?? []), node.value]);
    children(node).forEach(visit);
  };
  visit(program);
  methodsOf.set(program, found);
  return found;
};

const effectIn = (
  node: AnyNode,
  region: AnyNode,
  program: AnyNode,
  scopes: Scopes,
  outer: OuterEffect,
  seen: Set<AnyNode>,
): number | undefined => {
  const owned = (binding: Binding | undefined): boolean =>
    binding !== undefined && binding.start >= region.start && binding.start < region.end;

  /* A constructor changes what it makes; other methods run when they are called. */
  let constructing = false;
  const visit = (n: AnyNode): number | undefined => {
    if (n.type !== 'MethodDefinition') return visitIn(n);
    if (n.kind !== 'constructor') return undefined;
    constructing = true;
    const found = visitIn(n);
    constructing = false;
    return found;
  };
  const visitIn = (n: AnyNode): number | undefined => {
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
      const { name } = callee.property;
      if (name === 'assign' && scopes.isGlobal(callee.object, 'Object'))
        return n.arguments.slice(0, 1).some(changesObject) ? n.start : undefined;
      if (!changesObject(callee.object)) return undefined;
      const changes =
        mutators.has(name) ||
        (name === 'add' && isSet(callee.object)) ||
        outer(name, 'method') ||
        methodHasEffect(name, program, scopes, outer, seen);
      return changes ? n.start : undefined;
    }
    if (callee.type !== 'Identifier') return undefined;
    const binding = scopes.bindingOf(callee);
    if (!binding) return outer(callee.name, 'function') ? n.start : undefined;
    const called = functionOf(binding);
    if (!called || seen.has(called) || (called.start >= region.start && called.end <= region.end)) return undefined;
    seen.add(called);
    return effectIn(called, called, program, scopes, outer, seen) === undefined ? undefined : n.start;
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
    if (o.type === 'ThisExpression' || o.type === 'Super') return !constructing;
    if (o.type !== 'Identifier') return false;
    const binding = scopes.bindingOf(o);
    if (!binding || !owned(binding)) return true;
    return !binding.values.every((v) => typeof v === 'object' && made.has(bare(v).type));
  };

  /** A set by its declaration: `add` of other things may be a sum. */
  const isSet = (object: AnyNode): boolean => {
    const o = bare(object);
    const values = o.type === 'Identifier' ? (scopes.bindingOf(o)?.values ?? []) : [];
    return values.some((v) => {
      const value = typeof v === 'object' ? bare(v) : undefined;
      return value?.type === 'NewExpression' && SETS.some((name) => scopes.isGlobal(value.callee, name));
    });
  };

  return visit(node);
};

const SETS = ['Set', 'WeakSet'];
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
  'next',
]);
