import { describeValue, fail } from '@filigree/ir';
import type { AnyField } from '@filigree/sparse/fields';

/** What launches the kernels that a derivative is asked of. Error: `tape/forward`. */
export const checkForward = (what: string, forward: unknown): void => {
  if (typeof forward !== 'function')
    fail('tape/forward', `${what} is given ${describeValue(forward)} for what launches kernels`, {
      remedy: 'give a function: () => sim.run.step()',
    });
};

/** The fields that an option names. Error: `tape/field` where there are none. */
export const checkFields = (
  what: string,
  option: string,
  fields: Readonly<Record<string, AnyField>> | undefined,
): void => {
  if (fields === undefined || Object.keys(fields).length === 0)
    fail('tape/field', `option '${option}' of ${what} names no field`, {
      remedy: `name fields of the program: { ${option}: { x } }`,
    });
};
