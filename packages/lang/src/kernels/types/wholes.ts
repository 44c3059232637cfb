import type { Cell, Instruction } from '../code/code.js';
import { isWhole, type Kind } from '../code/kinds.js';
import type { Scalar, Temp } from '../code/scalar.js';
import { isWholeNumber, ROUNDING, STAYS_WHOLE } from '../code/whole.js';

/**
 * What holds nothing but whole numbers, be it a float. What a variable is given may be computed of itself: of all sets in which each is whole if all are,
 * the largest.
 */
export const wholes = (all: readonly Instruction[], kindOf: (s: Scalar | Cell) => Kind): ReadonlySet<Scalar | Cell> => {
  const maybe = new Set<Temp | Cell>();
  for (const i of all) {
    if (i.do === 'read' || i.do === 'compute') maybe.add(i.to);
    if (i.do === 'declare') for (const l of i.locals) maybe.add(l.cell);
  }
  const is = (s: Scalar): boolean => (s.is === 'literal' ? isWholeNumber(s) : isWhole(kindOf(s)) || maybe.has(s));
  const isResult = ({ operator, args }: Instruction & { do: 'compute' }): boolean =>
    operator === 'select' || operator === 'cast' || STAYS_WHOLE.has(operator as never)
      ? args.slice(operator === 'select' ? 1 : 0).every(is)
      : ROUNDING.has(operator as never);
  const refuted = (i: Instruction): boolean => {
    switch (i.do) {
      case 'read':
        return !maybe.has(i.local.cell) && maybe.delete(i.to);
      case 'compute':
        return !isResult(i) && maybe.delete(i.to);
      case 'write':
        return !is(i.value) && maybe.delete(i.local.cell);
      case 'reduce':
        return maybe.delete(i.reduction.local.cell);
      default:
        return false;
    }
  };
  while (all.map(refuted).includes(true));
  return maybe;
};
