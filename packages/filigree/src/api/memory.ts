import { error, type Diagnostic } from '@filigree/ir';

/** What is to be said where memory ran out; undefined where something else went wrong. */
export const memoryProblem = (e: unknown): Diagnostic | undefined =>
  e instanceof RangeError && /allocation|Invalid (typed )?array (buffer )?length|Map maximum size/i.test(e.message)
    ? error('memory/exhausted', `memory ran out (${e.message})`, {
        remedy: 'take a smaller problem, or give node more memory: NODE_OPTIONS=--max-old-space-size=MEGABYTES',
      })
    : undefined;
