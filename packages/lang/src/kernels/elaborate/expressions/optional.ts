import { rare } from '#rare';
import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import { bare } from '../../../source/ast.js';
import { intervalOf } from '../../code/interval.js';
import type { Scalar } from '../../code/scalar.js';
import { refuse, takenAsThere, type Context } from '../context/context.js';
import { reference, value } from './evaluate.js';
import { asIndex } from '../terms/index-of.js';
import { indexed, loaded, named } from '../terms/member.js';
import { isNeverThere, lacks, partOf, promised } from '../terms/missing.js';
import { isModuleName } from '../terms/names.js';
import { beginning } from '../terms/slots.js';
import { isOfTexts, nothing, type Term } from '../context/term.js';

/** What a chain is from `?.` on, where what stands before is not there. */
export const cut: Term = { is: 'nothing' };

/** What stands before `??` and `?.`: a member that its object does not have is undefined, as it is in JavaScript. */
export const optional = (cx: Context, node: AnyNode, exact = true): Term => {
  const e = bare(node);
  if (e.type === 'ChainExpression') {
    const found = optional(cx, e.expression);
    return found === cut ? nothing : found;
  }
  if (e.type === 'Identifier') return valueOfName(cx, e);
  if (e.type === 'CallExpression' || e.type === 'ConditionalExpression') return value({ ...cx, asked: e }, e);
  if (e.type !== 'MemberExpression' || e.property.type === 'PrivateIdentifier') return value(cx, node);
  const object = bare(e.object);
  if (object.type === 'Super' || (object.type === 'Identifier' && isModuleName(cx, object))) return value(cx, node);
  const of = e.optional ? optional(cx, object) : reference(cx, object);
  if (of === cut || (e.optional && isNeverThere(cx, of))) return cut;
  const part = asked(cx, e, of, exact);
  return isChained(e) ? partOf(cx, node, of, part) : part;
};

/** A member or item, or nothing where there is none. */
const asked = (cx: Context, e: MemberExpression, of: Term, exact: boolean): Term => {
  const key = e.computed ? value(cx, e.property as AnyNode) : undefined;
  const name = key ? (key.is === 'host' ? String(key.value) : undefined) : (e.property as Identifier).name;
  if (name !== undefined)
    return lacks(cx, of, name) ? nothing : loaded(cx, e, named(cx, e.property as AnyNode, of, name));
  if (!isChained(e)) takenAsThere(cx, e.object, of);
  const byText = key!.is === 'one-of' && isOfTexts(key!) ? rare().memberByText(cx, e, of, key!) : undefined;
  if (byText) return byText;
  const index = asIndex(cx, e.property as AnyNode, key!);
  return hasEnd(of, index, exact) ? rare().itemIfThere(cx, e, of, index) : loaded(cx, e, indexed(cx, e, of, index));
};

/** Whether there may be nothing at an index, as there is in arrays behind their end; of one that a launch gives behind the longest, unless it is to be `exact`. */
const hasEnd = (of: Term, index: Scalar, exact: boolean): boolean => {
  if (of.is === 'element') return exact;
  if (of.is !== 'array' || exact) return ['list', 'sieve', 'array', 'table', 'host', 'one-of'].includes(of.is);
  const known = intervalOf(index);
  return !known || known[0] < 0 || known[1] >= of.maxLength;
};

/**
 * What is compared, or a condition: behind the end of an array that is known when the kernel is compiled it is undefined, and so are a member that its object does not have
 * and what a function gives of one; all else takes it to be there.
 */
export const ifThere = (cx: Context, node: AnyNode): Term => {
  const e = bare(node);
  if (e.type !== 'CallExpression' && e.type !== 'MemberExpression') return value(cx, node);
  return promised(cx, optional(cx, e, false));
};

/** A variable that was given no value is undefined, where no branch or loop is between. */
const valueOfName = (cx: Context, id: Identifier): Term => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  const slot = binding && cx.env.lookup(binding);
  if (slot?.is !== 'pending' || slot.slot) return value(cx, id);
  const begins = beginning(cx, id, slot);
  if (begins) return begins;
  return slot.stretch === cx.stretch
    ? nothing
    : refuse(
        cx,
        id,
        'lang/unassigned',
        `whether \`${id.name}\` has a value here would be known only when the kernel runs`,
        'give it one where it is declared, and a truth value beside it says whether it was set',
      );
};

/** Whether `?.` stands before this in its chain. */
export const isChained = (e: AnyNode): boolean =>
  (e.type === 'MemberExpression' && (e.optional || isChained(e.object))) ||
  (e.type === 'CallExpression' && (e.optional || isChained(e.callee)));

/** What says that nothing is there. */
export const isNothing = (cx: Context, e: AnyNode): boolean =>
  (e.type === 'Literal' && e.raw === 'null') ||
  (e.type === 'UnaryExpression' && e.operator === 'void' && bare(e.argument).type === 'Literal') ||
  (e.type === 'Identifier' && e.name === 'undefined' && !cx.unit.text.parsed.scopes.bindingOf(e));
