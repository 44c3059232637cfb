import { parallelSum, serialSum } from '../vocabulary/sum.js';
import { refuse } from '../elaborate/context/context.js';
import type { Term } from '../elaborate/context/term.js';
import { addTerms } from './algebra.js';
import type { Intrinsic } from './intrinsic.js';
import { argumentsOf } from '../elaborate/expressions/evaluate.js';
import { callFunction, callWord } from '../elaborate/calls/inline.js';
import { eachItem } from '../elaborate/terms/items.js';
import { visitedBy } from '../elaborate/expressions/visited.js';
import { literal } from '../code/scalar.js';

/** `sum(space, term)`: written out where the items are known, else a loop. */
export const sum: Intrinsic = (cx, e) => {
  const args = argumentsOf(cx, e);
  if (args.length !== 2)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `sum takes 2 arguments, not ${args.length}`,
      'write sum(range(n), (i) => …)',
    );
  const [space, term] = args;
  const [at] = e.arguments;
  const isItems = space.is !== 'loop' || space.space.over === 'items';
  const over = isItems ? eachItem(cx, at, space).map((item) => ({ item })) : visitedBy(cx, at, space);
  if ('space' in over) return callWord(cx, e, cx.parallel || cx.looped ? serialSum : parallelSum, args);
  /* Each term is added as soon as it is computed: fewer values live at once. */
  return (
    over.reduce<Term | undefined>((total, { item }) => {
      const one = callFunction(cx, e, term, [item()]);
      return total === undefined ? one : addTerms(cx, e, total, one);
    }, undefined) ?? literal(0)
  );
};
