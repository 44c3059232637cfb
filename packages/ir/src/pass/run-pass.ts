import * as E from 'fp-ts/lib/Either.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Pass, Watch } from './pass.js';

/** Runs a pass while `watch`, if there is one, looks at it and at the passes inside. */
export const runPass = <A, B>(pass: Pass<A, B>, input: A, watch: Watch | undefined): E.Either<Diagnostics, B> => {
  watch?.before?.({ pass, input });
  const start = performance.now();
  const result = pass.run(input, watch);
  if (E.isRight(result)) watch?.after?.({ pass, input, output: result.right, ms: performance.now() - start });
  return result;
};
