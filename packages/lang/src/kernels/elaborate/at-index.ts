import type { AnyNode } from 'acorn';
import { literal } from '../code/scalar.js';
import { compute, originOf, type Context } from './context.js';
import type { Destination } from './destination.js';
import { promiseWithin } from './member.js';

/** What is done with the place that an index names. */
export const atIndex = (
  cx: Context,
  e: AnyNode,
  { items, index }: Destination & { to: 'items' },
  act: (item: Destination) => void,
): void => {
  const at = originOf(cx, e);
  promiseWithin(cx, e, index, items.length);
  items.forEach((item, k) => {
    const condition = compute(cx, e, 'eq', index, literal(k));
    const then = cx.session.record(() => act(item));
    cx.session.emit(at, { do: 'if', condition, then, otherwise: [] });
  });
};
