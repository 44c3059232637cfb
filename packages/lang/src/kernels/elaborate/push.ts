import type { CallExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import { refuse, type Context } from './context.js';
import { argumentsOf, reference } from './evaluate.js';
import { hold } from './holds.js';
import { variable } from './slots.js';
import type { Slot, Term } from './term.js';
import { writtenItems } from './written-items.js';

/**
 * `list.push(a, b);` of an array of the kernel, whose length stays known. Nothing of other calls: a method by that name, and what is pushed to
 * for its result.
 */
export const push = (cx: Context, e: CallExpression): Term | undefined => {
  const callee = bare(e.callee);
  const name = callee.type === 'MemberExpression' ? bare(callee.object) : undefined;
  if (name?.type !== 'Identifier') return undefined;
  const of = reference(cx, name);
  if (of.is !== 'list' || of.element !== undefined) return undefined;
  const { session } = cx;
  if (session.growing.get(of) !== cx.stretch)
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `whether, and how often, something is pushed to \`${name.name}\` would be known only when the kernel runs, and so would its length`,
      'loop with unrolled(range(n)), or over an array; or make an array that is long enough, new Array(64).fill(0), and count what it holds',
    );
  if (cx.visiting.includes(of))
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `something is pushed to \`${name.name}\` while its items are visited`,
      'loop over a copy, [...a], or push to another array',
    );
  if (session.copies.has(of) || session.copied.has(of) || session.rebound.has(of))
    return refuse(
      cx,
      e,
      'lang/array-alias',
      'this array has another name, or its name is given others',
      'push to it before, or make a copy: [...a]',
    );
  const binding = cx.unit.text.parsed.scopes.bindingOf(name);
  const isWritten = binding !== undefined && (writtenItems(cx.unit).get(binding) ?? 0) > 0;
  for (const term of argumentsOf(cx, e)) {
    hold(cx, term, -1);
    const slot: Slot = isWritten ? variable(cx, e, 'item', term) : { is: 'constant', term, what: 'constant' };
    (of.items as Slot[]).push(slot);
  }
  return of;
};
