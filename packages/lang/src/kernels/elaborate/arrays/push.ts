import type { CallExpression, ForStatement } from 'acorn';
import { literal } from '../../code/scalar.js';
import { refuse, type Context } from '../context/context.js';
import { argumentsOf } from '../expressions/evaluate.js';
import { hold } from '../terms/holds.js';
import { made } from '../terms/made.js';
import { grows } from './added-parts.js';
import { part } from '../terms/part.js';
import { readSlot } from '../terms/slots.js';
import { isLiteral, nothing, termText, tupleOf, type List, type Slot, type Term } from '../context/term.js';

/*
 * Methods that change how long an array of the kernel is. Its length stays known, since they are called where they surely run, and as often as the array
 * is made.
 */

export const push = (cx: Context, e: CallExpression, of: Term): Term => {
  const items = itemsToChange(cx, e, of, 'push');
  items.push(...added(cx, e, of as List, argumentsOf(cx, e)));
  return literal(items.length);
};

export const unshift = (cx: Context, e: CallExpression, of: Term): Term => {
  const items = itemsToChange(cx, e, of, 'unshift');
  items.unshift(...added(cx, e, of as List, argumentsOf(cx, e)));
  return literal(items.length);
};

export const pop = (cx: Context, e: CallExpression, of: Term): Term =>
  taken(cx, e, itemsToChange(cx, e, of, 'pop').pop());

export const shift = (cx: Context, e: CallExpression, of: Term): Term =>
  taken(cx, e, itemsToChange(cx, e, of, 'shift').shift());

/** Takes items out at a known place, puts others in, and gives those that were taken. */
export const splice = (cx: Context, e: CallExpression, of: Term): Term => {
  const items = itemsToChange(cx, e, of, 'splice');
  const [start, count, ...others] = argumentsOf(cx, e);
  const known = (x: Term): number =>
    isLiteral(x)
      ? Number(x.value)
      : refuse(
          cx,
          e,
          'lang/dynamic-index',
          'where, and how many items, `splice` takes out is known only when the kernel runs, and so would be what is where in the array',
          'write known numbers; or make another array by a.filter(…)',
        );
  if (start === undefined) return made(cx, e, tupleOf([]));
  const from = known(start);
  const most = count === undefined ? items.length : known(count);
  const removed = items.splice(from, most, ...added(cx, e, of as List, others));
  return made(cx, e, tupleOf(removed.map((slot) => readSlot(cx, e, slot))));
};

/** Refuses a loop that is written out and whose bound changes while it runs. */
export const refuseMovingBound = (cx: Context, s: ForStatement): never =>
  refuse(
    cx,
    s,
    'lang/dynamic-index',
    'the bound of this loop changes while it runs, and so would the length of an array that grows in it',
    'compute the bound before the loop',
  );

const taken = (cx: Context, e: CallExpression, slot: Slot | undefined): Term =>
  slot ? readSlot(cx, e, slot) : nothing;

const added = (cx: Context, e: CallExpression, of: List, terms: readonly Term[]): readonly Slot[] =>
  terms.map((term) => {
    hold(cx, term, -1);
    return part(cx, e, of, term);
  });

const itemsToChange = (cx: Context, e: CallExpression, of: Term, name: string): Slot[] => {
  if (of.is === 'sieve')
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `\`${name}\` changes ${termText(of)}`,
      'change the array before it is filtered, or ask for its items in a loop',
    );
  if (of.is !== 'list')
    return refuse(
      cx,
      e,
      'lang/captured-write',
      'an array of the surroundings keeps its length: a kernel only reads it',
      `make a copy: [...a].${name}(…)`,
    );
  const stretch = cx.session.made.get(of)?.stretch;
  if (stretch && stretch !== cx.stretch) cx.session.growsWithin(stretch, cx.stretch);
  if (stretch !== cx.stretch)
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
