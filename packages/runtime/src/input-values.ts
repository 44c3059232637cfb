import { fail, flatValues, type Nested } from '@filigree/ir';

/**
 * What an input of a traced program is given: as many numbers as it has values, flat or in lists, or its one number. Errors: `program/length`, with this remedy, and `program/values`.
 *
 * @param shape of the input, where it is known
 */
export const inputValues = (
  name: string,
  given: Nested<number> | number,
  length: number,
  remedy: string,
  shape?: readonly number[],
): ArrayLike<number> => {
  const values = typeof given === 'number' ? [given] : flatValues(`input '${name}'`, 'program/length', given, shape);
  if (values?.length !== length)
    fail('program/length', `input '${name}' has ${length} values, got ${values?.length ?? String(values)}`, { remedy });
  const odd = ArrayBuffer.isView(values) ? -1 : Array.prototype.findIndex.call(values, (x) => typeof x !== 'number');
  if (odd >= 0)
    fail('program/values', `value ${odd} of input '${name}' is no number`, { remedy: 'give numbers, in a flat array' });
  return values;
};
