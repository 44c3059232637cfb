import type { AnyNode } from 'acorn';
import { bare, children } from '../../source/ast.js';
import type { Binding } from '../../source/scope.js';
import type { Unit } from '../code/origin.js';
import { partOf, tooFew } from './assign.js';
import { unsupported, type Context } from './context.js';
import { itemsOf } from './items.js';
import { refuseSecondName, setNamed, setRebound, variable } from './slots.js';
import { nothing, type Constant, type Slot, type Term } from './term.js';
import { value } from './evaluate.js';

/** Binds the names of a declaration, a parameter or a loop variable to (parts of) a value. */
export const bindPattern = (cx: Context, pattern: AnyNode, from: Term, what: Constant['what'] = 'constant'): void => {
  switch (pattern.type) {
    case 'Identifier': {
      const binding = cx.unit.text.parsed.scopes.bindingOf(pattern);
      if (!binding) return;
      const reassigned = binding.values.length > 1;
      const written = itemsWritten(cx.unit).has(binding) && !cx.session.named.has(from);
      const slot: Slot =
        what === 'constant' && (reassigned || written)
          ? variable(cx, pattern, binding.name, from)
          : { is: 'constant', term: from, what };
      if (binding.kind !== 'param') refuseSecondName(cx, pattern, from, slot);
      if (reassigned) setRebound(cx, slot);
      else if (slot.is === 'constant') setNamed(cx, slot.term);
      return cx.env.bind(binding, slot);
    }
    case 'ArrayPattern': {
      const items = itemsOf(cx, pattern, from);
      return pattern.elements.forEach((p, k) => {
        if (!p) return;
        if (p.type === 'RestElement')
          return bindPattern(
            cx,
            p.argument,
            { is: 'list', items: items.slice(k).map((term) => ({ is: 'constant', term, what: 'constant' })) },
            what,
          );
        if (k >= items.length && p.type !== 'AssignmentPattern') return tooFew(cx, p, items.length);
        bindPattern(cx, p, items[k] ?? nothing, what);
      });
    }
    case 'ObjectPattern':
      return pattern.properties.forEach((p) => {
        if (p.type === 'RestElement' || p.computed) return unsupported(cx, p, 'this pattern', 'write the names');
        bindPattern(cx, p.value, partOf(cx, p, from), what);
      });
    case 'AssignmentPattern':
      return bindPattern(cx, pattern.left, from.is === 'nothing' ? value(cx, pattern.right) : from, what);
    default:
      return unsupported(cx, pattern, 'this declaration', 'declare a name');
  }
};

const written = new WeakMap<Unit, ReadonlySet<Binding>>();

/** Names of arrays and objects that a function assigns items of: `a[0] = x`, `a[i][j] += x`, `o.x = y`. */
const itemsWritten = (unit: Unit): ReadonlySet<Binding> => {
  const known = written.get(unit);
  if (known) return known;
  const { program, scopes } = unit.text.parsed;
  const found = new Set<Binding>();
  const root = (target: AnyNode): void => {
    let of = bare(target);
    if (of.type !== 'MemberExpression') return;
    while (of.type === 'MemberExpression') of = bare(of.object);
    const binding = scopes.bindingOf(of);
    /* Fields and arrays are written too, but they are parameters. */
    if (binding && binding.kind !== 'param') found.add(binding);
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
