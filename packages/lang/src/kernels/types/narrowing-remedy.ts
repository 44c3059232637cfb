import { byteSize, integerRange, type ScalarType } from '@filigree/ir';
import { isReal, type Kind } from '../code/kinds.js';

/** How a number is made one of a type that holds fewer, and how it is kept within its ends where those are near. */
export const narrowingRemedy = (kind: Kind, type: ScalarType): string => {
  const cast = `cast it: ${type}(x)`;
  if (byteSize(type) === 8) return isReal(kind) ? `${cast}; a quotient of integers is exact as idiv(a, b)` : cast;
  const kept = `Math.min(Math.max(x, ${integerRange(type).join('), ')})`;
  if (isReal(kind)) {
    const rounded = type === 'i32' ? 'Math.round(x)' : `Math.round(${kept})`;
    return `${cast} cuts off the fraction; or round it: ${rounded}`;
  }
  return byteSize(type) === 4 ? cast : `${cast} takes its last bits; or keep it within: ${kept}`;
};
