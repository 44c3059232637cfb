import { fail } from '@filigree/ir';

/**
 * What an input of a traced program is given: as many numbers as it has values, or its one number. Errors: `program/length`, with this remedy, and `program/values`.
 */
export const inputValues = (
  name: string,
  given: ArrayLike<number> | number,
  length: number,
  remedy: string,
): ArrayLike<number> => {
  const values = typeof given === 'number' ? [given] : given;
  if (values?.length !== length)
    fail('program/length', `input '${name}' has ${length} values, got ${values?.length ?? String(values)}`, { remedy });
  const odd = ArrayBuffer.isView(values) ? -1 : Array.prototype.findIndex.call(values, (x) => typeof x !== 'number');
  if (odd >= 0)
    fail('program/values', `value ${odd} of input '${name}' is no number`, { remedy: 'give numbers, in a flat array' });
  return values;
};
