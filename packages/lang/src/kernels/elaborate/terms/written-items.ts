import type { AnyNode } from 'acorn';
import { bare, children } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Unit } from '../../code/origin.js';

/**
 * The names of arrays, objects and vectors that a function assigns parts of, and how deep: 1 for `a[0] = x` and `v.x = y`, 2 for
 * `a[i][j] += x`. Fields and arrays are written too, but they are parameters.
 */
export const writtenItems = (unit: Unit): ReadonlyMap<Binding, number> => {
  const known = written.get(unit);
  if (known) return known;
  const { program, scopes } = unit.text.parsed;
  const found = new Map<Binding, number>();
  const root = (target: AnyNode): void => {
    let of = bare(target);
    let depth = 0;
    for (; of.type === 'MemberExpression'; depth++) of = bare(of.object);
    const binding = depth > 0 ? scopes.bindingOf(of) : undefined;
    if (binding && binding.kind !== 'param') found.set(binding, Math.max(depth, found.get(binding) ?? 0));
  };
  const targets = (pattern: AnyNode): void => {
    if (pattern.type === 'ArrayPattern' || pattern.type === 'ObjectPattern' || pattern.type === 'Property')
      for (const child of children(pattern)) targets(child);
    else root(pattern);
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'AssignmentExpression') targets(bare(node.left));
    if (node.type === 'UpdateExpression') root(node.argument);
    for (const child of children(node)) visit(child);
  };
  visit(program);
  written.set(unit, found);
  return found;
};

const written = new WeakMap<Unit, ReadonlyMap<Binding, number>>();
