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
 * `sums[k].add(x)` and `add(sums[k], x)`, of objects that change, at an index that is known only when the kernel runs. What is called gets a copy, which is read sooner; where
 * it changes that, the next attempt calls it of each where it is that one.
 */

/** Notes where a method of a copy is called, for the case that it changes the object. */
export const noteCallOfCopy = (cx: Context, e: CallExpression, of: Term): void => noteSite(cx, of, siteOf(cx, e));

/** Notes which copies a function is given. */
export const noteGivenCopies = (cx: Context, e: CallExpression, args: readonly Term[]): void => {
  if (e.arguments.some((a) => a.type === 'SpreadElement')) return;
  args.forEach((arg, n) => cx.session.copies.has(arg) && noteSite(cx, arg, siteOfArgument(cx, e, n)));
};

/* Functions that are given on what they are given may change it, too: it is chosen where the first is called. */
const noteSite = ({ session: { calledOf } }: Context, of: Term, site: string): void => {
  if (!calledOf.has(of)) calledOf.set(of, site);
};

const siteOf = (cx: Context, e: CallExpression): string => `${cx.unit.name} call ${e.start} ${e.end}`;

const siteOfArgument = (cx: Context, e: CallExpression, n: number): string => `${siteOf(cx, e)} argument ${n}`;

/** Such a call, of which an attempt before found that it changes the object; undefined of any other. */
export const callOfChosen = (cx: Context, e: CallExpression, object: AnyNode, name: string): Term | undefined => {
  if (!cx.session.known.places.has(siteOf(cx, e))) return undefined;
  const found = oneOfParts(cx, object);
  if (!found) return undefined;
  const args = argumentsOf(cx, e);
  return forEach(cx, e, found, (inner, part) => callFunction(inner, e, named(inner, e, part, name), args, part));
};

/** A call of a function that an attempt before found to change what it is given; undefined of any other. */
export const callGivenChosen = (cx: Context, e: CallExpression, f: Term, self: Term | undefined): Term | undefined => {
  if (!e.arguments.some((_, n) => cx.session.known.places.has(siteOfArgument(cx, e, n)))) return undefined;
  const given = e.arguments.map((a, n): Term | OneOfParts => {
    const found = cx.session.known.places.has(siteOfArgument(cx, e, n)) ? oneOfParts(cx, a) : undefined;
    return found ?? value(cx, a);
  });
  const call = (inner: Context, args: readonly Term[]): Term => {
    if (args.length === given.length) return callFunction(inner, e, f, args, self);
    const next = given[args.length];
    return 'parts' in next
      ? forEach(inner, e, next, (own, part) => call(own, [...args, part]))
      : call(inner, [...args, next]);
  };
  return call(cx, []);
};

/** What is done with whichever it is. */
const forEach = (
  cx: Context,
  e: CallExpression,
  { parts, index }: OneOfParts,
  act: (inner: Context, part: Term) => Term,
): Term => {
  const from = (inner: Context, k: number): Term =>
    k === parts.length - 1
      ? act(inner, parts[k])
      : chosen(
          inner,
          e,
          compute(inner, e, 'eq', index, literal(k)),
          { node: e, term: () => act(apart(inner), parts[k]) },
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
