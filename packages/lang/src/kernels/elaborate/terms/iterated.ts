import type { AnyNode } from 'acorn';
import { refuse, type Context } from '../context/context.js';
import type { Items, Term } from '../context/term.js';

/** The items of what is gone through here. Of an iterator nothing is left then, which has to be known: it is gone through once, where it surely is. */
export const iterated = (cx: Context, node: AnyNode, space: Items): readonly (() => Term)[] => {
  const { since, items } = space;
  if (since === undefined) return items();
  const { iterated } = cx.session;
  if (iterated.has(space) || since !== cx.stretch)
    return refuse(
      cx,
      node,
      'lang/iterator',
      iterated.has(space)
        ? 'this iterator was gone through before, and nothing is left of it'
        : 'whether something is left of this iterator would be known only when the kernel runs',
      'call a.entries() where its items are visited, or keep them in an array: [...a.entries()]',
    );
  iterated.add(space);
  return items();
};

/** What keeps its length while this is gone through: an array, and that of an iterator. */
export const keptWhile = (over: Term): readonly Term[] =>
  over.is === 'loop' && over.space.over === 'items' && over.space.of ? [over, over.space.of] : [over];
