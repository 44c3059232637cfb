import type { Cell, Instruction } from '../code/code.js';
import { isWhole, type Kind } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Scalar, Temp } from '../code/scalar.js';
import { isWholeNumber, ROUNDING, STAYS_WHOLE } from '../code/whole.js';

/**
 * Of the floats of no stated type those that are rounded to whole numbers, and what is computed of these and is whole, as in
 * `hi = Math.floor(m / 127773); m = 16807 * (m % 127773) - 2836 * hi`. Integers beyond 2²⁴ are among them, which f32 does not hold.
 */
export const roundedFloats = (
  all: readonly Instruction[],
  kindOf: (s: Scalar | Cell) => Kind,
): ReadonlySet<Temp | Cell> => {
  const links = all.flatMap((i) => linksOf(i).filter(({ to }) => kindOf(to) === 'float'));
  const maybe = new Set<Scalar | Cell>(links.map(({ to }) => to));
  const isWholeOne = (s: Scalar | Cell): boolean =>
    'is' in s && s.is === 'literal' ? isWholeNumber(s) : maybe.has(s) || isInteger(kindOf(s));
  /* Of all sets in which each is whole if all are, the largest. */
  const refuted = ({ to, of, whole }: Link): boolean =>
    (whole === 'no' || (whole === 'if all are' && !of.every(isWholeOne))) && maybe.delete(to);
  while (links.map(refuted).includes(true));
  /* Of these, what comes of rounding. */
  const rounded = new Set<Temp | Cell>();
  const follows = ({ to, of, whole }: Link): boolean =>
    maybe.has(to) &&
    !rounded.has(to) &&
    (whole === 'always' || of.some((s) => rounded.has(s as Temp))) &&
    rounded.add(to) !== undefined;
  while (links.map(follows).includes(true));
  return rounded;
};

/** What an instruction defines, of what, and whether that is a whole number. */
interface Link {
  readonly to: Temp | Cell;
  readonly of: readonly (Scalar | Cell)[];
  readonly whole: 'always' | 'if all are' | 'no';
}

const linksOf = (i: Instruction): readonly Link[] => {
  switch (i.do) {
    case 'read':
      return [{ to: i.to, of: [i.local.cell], whole: 'if all are' }];
    case 'write':
      return [{ to: i.local.cell, of: [i.value], whole: 'if all are' }];
    case 'reduce':
      return [{ to: i.reduction.local.cell, of: [i.value], whole: 'if all are' }];
    case 'compute': {
      const operator = i.operator as OperatorName;
      if (i.type !== undefined) return [];
      if (ROUNDING.has(operator)) return [{ to: i.to, of: i.args, whole: 'always' }];
      if (operator === 'select') return [{ to: i.to, of: i.args.slice(1), whole: 'if all are' }];
      return [{ to: i.to, of: i.args, whole: STAYS_WHOLE.has(operator) ? 'if all are' : 'no' }];
    }
    case 'load':
      return [{ to: i.to, of: [], whole: 'no' }];
    case 'given':
      return i.to.map((to) => ({ to, of: [], whole: 'no' }));
    default:
      return [];
  }
};

/** Nothing known yet is none. */
const isInteger = (kind: Kind): boolean => kind !== undefined && kind !== 'i1' && isWhole(kind);
