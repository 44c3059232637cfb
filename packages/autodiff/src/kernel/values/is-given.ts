import { partsOfGiven, type Op, type Value } from '@filigree/ir';

/** Whether an op says what the derivative of values is. */
export const isGiven = ({ name }: Op): boolean => name === 'derivative.given';

/**
 * What the results of such an op are where its derivative is taken. Some are moved a little so that others have a derivative, as singular values that are equal so that singular vectors
 * have one: where none of these others matters, nothing is moved.
 *
 * @param matters whether anything that is wanted depends on a value
 */
export const takenAt = (op: Op, matters: (v: Value) => boolean): readonly Value[] => {
  const { values, near } = partsOfGiven(op);
  return op.results.some((r, n) => near[n].id === values[n].id && matters(r)) ? near : values;
};
