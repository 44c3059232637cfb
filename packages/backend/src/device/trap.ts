import { statusCodes } from '../c-family/helpers/status-codes.js';
import { type Module, fail } from '@filigree/ir';

/** Turns the status that an entry point ends with into a diagnostic, unless all went well: `run/trap`. */
export const checkStatus = (module: Module, status: number): void => {
  if (status === 0) return;
  const what = traps[status] ?? `status ${status}`;
  fail('run/trap', `module @${module.name} stopped: ${what}; its results are not to be used`, {
    remedy: 'check the inputs; the interpreter names the op',
  });
};

const traps: Readonly<Record<number, string>> = {
  [statusCodes.divisionByZero]: 'an integer was divided by zero',
  [statusCodes.step]: 'the step of a loop was not positive',
  [statusCodes.bounds]: 'an index was outside its buffer',
};
