import * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics } from '../diagnostics/diagnostic.js';
import type { Attrs } from '../kernel/op.js';

/** A named step from `A` to `B` that either succeeds or says why it did not. A pipeline is itself a pass. */
export interface Pass<A, B = A> {
  readonly name: string;
  /** The options that differ from their defaults; they stand behind the name in a pipeline's text. */
  readonly options?: Attrs;
  readonly run: (input: A) => E.Either<Diagnostics, B>;
}

/** A pass from a function that throws `DiagnosticError` where it cannot go on; any other exception is a bug and passes through. */
export const pass = <A, B = A>(name: string, run: (input: A) => B, options: Attrs = {}): Pass<A, B> => ({
  name,
  ...(Object.keys(options).length > 0 ? { options } : {}),
  run: (input) => {
    try {
      return E.right(run(input));
    } catch (e) {
      if (e instanceof DiagnosticError) return E.left(e.diagnostics);
      throw e;
    }
  },
});

/**
 * A pass and then another, as a pass: `pipe(a, andThen(b), andThen(c))`. What `a` left is not held while `c` runs, as it is
 * where values go through `pipe` itself, whose frame keeps them all to the end: with graphs of millions of nodes that is memory.
 */
export const andThen =
  <B, C>(second: Pass<B, C>) =>
  <A>(first: Pass<A, B>): Pass<A, C> => ({
    name: `${first.name},${second.name}`,
    run: (input) => {
      const between = first.run(input);
      return E.isLeft(between) ? between : second.run(between.right);
    },
  });
