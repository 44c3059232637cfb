import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { literal } from '../../code/scalar.js';
import { compute, originOf, type Context } from '../context/context.js';
import type { Block } from '../../code/code.js';
import type { Destination } from './destination.js';
import { promiseWithin } from '../terms/member.js';

/** What is done with the place that an index names. */
export const atIndex = (
  cx: Context,
  e: AnyNode,
  { items, index }: Destination & { to: 'items' },
  act: (item: Destination) => void,
): void => {
  const at = originOf(cx, e);
  promiseWithin(cx, e, index, items.length);
  const acts: Block[] = [];
  const body = cx.session.record(() =>
    items.forEach((item, k) => {
      const condition = compute(cx, e, 'eq', index, literal(k));
      const then = cx.session.record(() => act(item));
      acts.push(then);
      cx.session.emit(at, { do: 'if', condition, then, otherwise: [] });
    }),
  );
  const slots = items.flatMap((item) => (item.to === 'slot' ? [item.slot] : []));
  const isArray = slots.length === items.length && cx.session.isMany(slots.length);
  const locals = isArray ? rare().manyNumbers(slots) : undefined;
  if (locals) cx.session.emit(at, { do: 'one-of', locals, index, body, first: acts[0] });
  else cx.session.append(body);
};
