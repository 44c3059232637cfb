import { printModule } from '@filigree/ir';
import type { Outcome } from './outcome.js';
import type { Program } from './program.js';

/** Programs that are tried on the way to the smallest one. */
const MOST_TRIES = 200;

/** Checks a program. Where it fails and knows simpler ones, throws what the smallest of those that fail says, with its text. */
export const checkSmaller = async (
  program: Program,
  check: (program: Program) => Promise<Outcome>,
): Promise<Outcome> => {
  try {
    return await check(program);
  } catch (e) {
    if (program.simpler === undefined) throw e;
    const { message, at } = await smallest({ message: (e as Error).message, at: program }, check);
    throw new Error(`${at.name}: ${message}\n${printModule(at.module)}`, { cause: e });
  }
};

interface Found {
  readonly message: string;
  readonly at: Program;
}

const smallest = async (first: Found, check: (program: Program) => Promise<Outcome>): Promise<Found> => {
  let [found, tries] = [first, 0];
  for (let better = true; better && tries < MOST_TRIES;) {
    better = false;
    for (const at of found.at.simpler?.() ?? []) {
      if (++tries > MOST_TRIES) break;
      const message = await check(at).then(
        () => undefined,
        (e: Error) => e.message,
      );
      if (message === undefined) continue;
      [found, better] = [{ message, at }, true];
      break;
    }
  }
  return found;
};
