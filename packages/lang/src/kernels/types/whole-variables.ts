import { eachInstruction, type Block, type Cell, type Instruction } from '../code/code.js';
import { isReal, isWhole } from '../code/kinds.js';
import type { WholeVariables } from '../code/whole.js';
import type { Types } from './infer.js';
import { wholes } from './wholes.js';

/**
 * Of the variables that are floats those that are given nothing but whole numbers, as `child` is by `child = Math.floor((child - 1) / 2)`, and those that are
 * integers, as `size` in `Math.floor(i / size) * size`, by the numbers of their locals.
 */
export const wholeVariables = (code: Block, types: Types): WholeVariables => {
  const all: Instruction[] = [];
  eachInstruction(code, (i) => all.push(i));
  const maybe = wholes(all, types.kindOf);
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
