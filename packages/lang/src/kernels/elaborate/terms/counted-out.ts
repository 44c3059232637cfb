import type { AnyNode } from 'acorn';
import { bare, children } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Context } from '../context/context.js';
import { keyOf } from '../places/pattern.js';

/**
 * Notes that an index must be known when the kernel is compiled: the next attempt writes out the short loops that count what it is computed from, as in `const fine = levels[l - 1]`,
 * or that ask for a variable by which it is, `while (l > 0) smooth(levels[l--])`.
 */
export const countedOut = (cx: Context, e: AnyNode): void => {
  const seen = new Set<Binding>();
  const visit = (node: AnyNode): void => {
    const binding = node.type === 'Identifier' ? cx.unit.text.parsed.scopes.bindingOf(node) : undefined;
    if (binding && !seen.has(binding)) {
      seen.add(binding);
      const site = cx.session.counters.get(binding);
      if (site !== undefined) cx.session.writesOut(site);
      else if (binding.values.length > 1) cx.session.steps(keyOf(cx, binding));
      for (const value of binding.values) if (typeof value === 'object') visit(value);
    }
    children(node).forEach(visit);
  };
  visit(e.type === 'MemberExpression' ? bare(e.property) : e);
};
