import type { AnyNode, CallExpression } from 'acorn';
import { bare } from '../../../source/ast.js';
import { literal, type Scalar } from '../../code/scalar.js';
import { chosen } from '../expressions/choice.js';
import { apart, compute, type Context } from '../context/context.js';
import { argumentsOf, value } from '../expressions/evaluate.js';
import { asIndex } from '../terms/index-of.js';
import { callFunction } from './inline.js';
import { named } from '../terms/member.js';
import { partsOf } from '../terms/sharing.js';
import { isLiteral, type Term } from '../context/term.js';

/*
 * `sums[k].add(x)`, of objects that change, at an index that is known only when the kernel runs. The method is called of a copy, which is read sooner; where it changes
 * that, the next attempt calls it of each where it is that one.
 */

/** Notes where a method of a copy is called, for the case that it changes the object. */
export const noteCallOfCopy = (cx: Context, e: CallExpression, of: Term): void =>
  void cx.session.calledOf.set(of, siteOf(cx, e));

const siteOf = (cx: Context, e: CallExpression): string => `${cx.unit.name} call ${e.start} ${e.end}`;

/** Such a call, of which an attempt before found that it changes the object; undefined of any other. */
export const callOfChosen = (cx: Context, e: CallExpression, object: AnyNode, name: string): Term | undefined => {
  if (!cx.session.known.places.has(siteOf(cx, e))) return undefined;
  const found = oneOfParts(cx, object);
  if (!found) return undefined;
  const { parts, index } = found;
  const args = argumentsOf(cx, e);
  const call = (inner: Context, k: number): Term =>
    callFunction(inner, e, named(inner, e, parts[k], name), args, parts[k]);
  const from = (inner: Context, k: number): Term =>
    k === parts.length - 1
      ? call(inner, k)
      : chosen(
          inner,
          e,
          compute(inner, e, 'eq', index, literal(k)),
          { node: e, term: () => call(apart(inner), k) },
          { node: e, term: () => from(apart(inner), k + 1) },
        );
  return from(cx, 0);
};

/** Objects or arrays, and which of them is meant. */
interface OneOfParts {
  readonly parts: readonly Term[];
  readonly index: Scalar;
}

/** What `sums[k]`, `table[j][k]` and a name for such a part stand for. */
const oneOfParts = (cx: Context, node: AnyNode): OneOfParts | undefined => {
  const e = bare(node);
  const binding = cx.unit.text.parsed.scopes.bindingOf(e);
  const slot = binding && cx.env.lookup(binding);
  if (slot?.is === 'chosen') return { parts: partsOf(slot.of), index: slot.index };
  if (e.type !== 'MemberExpression' || !e.computed || e.optional) return undefined;
  const outer = oneOfParts(cx, e.object) ?? { parts: [value(cx, e.object)], index: literal(0) };
  const rows = outer.parts.map(partsOf);
  const width = rows[0].length;
  if (width === 0 || rows.some((row) => row.length !== width)) return undefined;
  const k = asIndex(cx, e.property, value(cx, e.property));
  const first = compute(cx, e, 'mul', outer.index, literal(width));
  return isLiteral(k) && isLiteral(outer.index)
    ? undefined
    : { parts: rows.flat(), index: compute(cx, e, 'add', first, k) };
};
