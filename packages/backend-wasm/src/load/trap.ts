import { type Module, fail } from '@filigree/ir';

/** Turns a trap into a diagnostic: `run/trap`. */
export const trapped = (module: Module, message: string): never =>
  fail('run/trap', `module @${module.name} stopped: ${meaning(message)}; its results are not to be used`, {
    remedy: 'check the inputs; the interpreter names the op',
  });

const meaning = (message: string): string => {
  if (/divide|remainder|division/i.test(message)) return 'an integer was divided by zero';
  if (/out of bounds|alignment/i.test(message)) return 'an index was outside the memory';
  /* `unreachable` stands behind the test of a loop's step and in the thread that waits for one that trapped. */
  return /unreachable/i.test(message)
    ? 'an integer was divided by zero, or the step of a loop was not positive'
    : message;
};
