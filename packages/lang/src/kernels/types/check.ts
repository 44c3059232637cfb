import { rare } from '#rare';
import { attrFromScalar, constantProblem, isFloat, typeText, type Diagnostic, type ScalarType } from '@filigree/ir';
import {
  eachInstruction,
  takesBits,
  typeOfPlace,
  type AtomicKind,
  type Block,
  type Cell,
  type Instruction,
  type Place,
} from '../code/code.js';
import { fits, givenKind, holds, isReal, isWhole, isWholeLiteral, joinOperands, type Kind } from '../code/kinds.js';
import { isWholeNumber } from '../code/whole.js';
import { isMisfit, operatorOf } from '../code/operators.js';
import { diagnosticAt } from '../code/origin.js';
import type { Types } from './infer.js';
import type { Interval, Scalar } from '../code/scalar.js';
import { intervalOf } from '../code/interval.js';

/** What is wrong with the types of a kernel: every operand is looked at once they are all known. */
export const checkTypes = (body: Block, types: Types): readonly Diagnostic[] => {
  const found: Diagnostic[] = [];
  /* Few kernels have a store that asks. */
  let known: ReturnType<ReturnType<typeof rare>['withinBlock']> | undefined;
  eachInstruction(body, (i) => {
    const within: Within = () => (known ??= rare().withinBlock(body, types)).storedBy(i);
    for (const { code, message, remedy } of problemsOf(i, types, within)) {
      const problem = diagnosticAt(i.at, 'error', code, message, remedy);
      /* Several instructions of one place have the same operand: a store, and what checks its index. */
      if (!found.some((d) => d.message === message && samePlace(d, problem))) found.push(problem);
    }
  });
  return found;
};

/** What the whole number that an instruction stores is known to lie in. */
type Within = () => Interval | undefined;

const samePlace = ({ loc: a }: Diagnostic, { loc: b }: Diagnostic): boolean =>
  a?.file === b?.file && a?.line === b?.line && a?.column === b?.column;

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

const problemsOf = (i: Instruction, types: Types, within: Within): readonly Problem[] => {
  switch (i.do) {
    case 'compute': {
      if (i.type !== undefined) return [];
      const { kind, operands, bits } = operatorOf(i.operator);
      const result = kind(i.args.map(types.kindOf), i.args, true);
      if (isMisfit(result)) return [{ code: 'lang/type', message: result.problem, remedy: result.remedy }];
      const [first, by] = i.args;
      const type = operands === 'joined' ? types.joinedType(i.args) : types.typeOf(i.to);
      if (i.operator === 'rem' && !isFloat(type) && by.is === 'literal' && Number(by.value) === 0)
        return [{ code: 'lang/division', message: 'this divides by zero', remedy: 'divide by another number' }];
      /* Of what is an u32 at times and signed at others, any literal is one, by its bits where they are all that is used. */
      if (bits || operands === 'as they are' || types.kindOf(i.to) === 'mixed') return [];
      return i.args.flatMap((s) => (operands === 'selected' && s === first ? [] : literalProblem(s, type)));
    }
    case 'write':
      return assigned(i.value, i.local.cell, types);
    case 'reduce':
      return assigned(i.value, i.reduction.local.cell, types);
    case 'load':
      return indices(i.place, types);
    case 'atomic':
      return bitwise(i.kind) && isFloat(typeOfPlace(i.place))
        ? [bitsOfFloats(i.place)]
        : [
            ...indices(i.place, types),
            ...(bitwise(i.kind)
              ? combined(i.value, i.place, types, within)
              : stored(i.value, i.place, types, within, isSumOfBits(i, types))),
          ];
    case 'store':
      return i.noted
        ? []
        : [...indices(i.place, types), ...stored(i.value, i.place, types, within, takesBits(i.place))];
    case 'fits':
      return (i.bits ? combined : stored)(i.value, i.place, types, within);
    case 'bounds':
      return i.values.flatMap((s) => index(s, types, i.of === 'index' ? undefined : 'a bound'));
    case 'structure':
      return i.index.flatMap((s) => index(s, types));
    case 'assume':
      return [i.x, i.base].flatMap((s) => index(s, types));
    case 'parallel':
      return i.space.over === 'range'
        ? i.space.bounds.flat().flatMap((s) => (s ? index(s, types, 'a bound') : []))
        : [];
    default:
      return [];
  }
};

const index = (s: Scalar, types: Types, what = 'an index'): readonly Problem[] => {
  const kind = types.kindOf(s);
  if (isWholeNumber(s)) return literalProblem(s, 'i32');
  if (kind === 'i1' || isReal(kind) || kind === 'i64' || kind === 'u64' || kind === 'mixed')
    return [
      {
        code: 'lang/index-type',
        message: `${what} is a whole number of 32 bits, this is ${kindText(kind)}`,
        remedy: isReal(kind) ? 'cast it: i32(Math.floor(x))' : 'cast it: i32(x)',
      },
    ];
  return [];
};

const indices = (place: Place, types: Types): readonly Problem[] => place.index.flatMap((s) => index(s, types));

/** Whether the last bits of a sum are those of what its last bits are added to, as they are in an array of integers. */
const isSumOfBits = ({ kind, place, value }: Instruction & { do: 'atomic' }, types: Types): boolean =>
  kind === 'add' && takesBits(place) && isWhole(types.kindOf(value));

const bitwise = (kind: AtomicKind): boolean => kind === 'and' || kind === 'or' || kind === 'xor';

