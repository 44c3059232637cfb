import * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics, formatDiagnostic } from '@filigree/ir';

/** The value of a success; a failure fails the test with its diagnostics. */
export const right = <T>(e: E.Either<Diagnostics, T>): T => {
  if (E.isLeft(e)) throw new Error(e.left.map((d) => formatDiagnostic(d)).join('\n'));
  return e.right;
};

/** The diagnostics of a failure. */
export const left = <T>(e: E.Either<Diagnostics, T>): Diagnostics => {
  if (E.isRight(e)) throw new Error('succeeded, where a failure was expected');
  return e.left;
};
