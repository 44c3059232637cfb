import { byteSize, integerRange, isInteger, type Diagnostic, type ScalarType } from '@filigree/ir';
import { eachInstruction, typeOfPlace, type Block, type Instruction, type Local } from '../code/code.js';
import type { OperatorName } from '../code/operators.js';
import { diagnosticAt } from '../code/origin.js';
import type { TableUse } from '../elaborate/context/session.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';
import { realInterval } from './real-interval.js';
import { literalInterval } from './typed-interval.js';
import { withinBlock } from './within.js';

/**
 * Warnings about sums, differences and products of numbers of the surroundings that may be others than JavaScript's: an array of whole numbers has the first type that holds them, and
 * what is computed of them wraps in that, `table[k] * 2` of 4000000000. Nothing is said where only bits are used of what comes of it, as in hashes, nor where an u32 takes part that
 * the program says.
 */
export const wrappedTables = (code: Block, types: Types, tables: readonly TableUse[]): readonly Diagnostic[] => {
  /* What arrays that say no type lie in. */
  const ranges = new Map(
    tables.flatMap(({ untyped, buffer, values }) => (untyped ? [[buffer, rangeOf(values)] as const] : [])),
  );
  const isLoad = (i: Instruction): i is Load =>
    i.do === 'load' && i.place.of === 'buffer' && ranges.has(i.place.buffer);
  const all: Instruction[] = [];
  eachInstruction(code, (i) => all.push(i));
  const makers = new Map<Scalar, Instruction>();
  const given = new Map<Local, Scalar[]>();
  /* What loads of such arrays and sums of no stated type are. */
  const sums = new Set<Scalar>();
  /* Of what more than bits are used, and of what that is made. */
  const wanted = new Set<Scalar>();
  for (const i of all) {
    for (const s of Object.values(i).flat() as readonly unknown[])
      if (isTemp(s) && !('to' in i && i.to === s) && !isOfBits(i, s)) wanted.add(s);
    if (i.do === 'compute' || i.do === 'read') makers.set(i.to, i);
    if (isLoad(i) || (i.do === 'compute' && i.type === undefined && SUMS.has(i.operator))) sums.add(i.to);
    if (i.do === 'write') given.set(i.local, [...(given.get(i.local) ?? []), i.value]);
  }
  /* What is added while it is gone through is gone through too. */
  for (const s of wanted) {
    const i = makers.get(s);
    const from = i?.do === 'read' ? given.get(i.local) : i?.do === 'compute' && handsOn(i.operator) ? i.args : [];
    for (const part of from ?? []) if (part.is === 'temp') wanted.add(part);
  }
  const within = withinBlock(code, types);
  /* What is made of such numbers: where it lies, if that is known. */
  const made = new Map<Temp | Local, Interval | undefined>();
  const found: Diagnostic[] = [];
  const known = (s: Scalar): Interval | undefined =>
    s.is === 'literal' ? literalInterval(s) : made.has(s) ? made.get(s) : within.of(s);
  const isOpen = (s: Scalar): boolean =>
    s.is === 'literal' || made.has(s) || types.typeOf(s) !== 'u32' || within.of(s) !== undefined;
  const isSumOrLoad = (s: Scalar): boolean => s.is === 'literal' || sums.has(s);
  const isAdded = (local: Local): boolean =>
    local.cell.type === undefined &&
    types.typeOf(local.cell) === 'u32' &&
    (given.get(local)?.every(isSumOrLoad) ?? false);
  for (const i of all) {
    if (isLoad(i)) made.set(i.to, ranges.get(i.place.buffer));
    /* A variable that they are added to goes on as far as it may. */
    if (i.do === 'read' && isAdded(i.local)) made.set(i.to, undefined);
    if (i.do !== 'compute' || i.type !== undefined) continue;
    const { operator } = i;
    if (!staysWhole(operator)) continue;
    const type = types.typeOf(i.to);
    if (!i.args.some((s) => s.is === 'temp' && made.has(s)) || (type !== 'i32' && type !== 'u32')) continue;
    if (!i.args.every(isOpen)) continue;
    const result = endsOf(operator, i.args, known);
    made.set(i.to, result);
    if (KEPT.has(i.operator)) continue;
    const [least, most] = integerRange(type).map(Number);
    const wraps = result ? result[0] < least || result[1] > most : type === 'u32';
    if (wraps && wanted.has(i.to)) found.push(diagnosticAt(i.at, 'warning', 'lang/wraps', message, remedy));
  }
  return found;
};

type Load = Instruction & { readonly do: 'load'; readonly place: { readonly of: 'buffer' } };

const rangeOf = (values: readonly (number | bigint)[]): Interval => {
  const numbers = values.map(Number);
  return [numbers.reduce((a, x) => Math.min(a, x), Infinity), numbers.reduce((a, x) => Math.max(a, x), -Infinity)];
};

const isTemp = (s: unknown): s is Temp => typeof s === 'object' && s !== null && (s as Temp).is === 'temp';

/** Whether an instruction uses only bits of a number, or gives what may be used so. */
const isOfBits = (i: Instruction, s: Temp): boolean => {
  switch (i.do) {
    case 'compute':
      if (i.operator === 'cast') return i.type !== undefined && isWord(i.type);
      return BITS.has(i.operator) || handsOn(i.operator);
    case 'store':
    case 'atomic':
      return i.value === s && isWord(typeOfPlace(i.place));
    default:
      return i.do === 'write';
  }
};

const handsOn = (operator: unknown): boolean => SUMS.has(operator) || operator === 'select';

const isWord = (type: ScalarType): boolean => isInteger(type) && byteSize(type) <= 4;

const SUMS: ReadonlySet<unknown> = new Set(['add', 'sub', 'mul', 'neg']);

/* What gives such numbers again, none of them greater. */
const KEPT: ReadonlySet<unknown> = new Set(['min', 'max', 'select', 'rem']);

const staysWhole = (operator: unknown): operator is OperatorName => SUMS.has(operator) || KEPT.has(operator);

/** Where what is computed lies, where it is known of what; of a remainder of any divisor. */
const endsOf = (
  operator: OperatorName,
  args: readonly Scalar[],
  known: (s: Scalar) => Interval | undefined,
): Interval | undefined => {
  const of = operator === 'select' ? args.slice(1) : args;
  const needed = operator === 'rem' ? of.slice(0, 1) : of;
  return needed.every((s) => known(s) !== undefined) ? realInterval(operator, of, known) : undefined;
};

const BITS: ReadonlySet<unknown> = new Set(['bitand', 'bitor', 'bitxor', 'bitnot', 'shl', 'shr', 'ushr']);

const message = 'this wraps where 32 bits do not hold it, and JavaScript has all of its digits';
const remedy =
  'compute it as a float, f64(table[k]) * 2, or in 64 bits, i64(table[k]) * 2; or say that it wraps: (table[k] * 2) >>> 0';
