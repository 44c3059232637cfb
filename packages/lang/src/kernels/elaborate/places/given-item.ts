import type { AnyNode } from 'acorn';
import { bare } from '../../../source/ast.js';
import { questions } from '../expressions/asked-names.js';
import type { Context } from '../context/context.js';
import { compared, value } from '../expressions/evaluate.js';
import { optional } from '../expressions/optional.js';
import type { Term } from '../context/term.js';

/** What a name is given: where it is asked whether that is there, an array has nothing behind its end, and an object nothing by a name that it lacks. */
export const given = (cx: Context, id: AnyNode, init: AnyNode): Term => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  const e = bare(init);
  const { asked, wanted, compared: isCompared } = questions(cx);
  if (!binding) return value(cx, init);
  if (wanted.has(binding)) return optional(cx, init);
  return asked.has(binding) || isCompared.has(binding) ? compared(cx, e) : value(cx, init);
};
