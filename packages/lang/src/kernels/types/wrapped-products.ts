import type { Diagnostic } from '@filigree/ir';
import { eachInstruction, type Block, type Instruction } from '../code/code.js';
import { diagnosticAt } from '../code/origin.js';
import { isLiteral } from '../elaborate/context/term.js';
import type { Scalar, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';
import { withinBlock } from './within.js';

/**
 * Warnings about products of an integer of 32 bits and a constant that are others than JavaScript's. What is left of a division by a constant is taken, as
 * generators of random numbers do, `seed = (seed * 16807) % 2147483647`: JavaScript has all digits of the product, where it wraps here. Or its last
 * bits are, `(seed * 1103515245 + 12345) & 0x7fffffff`, which JavaScript has lost beyond 2⁵³. What is known of the number is
 * looked at; of others it is taken that they lie below what is divided by, or within the mask, as what the same expression left before does.
 */
export const wrappedProducts = (code: Block, types: Types): readonly Diagnostic[] => {
  const made = new Map<Temp, Compute>();
  const found: Diagnostic[] = [];
  const within = withinBlock(code, types);
  const product = (s: Scalar, by: number, limit: number): Compute | undefined => {
    const i = s.is === 'temp' ? made.get(s) : undefined;
    if (i?.operator === 'add' || i?.operator === 'sub') return i.args.map((x) => product(x, by, limit)).find((x) => x);
    /* What the compiler writes itself, as of random(), says which type it means. */
    if (
      i?.operator !== 'mul' ||
      i.type !== undefined ||
      !['i32', limit > WORD ? 'u32' : 'i32'].includes(types.typeOf(i.to))
    )
      return undefined;
    const factor = i.args.find(isLiteral);
    const other = i.args.find((x) => x.is === 'temp');
    if (!factor || !other) return undefined;
    const most = Math.max(...(within.of(other) ?? [by - 1]).map(Math.abs));
    return most * Math.abs(Number(factor.value)) >= limit ? i : undefined;
  };
  eachInstruction(code, (i) => {
    if (i.do !== 'compute') return;
    made.set(i.to, i);
    const [of, by] = i.args;
    const wraps = i.operator === 'rem' && isLiteral(by) ? product(of, Number(by.value), WORD) : undefined;
    if (wraps) found.push(diagnosticAt(wraps.at, 'warning', 'lang/wraps', message, remedy));
    if (!BITS.has(i.operator)) return;
    const mask = i.operator === 'bitand' ? i.args.find(isLiteral) : undefined;
    const most = mask && Number(mask.value) > 0 ? Number(mask.value) + 1 : 2 * WORD;
    const rounded = i.args.map((s) => product(s, most, EXACT)).find((x) => x);
    if (rounded) found.push(diagnosticAt(rounded.at, 'warning', 'lang/wraps', roundedMessage, roundedRemedy));
  });
  return found;
};

const WORD = 2 ** 31;
const EXACT = 2 ** 53;

const BITS: ReadonlySet<unknown> = new Set(['bitand', 'bitor', 'bitxor', 'shl', 'shr', 'ushr']);

type Compute = Instruction & { readonly do: 'compute' };

const message = 'this product wraps where 32 bits do not hold it, and JavaScript has all of its digits';
const remedy =
  'compute it in 64 bits: i32((i64(seed) * 16807) % 2147483647); or say that it wraps: Math.imul(seed, 16807)';
const roundedMessage =
  'this product may have more digits than JavaScript keeps, which loses its last bits, and is exact in its last 32 here';
const roundedRemedy = 'say that it wraps: Math.imul(seed, 1103515245), which is the same in both';
