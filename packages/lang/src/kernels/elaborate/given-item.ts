import type { AnyNode } from 'acorn';
import { bare } from '../../source/ast.js';
import { questions } from './asked-names.js';
import type { Context } from './context.js';
import { reference, value } from './evaluate.js';
import { isModuleName } from './names.js';
import { optional } from './optional.js';
import type { Term } from './term.js';

/** What a name is given: where it is asked whether that is there, an array has nothing behind its end, and an object nothing by a name that it lacks. */
export const given = (cx: Context, id: AnyNode, init: AnyNode): Term => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  const e = bare(init);
  if (!binding || e.type !== 'MemberExpression') return value(cx, init);
  const { asked, wanted } = questions(cx);
  if (wanted.has(binding)) return optional(cx, init);
  if (!e.computed || !asked.has(binding)) return value(cx, init);
  const array = bare(e.object);
  const of = array.type === 'Identifier' && !isModuleName(cx, array) ? reference(cx, array) : undefined;
  return of?.is === 'table' || (of?.is === 'host' && Array.isArray(of.value)) ? optional(cx, init) : value(cx, init);
};
