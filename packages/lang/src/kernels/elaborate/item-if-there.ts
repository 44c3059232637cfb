import type { AnyNode } from 'acorn';
import { intervalOf } from '../code/interval.js';
import { literal, type Scalar } from '../code/scalar.js';
import { chosen } from './choice.js';
import { compute, type Context } from './context.js';
import { indexed, loaded, named } from './member.js';
import { absent } from './missing.js';
import { isLiteral, nothing, type Term } from './term.js';

/** What an array has at an index that is known only when the kernel runs. */
export const itemIfThere = (cx: Context, e: AnyNode, of: Term, index: Scalar): Term => {
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
  const [least, most] = [compute(cx, e, 'ge', index, literal(0)), compute(cx, e, 'lt', index, length)];
  return chosen(
    cx,
    e,
    compute(cx, e, 'and', least, most),
    { node: e, term: item },
    { node: e, term: () => absent('undefined') },
  );
};

const lengthOf = (cx: Context, e: AnyNode, of: Term): Scalar | undefined => {
  const isArray = of.is === 'list' || of.is === 'sieve' || of.is === 'array' || of.is === 'table';
  const isAround = of.is === 'host' ? Array.isArray(of.value) : of.is === 'one-of' && Array.isArray(of.values[0]);
  return isArray || isAround ? (named(cx, e, of, 'length') as Scalar) : undefined;
};
