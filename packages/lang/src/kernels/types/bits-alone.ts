import { isBits, takesBits, type Cell, type Instruction } from '../code/code.js';
import { isReal, typeOfKind, type Kind } from '../code/kinds.js';
import { isMisfit, operatorOf } from '../code/operators.js';
import type { Scalar, Temp } from '../code/scalar.js';

type Known = Scalar | Cell;

/**
 * Of what is an u32 at times and signed at others: what only its bits are used of, as hashes and generators of random numbers do. It takes no 64 bits. So it is
 * of variables that are floats at times and integers at others, `v = (v | (v << 8)) & mask` of what was rounded.
 */
export const bitsAlone = (
  all: readonly Instruction[],
  kinds: ReadonlyMap<Temp | Cell, Kind>,
  kindOf: (s: Known) => Kind,
  long: ReadonlySet<Known>,
): ReadonlySet<Known> => {
  const alone = new Set<Known>([...kinds].flatMap(([s, kind]) => (kind === 'mixed' ? [s] : [])));
  for (const i of all)
    if (i.do === 'read' && i.to.type === undefined && long.has(i.local.cell)) alone.add(i.to).add(i.local.cell);
  /* Where more of one is used, so it is of what that was made of. */
  let before = Infinity;
  while (alone.size < before) {
    before = alone.size;
    for (const i of all) for (const s of valuesUsed(i, alone, kindOf)) alone.delete(s);
  }
  return alone;
};

/** Of what an instruction uses more than the bits. */
const valuesUsed = (i: Instruction, alone: ReadonlySet<Known>, kindOf: (s: Known) => Kind): readonly Known[] => {
  switch (i.do) {
    case 'read':
      return alone.has(i.to) ? [] : [i.local.cell];
    case 'write':
      return alone.has(i.local.cell) ? [] : [i.value];
    case 'compute': {
      if (alone.has(i.to) && i.operator === 'select') return [];
      return takesWords(i, kindOf) ? [i.to] : [i.to, ...i.args];
    }
    case 'store':
      return takesBits(i.place) ? [] : [i.value];
    case 'reduce':
      return [i.reduction.local.cell, i.value];
    default:
      /* Indices and bounds are no such numbers, and conditions are none. */
      return Object.values(i).flat() as readonly Known[];
  }
};

/** Whether of operands, of what is cast, and of what is asked whether it is 0, 32 bits count at most. */
const takesWords = (i: Instruction & { do: 'compute' }, kindOf: (s: Known) => Kind): boolean => {
  const isOfFloats = isReal(kindOf(i.args[0]));
  if (i.operator === 'truth') return !isOfFloats;
  if (i.operator === 'cast') return !isOfFloats && i.type !== undefined && isWord(i.type);
  const { bits, kind } = operatorOf(i.operator);
  const result = kind(i.args.map(kindOf), i.args, true);
  return bits === true && !isMisfit(result) && isWord(result);
};

const isWord = (k: Kind): boolean =>
  k !== undefined && k !== 'i1' && k !== 'mixed' && k !== 'float' && isBits(typeOfKind(k));
