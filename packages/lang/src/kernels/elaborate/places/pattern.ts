import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { Binding } from '../../../source/scope.js';
import { partOf, tooFew, orDefault } from './assign.js';
import { unsupported, type Context } from '../context/context.js';
import { eachNamed } from '../terms/items.js';
import { refuseShared } from '../terms/holds.js';
import { absence } from '../terms/missing.js';
import { hasItems, holdItems } from '../terms/sharing.js';
import { ownerOf, pending, refuseSecondName, setNamed, setRebound, variable } from '../terms/slots.js';
import { isLiteral, isWholeData, nothing, tupleOf, type Constant, type Slot, type Term } from '../context/term.js';

/** Whether items of an array have no value yet, `new Array(n)`: they are variables. */
const isUnset = (from: Term): boolean => from.is === 'list' && from.items.some((slot) => slot.is === 'pending');

/** Where a name is declared. */
export const keyOf = (cx: Context, { start }: Binding): string => `${cx.unit.name}:${start}`;

/** Binds the names of a declaration, a parameter or a loop variable to (parts of) a value. */
export const bindPattern = (cx: Context, pattern: AnyNode, from: Term, what: Constant['what'] = 'constant'): void => {
  switch (pattern.type) {
    case 'Identifier': {
      const binding = cx.unit.text.parsed.scopes.bindingOf(pattern);
      if (!binding) return;
      const reassigned = binding.values.length > 1;
      if (reassigned && isWholeData(from) && what !== 'loop variable')
        return cx.env.bind(binding, { is: 'alias', name: binding.name, stretch: cx.stretch, term: from });
      const key = keyOf(cx, binding);
      if (reassigned && isLiteral(from) && Number.isInteger(from.value) && cx.session.known.stepped.get(key))
        return cx.env.bind(binding, { is: 'alias', name: binding.name, stretch: cx.stretch, key, term: from });
      const owner = ownerOf(cx, binding);
      if (reassigned && binding.kind !== 'param' && absence(from) !== undefined)
        return cx.env.bind(binding, rare().nullable(cx, pattern, binding.name, from, owner, key));
      if (reassigned && from.is === 'nothing')
        return cx.env.bind(binding, pending(cx, pattern, binding.name, true, owner));
      const written = owner.writes > 0 && !cx.session.named.has(from) && !isUnset(from);
      if (binding.kind !== 'param') refuseShared(cx, pattern, from, owner.writes);
      const slot: Slot =
        what === 'constant' && (reassigned || written)
          ? variable(cx, pattern, binding.name, from, owner, cx.session.known.optional.get(key))
          : { is: 'constant', term: from, what };
      if (reassigned) cx.session.declared.set(slot, key);
      if (slot.is !== 'constant' || slot.term !== from) refuseSecondName(cx, pattern, from, slot);
      else if (hasItems(from)) holdItems(cx, from, cx.frame);
      if (reassigned) setRebound(cx, slot);
      else if (slot.is === 'constant') setNamed(cx, slot.term);
      return cx.env.bind(binding, slot);
    }
    case 'ArrayPattern': {
      const items = eachNamed(cx, pattern, from);
      return pattern.elements.forEach((p, k) => {
        if (!p) return;
        if (p.type === 'RestElement')
          return bindPattern(cx, p.argument, tupleOf(items.slice(k).map((item) => item())), what);
        if (k >= items.length && p.type !== 'AssignmentPattern') return tooFew(cx, p, items.length);
        bindPattern(cx, p, items[k]?.() ?? nothing, what);
      });
    }
    case 'ObjectPattern':
      return pattern.properties.forEach((p) => {
        if (p.type === 'RestElement') return bindPattern(cx, p.argument, rare().othersOf(cx, pattern, from), what);
        if (p.computed) return unsupported(cx, p, 'this pattern', 'write the names');
        bindPattern(cx, p.value, partOf(cx, p, from), what);
      });
    case 'AssignmentPattern':
      return bindPattern(cx, pattern.left, orDefault(cx, pattern, from), what);
    default:
      return unsupported(cx, pattern, 'this declaration', 'declare a name');
  }
};
