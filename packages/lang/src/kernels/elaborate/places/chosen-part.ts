import type { AnyNode, MemberExpression, VariableDeclarator } from 'acorn';
import { bare } from '../../../source/ast.js';
import type { Scalar } from '../../code/scalar.js';
import type { Context } from '../context/context.js';
import { questions } from '../expressions/asked-names.js';
import { value } from '../expressions/evaluate.js';
import { asIndex } from '../terms/index-of.js';
import { indexed, loaded, named } from '../terms/member.js';
import { memberName } from '../terms/member-name.js';
import { holdItems, partsOf } from '../terms/sharing.js';
import { readSlot } from '../terms/slots.js';
import { isLiteral, tupleOf, type Chosen, type List, type Term } from '../context/term.js';
import { writtenItems } from '../terms/written-items.js';

/*
 * `const row = rows[k]`, of arrays and objects that change: a name for one of them, at an index that is known only when the kernel runs. What is done with it is done with
 * that one, as in plain TypeScript; until the name ends none of them is replaced as a whole. Where it is only read, and none of them changes meanwhile, it is a copy,
 * which is read sooner.
 */

/** What such a declaration declares; undefined of any other. */
export const chosenPart = (cx: Context, { id, init }: VariableDeclarator): Chosen | undefined => {
  const e = init && bare(init);
  if (id.type !== 'Identifier' || e?.type !== 'MemberExpression' || !e.computed || e.optional) return undefined;
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  const { asked, compared } = questions(cx);
  if (!binding || binding.values.length > 1 || asked.has(binding) || compared.has(binding)) return undefined;
  const of = isPath(e.object) ? value(cx, e.object) : undefined;
  if (of?.is !== 'list' || of.items.length === 0 || partsOf(of).length < of.items.length) return undefined;
  if (cx.session.copies.has(of)) return undefined;
  const site = `${cx.unit.name} ${id.start}`;
  if ((writtenItems(cx.unit).get(binding) ?? 0) === 0 && !cx.session.known.places.has(site)) {
    cx.session.copying.add(site);
    return undefined;
  }
  const index = asIndex(cx, e.property, value(cx, e.property));
  if (isLiteral(index)) return undefined;
  for (const part of partsOf(of)) holdItems(cx, part, cx.frame);
  return { is: 'chosen', name: id.name, of, index };
};

/** Whether an expression is a name, or members of one. */
const isPath = (node: AnyNode): boolean => {
  const e = bare(node);
  return (
    ['Identifier', 'ThisExpression'].includes(e.type) ||
    (e.type === 'MemberExpression' && !e.computed && !e.optional && isPath(e.object))
  );
};

/** `row[n]` and `row.name`: of each of them that part, of which one is chosen. */
export const partOfChosen = (cx: Context, e: MemberExpression, { of, index }: Chosen): Term => {
  const name = memberName(e);
  const key = name === undefined ? asIndex(cx, e.property, value(cx, e.property)) : undefined;
  return indexed(cx, e, tupleOf(eachPart(cx, e, of, key, name)), index);
};

const eachPart = (
  cx: Context,
  e: MemberExpression,
  of: List,
  key: Scalar | undefined,
  name: string | undefined,
): readonly Term[] =>
  of.items.map((slot) => {
    const part = readSlot(cx, e, slot);
    return loaded(cx, e, key === undefined ? named(cx, e.property, part, name!) : indexed(cx, e, part, key));
  });

/** The one that is chosen, as it is now. */
export const readChosen = (cx: Context, node: AnyNode, { of, index }: Chosen): Term => indexed(cx, node, of, index);
