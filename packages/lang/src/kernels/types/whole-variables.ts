import { eachInstruction, type Block, type Cell, type Instruction } from '../code/code.js';
import { isReal, isWhole } from '../code/kinds.js';
import type { Scalar, Temp } from '../code/scalar.js';
import { isWholeNumber, ROUNDING, STAYS_WHOLE, type WholeVariables } from '../code/whole.js';
import type { Types } from './infer.js';

/**
 * Of the variables that are floats those that are given nothing but whole numbers, as `child` is by `child = Math.floor((child - 1) / 2)`, and those that are
 * integers, as `size` in `Math.floor(i / size) * size`, by the numbers of their locals. What a variable is given may be computed of itself: of all sets in which each is whole if all are, the largest.
 */
export const wholeVariables = (code: Block, types: Types): WholeVariables => {
  const all: Instruction[] = [];
  eachInstruction(code, (i) => all.push(i));
  const maybe = new Set<Temp | Cell>();
  for (const i of all) {
    if (i.do === 'read' || i.do === 'compute') maybe.add(i.to);
    if (i.do === 'declare') for (const l of i.locals) maybe.add(l.cell);
  }
  const is = (s: Scalar): boolean => (s.is === 'literal' ? isWholeNumber(s) : isWhole(types.kindOf(s)) || maybe.has(s));
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
  const kindOf = (cell: Cell): 'float' | 'integer' | undefined => {
    const kind = types.kindOf(cell);
    if (isReal(kind)) return maybe.has(cell) ? 'float' : undefined;
    return kind !== undefined && kind !== 'mixed' && kind !== 'i1' && isWhole(kind) ? 'integer' : undefined;
  };
  const locals = all.flatMap((i) => (i.do === 'declare' ? i.locals : []));
  return new Map(
    locals.flatMap(({ id, cell }) => {
      const kind = kindOf(cell);
      return kind ? [[id, kind] as const] : [];
    }),
  );
};
