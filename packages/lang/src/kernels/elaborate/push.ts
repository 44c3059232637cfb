import type { CallExpression } from 'acorn';
import { literal } from '../code/scalar.js';
import { refuse, type Context } from './context.js';
import { argumentsOf } from './evaluate.js';
import { hold } from './holds.js';
import { grows, part } from './added-parts.js';
import { readSlot } from './slots.js';
import { nothing, type List, type Slot, type Term } from './term.js';

/*
 * Methods that change how long an array of the kernel is. Its length stays known, since they are called where they surely run, and as often as the array
 * is made.
 */

export const push = (cx: Context, e: CallExpression, of: Term): Term => {
  const items = itemsToChange(cx, e, of, 'push');
  items.push(...added(cx, e, of as List));
  return literal(items.length);
};

export const unshift = (cx: Context, e: CallExpression, of: Term): Term => {
  const items = itemsToChange(cx, e, of, 'unshift');
  items.unshift(...added(cx, e, of as List));
  return literal(items.length);
};

export const pop = (cx: Context, e: CallExpression, of: Term): Term =>
  taken(cx, e, itemsToChange(cx, e, of, 'pop').pop());

export const shift = (cx: Context, e: CallExpression, of: Term): Term =>
  taken(cx, e, itemsToChange(cx, e, of, 'shift').shift());

const taken = (cx: Context, e: CallExpression, slot: Slot | undefined): Term =>
  slot ? readSlot(cx, e, slot) : nothing;

const added = (cx: Context, e: CallExpression, of: List): readonly Slot[] =>
  argumentsOf(cx, e).map((term) => {
    hold(cx, term, -1);
    return part(cx, e, of, term);
  });

const itemsToChange = (cx: Context, e: CallExpression, of: Term, name: string): Slot[] => {
  if (of.is !== 'list')
    return refuse(
      cx,
      e,
      'lang/captured-write',
      'an array of the surroundings keeps its length: a kernel only reads it',
      `make a copy: [...a].${name}(…)`,
    );
  if (cx.session.made.get(of)?.stretch !== cx.stretch)
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `whether, and how often, \`${name}\` changes the length of this array would be known only when the kernel runs, and so would its length`,
      'loop with unrolled(range(n)), or over an array; or make an array that is long enough, new Array(64).fill(0), and count what it holds',
    );
  if (cx.visiting.includes(of))
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `\`${name}\` changes the length of this array while its items are visited`,
      'loop over a copy, [...a], or change another array',
    );
  return grows(cx, of)
    ? (of.items as Slot[])
    : refuse(
        cx,
        e,
        'lang/array-alias',
        'this array has another name, or its name is given others',
        `call ${name} before, or make a copy: [...a]`,
      );
};
