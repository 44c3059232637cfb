import * as E from 'fp-ts/lib/Either.js';
import type { Pass } from './pass.js';
import { runPass } from './run-pass.js';

/**
 * A pass and then another, as a pass: `pipe(a, andThen(b), andThen(c))`. What `a` left is not held while `c` runs, as it is
 * where values go through `pipe` itself, whose frame keeps them all to the end: with graphs of millions of nodes that is memory.
 */
export const andThen =
  <B, C>(second: Pass<B, C>) =>
  <A>(first: Pass<A, B>): Row<A, C> => ({
    name: `${first.name},${second.name}`,
    isRow: true,
    run: (input, watch) => {
      const between = isRow(first) ? first.run(input, watch) : runPass(first, input, watch);
      return E.isLeft(between) ? between : runPass(second, between.right, watch);
    },
  });

/* What `andThen` makes: who watches sees its passes, and not the row that they stand in. */
interface Row<A, B> extends Pass<A, B> {
  readonly isRow: true;
}

const isRow = (p: object): boolean => 'isRow' in p;
