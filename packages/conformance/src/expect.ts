import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { type Diagnostics, formatDiagnostic } from '@filigree/ir';

/** What a step gave, or an `Error` with the step and what it said. */
export const expect = <A>(result: E.Either<Diagnostics, A>, step: string): A => {
  if (E.isRight(result)) return result.right;
  throw new Error(`${step}: ${result.left.map((d) => formatDiagnostic(d)).join('\n')}`);
};

/** The same of a step that takes time. */
export const settle = async <A>(task: TaskEither<Diagnostics, A>, step: string): Promise<A> =>
  expect(await task(), step);