const bitsOfFloats = (place: Place): Problem => ({
  code: 'lang/type',
  message: `bits are combined of integers, ${nameOf(place)} holds ${plural(typeOfPlace(place))}`,
  remedy: 'use a field of an integer type',
});

const nameOf = (place: Place): string => (place.of === 'field' ? `field '${place.field.name}'` : 'the array');

/** `cuts`: of what does not fit the last bits are taken. */
const stored = (value: Scalar, place: Place, types: Types, within: Within, cuts = false): readonly Problem[] => {
  const type = typeOfPlace(place);
  const own = types.kindOf(value);
  /* A variable of no stated type is an i32. */
  const kind = own === 'int' && value.is !== 'literal' ? 'i32' : own;
  const name = nameOf(place);
  if (cuts && kind !== 'i1') return [];
  if (isWholeNumber(value) && type !== 'i1') return literalProblem(value, type);
  if (fits(kind, type) || liesIn(intervalOf(value), type) || liesIn(within(), type)) return literalProblem(value, type);
  return [
    kind === 'i1' || type === 'i1'
      ? {
          code: 'lang/type',
          message: `${name} holds ${plural(type)}, this is ${kindText(kind)}`,
          remedy: truthRemedy(type),
        }
      : {
          code: 'lang/narrowing',
          message: `${name} holds ${plural(type)}, this is ${kindText(kind)}: part of it would be lost`,
          remedy: rare().narrowingRemedy(kind, type),
        },
  ];
};

/**
 * What the bits of an element are combined with: a typed array takes the last bits of 32, an u32 those of an i32, and others a literal that has no more bits than they, with a sign or
 * without: `x &= ~1` clears one.
 */
const combined = (value: Scalar, place: Place, types: Types, within: Within): readonly Problem[] => {
  const type = typeOfPlace(place);
  const kind = types.kindOf(value);
  const isSigned32 = kind === 'int' || fits(kind, 'i32');
  const isOfBits = takesBits(place)
    ? isSigned32 || fits(kind, 'u32')
    : isWholeLiteral(value)
      ? holds(type, value.value) || holds(otherSign(type), value.value)
      : type === 'u32' && isSigned32;
  return isOfBits ? [] : stored(value, place, types, within);
};

/** The integer type of as many bits that has a sign where this has none. */
const otherSign = (type: ScalarType): ScalarType =>
  (type.startsWith('u') ? type.replace('u', 'i') : type.replace('i', 'u')) as ScalarType;

/** Whether an integer that is computed with more bits is known to be one of a type of fewer: of literals, one is chosen. */
const liesIn = (within: Interval | undefined, type: ScalarType): boolean =>
  within !== undefined && within.every((x) => holds(type, x));

const assigned = (value: Scalar, cell: Cell, types: Types): readonly Problem[] => {
  const to = types.kindOf(cell);
  const kind = value.is === 'literal' ? givenKind(value) : types.kindOf(value);
  if (to === undefined || kind === undefined) return [];
  if (to === 'int') return literalProblem(value, 'i32');
  const both = joinOperands([value], [kind, to]);
  if (both === to) return [];
  const isMixed = both === 'conflict' && (to === 'i1' || kind === 'i1');
  const [own, here] = [kindText(to), kindText(kind)];
  if (cell.unnamed)
    return [
      {
        code: 'lang/type',
        message: `of values of which one is taken one is ${own}, this is ${here}`,
        remedy: isMixed ? 'compare numbers, `x !== 0`, or make numbers of all: `c ? 1 : 0`' : 'cast them to one type',
      },
    ];
  const name = `\`${cell.name}\``;
  return [
    isMixed
      ? {
          code: 'lang/type',
          message: `${name} is ${own} elsewhere, here it is given ${here}`,
          remedy: 'use two variables',
        }
      : {
          code: 'lang/type',
          message: `${name} is ${own}, which does not hold ${heldText(kind)}`,
          remedy: 'cast the value to one of the types',
        },
  ];
};

/** A literal must be a value of the type that it takes. */
const literalProblem = (s: Scalar, type: ScalarType): readonly Problem[] => {
  if (s.is !== 'literal' || typeof s.value === 'boolean' || isFloat(type) || type === 'i1') return [];
  const problem = constantProblem(attrFromScalar(plainZero(s.value), type), type);
  return problem === undefined
    ? []
    : [
        {
          code: 'lang/literal',
          message: `${String(s.value)} is no ${type}`,
          remedy: `say what it is: ${holds('u32', s.value) ? 'u32' : 'i64'}(x), f64(x)`,
        },
      ];
};

/** -0, which only floats have, as 0. */
const plainZero = (x: number | bigint): number | bigint => (Object.is(x, -0) ? 0 : x);

const kindText = (kind: Kind): string =>
  kind === 'int' || kind === undefined
    ? 'a whole number'
    : kind === 'float'
      ? 'a float'
      : kind === 'i1'
        ? 'a truth value'
        : kind === 'mixed'
          ? 'of type i64, for u32 and signed integers have that in common'
          : `of type ${typeText(kind)}`;

/** Of what is given to a name that does not hold it. */
const heldText = (kind: Kind): string =>
  kind === 'mixed'
    ? 'numbers of type i64, which u32 and signed integers have in common'
    : kind === undefined || kind === 'int' || kind === 'float'
      ? kindText(kind)
      : plural(kind);

const plural = (type: ScalarType): string => (type === 'i1' ? 'truth values' : `numbers of type ${type}`);

const truthRemedy = (type: ScalarType): string => (type === 'i1' ? 'compare it: `x !== 0`' : 'write `c ? 1 : 0`');
