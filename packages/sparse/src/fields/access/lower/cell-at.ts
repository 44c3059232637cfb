import type { CellNumber, Lookup } from './sought.js';
import { plus, type Address } from './address.js';

/** The cell with a number in the container of a lookup, where cells lie in containers. */
export const cellAt = ({ node, container, place }: Lookup, number: CellNumber): Address => {
  const found = (place ?? number).times(plus(container, node.firstCell), node.cellBytes);
  return place ? { ...found, lost: [...found.lost, place.isOutside] } : found;
};
