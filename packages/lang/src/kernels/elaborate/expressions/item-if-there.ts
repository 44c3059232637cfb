import type { AnyNode } from 'acorn';
import { intervalOf } from '../../code/interval.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { chosen } from './choice.js';
import { compute, originOf, placedOf, type Context } from '../context/context.js';
import { endOf, indexed, isWhole, loaded, named } from '../terms/member.js';
import type { Flag } from '../context/absence.js';
import { absent } from '../terms/missing.js';
import { isLiteral, nothing, type Element, type Term } from '../context/term.js';

/** What an array, or a field, has at an index that is known only when the kernel runs. */
export const itemIfThere = (cx: Context, e: AnyNode, of: Term, index: Scalar): Term => {
  if (of.is === 'element') return elementIfThere(cx, e, of, index);
  const item = (): Term => loaded(cx, e, indexed(cx, e, of, index));
  const length = lengthOf(cx, e, of);
  const known = intervalOf(index);
  if (!length) return item();
  if (isLiteral(length) && length.value === 0) return nothing;
  if (known && isLiteral(length)) {
    const end = Number(length.value);
    if (known[0] >= 0 && known[1] < end) return item();
    if (known[1] < 0 || known[0] >= end) return nothing;
  }
  return within(cx, e, of, index, length);
};

/** What is at an index within a length, or nothing: then nothing is read. */
const within = (cx: Context, e: AnyNode, of: Term, index: Scalar, length: Scalar): Term => {
  const [least, most] = [compute(cx, e, 'ge', index, literal(0)), compute(cx, e, 'lt', index, length)];
  return chosen(
    cx,
    e,
    compute(cx, e, 'and', least, most),
    { node: e, term: () => loaded(cx, e, indexed(cx, e, of, index)) },
    { node: e, term: () => absent('undefined') },
  );
};

/**
 * A row or element of a field, or nothing outside of it. Who does not ask whether it is there reads what fields have there. Where every index is checked none outside is
 * asked for.
 */
const elementIfThere = (cx: Context, e: AnyNode, of: Element, index: Scalar): Term => {
  if (!isWhole(cx, e, of) && endOf(cx, e, of) === 'list') return within(cx, e, of, index, listLength(cx, e, of));
  const is = outside(cx, e, of, index);
  if (is && isLiteral(is)) return nothing;
  const at = is && cx.session.debug ? compute(cx, e, 'select', is, literal(0), index) : index;
  const found = loaded(cx, e, indexed(cx, e, of, at));
  if (is) cx.session.missing.set(found, whereOutside(is));
  return found;
};

/** Whether a row of a field is missing, which it is outside of that; nothing of one that is there, or has all indices. */
export const flagOfRow = (cx: Context, e: AnyNode, row: Element): Flag | undefined => {
  const last = row.index.at(-1);
  if (last === undefined || isWhole(cx, e, row)) return undefined;
  const is = outside(cx, e, { ...row, index: row.index.slice(0, -1) }, last);
  return is && whereOutside(is);
};

/* Who does not ask reads what fields have there. */
const whereOutside = (is: Scalar): Flag => ({
  of: 'undefined',
  is,
  from: { local: undefined, of: 'undefined', asked: false, locals: [], promised: true },
});

/** Whether there is nothing at an index of a field; undefined where there is something. */
const outside = (cx: Context, e: AnyNode, of: Element, index: Scalar): Scalar | undefined => {
  const end = isWhole(cx, e, of) ? 'none' : endOf(cx, e, of);
  if (end === 'none') return undefined;
  const known = intervalOf(index);
  if (typeof end === 'number' && known) {
    if (known[0] >= 0 && known[1] < end) return undefined;
    if (known[1] < 0 || known[0] >= end) return literal(true);
  }
  const behind = end === 'list' ? listLength(cx, e, of) : literal(end);
  return compute(cx, e, 'or', compute(cx, e, 'lt', index, literal(0)), compute(cx, e, 'ge', index, behind));
};

/** How long the list is whose items come next. */
const listLength = (cx: Context, e: AnyNode, { field, index }: Element): Scalar => {
  const { nodes } = cx.session.layout;
  const list = placedOf(cx, e, field).path.findLast((n) => nodes[n].kind === 'dynamic')!;
  const to: Temp = { is: 'temp', type: 'i32' };
  cx.session.emit(originOf(cx, e), { do: 'structure', to, op: 'length', node: nodes[list].name, index });
  return to;
};

const lengthOf = (cx: Context, e: AnyNode, of: Term): Scalar | undefined => {
  const isArray = of.is === 'list' || of.is === 'sieve' || of.is === 'array' || of.is === 'table';
  const isAround = of.is === 'host' ? Array.isArray(of.value) : of.is === 'one-of' && Array.isArray(of.values[0]);
  return isArray || isAround ? (named(cx, e, of, 'length') as Scalar) : undefined;
};
