import { byteSize, isInteger } from '@filigree/ir';
import type { Cell, Instruction } from '../code/code.js';
import { intervalOf } from '../code/interval.js';
import { isReal, type Kind } from '../code/kinds.js';
import { operatorOf } from '../code/operators.js';
import type { Scalar, Temp } from '../code/scalar.js';
import { isWholeNumber, ROUNDING, STAYS_WHOLE } from '../code/whole.js';
import { wholes } from './wholes.js';

type Known = Scalar | Cell;

/**
 * Floats that are whole numbers of more digits than an f32 has, and that plain TypeScript has all digits of: products and sums of what was rounded, as of
 * `Math.floor(x) * 73856093`, and variables that are given integers of 32 bits beside floats, as `v` is by `v = (v | (v << 8)) & mask`. Where bits of them are
 * taken, or an integer is made of them, they are computed as f64.
 */
export const longWholes = (all: readonly Instruction[], kindOf: (s: Known) => Kind): ReadonlySet<Known> => {
  const whole = wholes(all, kindOf);
  const long = new Set<Known>();
  /* Of those what comes of variables that are given integers beside floats, be it whole or not. */
  const ofBoth = new Set<Known>();
  const words = new Set<Known>();
  for (const i of all) if (mayBeLarge(i) && isLongInteger(i.to, kindOf)) words.add(i.to);
  const given = (cell: Cell, value: Scalar): boolean => {
    if (cell.type !== undefined || !isReal(kindOf(cell))) return false;
    return added(ofBoth, cell, words.has(value) || ofBoth.has(value)) || added(long, cell, long.has(value));
  };
  const made = ({ operator, args, to, type }: Instruction & { do: 'compute' }): boolean => {
    if (type !== undefined || !isReal(kindOf(to)) || isShort(to)) return false;
    const of = operator === 'select' ? args.slice(1) : args;
    const has = (set: ReadonlySet<Known>): boolean => of.some((s) => set.has(s));
    const keeps = operator === 'select' || ROUNDING.has(operator as never) || STAYS_WHOLE.has(operator as never);
    if (keeps && added(ofBoth, to, has(ofBoth))) return true;
    const grows = GROWING.has(operator as never) && (has(words) || !of.some(keepsDigits));
    return added(long, to, keeps && whole.has(to) && (has(long) || grows));
  };
  const found = (i: Instruction): boolean => {
    switch (i.do) {
      case 'read':
        return added(ofBoth, i.to, ofBoth.has(i.local.cell)) || added(long, i.to, long.has(i.local.cell));
      case 'write':
        return given(i.local.cell, i.value);
      case 'compute':
        return made(i);
      default:
        return false;
    }
  };
  while (all.map(found).includes(true));
  return new Set([...long, ...ofBoth]);
};

/** Whether something is new in a set, where it belongs there. */
const added = (set: Set<Known>, s: Known, belongs: boolean): boolean =>
  belongs && !set.has(s) && set.add(s) !== undefined;

/** What gives more digits than it takes. */
const GROWING: ReadonlySet<string> = new Set(['add', 'sub', 'mul']);

/** Indices beside one another and powers of two: there are no more digits for them, but of floats that have none to spare. */
const keepsDigits = (s: Scalar): boolean =>
  s.is === 'literal' &&
  isWholeNumber(s) &&
  (Math.abs(Number(s.value)) <= 64 || isPowerOfTwo(Math.abs(Number(s.value))));

const isPowerOfTwo = (x: number): boolean => Number.isInteger(Math.log2(x));

/** Whether an f32 has all digits of what is known of it. */
const isShort = (s: Temp): boolean => intervalOf(s)?.every((x) => Math.abs(x) <= 2 ** 24) === true;

/** Whether an instruction gives integers that may have many digits, unlike the indices of loops. */
const mayBeLarge = (i: Instruction): i is Instruction & { do: 'compute' | 'load' } =>
  i.do === 'load' || (i.do === 'compute' && (i.operator === 'mul' || operatorOf(i.operator).bits === true));

/** An integer of 32 bits or more, of which it is not known that an f32 holds it. */
const isLongInteger = (s: Temp, kindOf: (s: Known) => Kind): boolean => {
  const kind = kindOf(s);
  if (kind === undefined || kind === 'int' || kind === 'i1' || kind === 'float' || isShort(s)) return false;
  return kind === 'mixed' || (isInteger(kind) && byteSize(kind) >= 4);
};
