import type { Op } from '@filigree/ir';

/** Whether an op says what the derivative of values is. */
export const isGiven = ({ name }: Op): boolean => name === 'derivative.given';
