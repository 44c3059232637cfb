import { rare } from '#rare';
import { isInteger, type ScalarType } from '@filigree/ir';
import { eachInstruction, takesBits, typeOfPlace, type Block, type Cell, type Instruction } from '../code/code.js';
import {
  givenKind,
  isEither64,
  isReal,
  isWholeLiteral,
  join,
  joinOperands,
  leastType,
  literalKind,
  promote,
  typeOfKind,
  type Kind,
} from '../code/kinds.js';
import { isMisfit, operatorOf, type OperatorName } from '../code/operators.js';
import type { Literal, Scalar, Temp } from '../code/scalar.js';
import { ROUNDING } from '../code/whole.js';

/** The types of all scalars of a kernel. */
export interface Types {
  /** What is known of a scalar before `int` and `float` are settled. */
  readonly kindOf: (s: Scalar | Cell) => Kind;
  readonly typeOf: (s: Temp | Cell) => ScalarType;
  /** The type in which these are compared. */
  readonly joinedType: (args: readonly Scalar[]) => ScalarType;
  /** The type a literal has where nothing around it says another. */
  readonly literalType: (literal: Literal) => ScalarType;
}

/**
 * A variable that is given a whole number which i32 does not hold, beside others of no stated type: what bits leave of it has a sign, as in plain
 * TypeScript, `let h = 2166136261; h ^= x`, so that it holds those of both.
 */
const beyondWord = ({ value }: { readonly value: number | bigint }): Kind => {
  const least = leastType(value);
  return least === 'u32' ? 'mixed' : least === 'i64' ? 'i64' : 'int';
};

/** Floats of no stated type. */
export type FloatType = 'f32' | 'f64';

/**
 * Types by three fixpoints. Forwards: a local's kind is the join of all it is assigned, a result's follows from its operands.
 * Once more: what has taken a type from others holds the literals, and the variables of no stated type, that it meets.
 * Backwards: what is still just `float` becomes f64 where it is used with f64, so that 1 / n multiplied with an f64 is not
 * rounded to f32 before; elsewhere it becomes the kernel's `float`.
 */
export const inferTypes = (body: Block, float: FloatType): Types => {
  const all: Instruction[] = [];
  eachInstruction(body, (i) => all.push(i));
  const kinds = new Map<Temp | Cell, Kind>();
  const kindOf = (s: Scalar | Cell): Kind => {
    if ('is' in s && s.is === 'literal') return literalKind(s);
    return s.type ?? kinds.get(s);
  };
  /* What instructions define that state the type takes nothing from others. */
  const open = all.filter((i) => !isStated(i));
  for (const settled of [false, true]) while (widened(open, kinds, kindOf, settled));

  const long: ReadonlySet<Scalar | Cell> = mayBeLong(all, kindOf) ? rare().longWholes(all, kindOf) : new Set();
  const alone: ReadonlySet<Scalar | Cell> =
    long.size > 0 || [...kinds.values()].includes('mixed') ? rare().bitsAlone(all, kinds, kindOf, long) : new Set();
  const wide = new Set<Temp | Cell>();
  /* The last first, as that is the way in which they ask. */
  const users = float === 'f32' || long.size > 0 ? all.filter((i) => asks.has(i.do)).reverse() : [];
  const wider: Wider = { wide, long, alone, isQuotient: quotientsIn(all) };
  let asked = users.length > 0;
  while (asked) {
    asked = false;
    for (const i of users) if (backwards(i, wider, kindOf)) asked = true;
  }

  const typeOf = (s: Temp | Cell): ScalarType => {
    if (alone.has(s)) return 'i32';
    if (wide.has(s)) return 'f64';
    const kind = kindOf(s);
    if (kind === 'float') return float;
    return kind === undefined ? 'i32' : typeOfKind(kind);
  };
  const joinedType = (args: readonly Scalar[]): ScalarType => {
    const kind = joinOperands(args, args.map(kindOf), true);
    if (kind === 'conflict') throw new Error('operands without a common type are left after the check');
    if (kind === 'float' && args.some((s) => wide.has(s as Temp))) return 'f64';
    if (isReal(kind) && args.some((s) => wide.has(s as Temp) && long.has(s))) return 'f64';
    if (kind === 'float') return float;
    return kind === undefined ? 'i32' : typeOfKind(kind);
  };
  const literalType = (l: Literal): ScalarType => {
    const kind = literalKind(l);
    if (kind === 'float') return float;
    return kind === 'int' ? leastType(l.value as number | bigint) : typeOfKind(kind ?? 'int');
  };
  return { kindOf, typeOf, joinedType, literalType };
};

type Kinds = Map<Temp | Cell, Kind>;

/** Whether an instruction defines nothing whose kind is to be found. */
const isStated = (i: Instruction): boolean => {
  switch (i.do) {
    case 'read':
    case 'compute':
    case 'load':
      return i.to.type !== undefined;
    case 'write':
      return i.local.cell.type !== undefined;
    case 'reduce':
      return i.reduction.local.cell.type !== undefined;
    case 'given':
      return false;
    default:
      return true;
  }
};

/** Instructions by which operands may become f64. */
const asks: ReadonlySet<Instruction['do']> = new Set([
  'read',
  'write',
  'reduce',
  'store',
  'atomic',
  'compute',
  'given',
]);

/**
 * Goes through all instructions once, widening what they define. Values are computed before they are used, so that this is
 * enough, unless it widens a cell that an instruction before has looked at: whether it did.
 */
const widened = (
  all: readonly Instruction[],
  kinds: Kinds,
  kindOf: (s: Scalar | Cell) => Kind,
  settled: boolean,
): boolean => {
  const seen = new Set<Cell>();
  let again = false;
  for (const i of all) {
    if (i.do === 'write' || i.do === 'reduce') {
      const { cell } = i.do === 'write' ? i.local : i.reduction.local;
      /* What is written is joined with what the cell is already. */
      while (forwards(i, kinds, kindOf, settled)) again ||= seen.has(cell);
      seen.add(cell);
    } else {
      forwards(i, kinds, kindOf, settled);
      if (i.do === 'read') seen.add(i.local.cell);
    }
  }
  return again;
};

/** Widens what an instruction defines; whether anything changed. */
const forwards = (i: Instruction, kinds: Kinds, kindOf: (s: Scalar | Cell) => Kind, settled: boolean): boolean => {
  const widen = (what: Temp | Cell, by: Kind | 'conflict'): boolean => {
    if (what.type !== undefined || by === 'conflict') return false;
    const before = kinds.get(what);
    const joined = join(before, by);
    if (joined === 'conflict' || joined === before) return false;
    kinds.set(what, joined);
    return true;
  };
  /* What 3n is follows at last from all else. */
  const open = (s: Scalar): boolean => !settled && isEither64(s);
  const given = (cell: Cell, value: Scalar): Kind | 'conflict' => {
    const before = kinds.get(cell);
    if (open(value)) return before;
    const kind = value.is === 'literal' ? givenKind(value) : kindOf(value);
    if (settled && before === 'int' && !cell.unnamed && isWholeLiteral(value)) return beyondWord(value);
    /* What is chosen among literals holds them all; a variable of the source that is given no more than these is an i32. */
    return settled && (before !== 'int' || cell.unnamed)
      ? joinOperands([value], [kind, before], cell.unnamed)
      : join(kind, before);
  };
  switch (i.do) {
    case 'read':
      return widen(i.to, kindOf(i.local.cell));
    case 'write':
      return widen(i.local.cell, given(i.local.cell, i.value));
    case 'reduce': {
      /* As the sum it stands for: of integers below 32 bits an i32. */
      const kind = given(i.reduction.local.cell, i.value);
      return widen(i.reduction.local.cell, kind === 'conflict' ? kind : promote(kind));
    }
    case 'compute': {
      if (i.type !== undefined) return widen(i.to, i.type);
      const args = i.args.map((s) => (open(s) ? undefined : kindOf(s)));
      const kind = operatorOf(i.operator).kind(args, i.args, settled);
      return isMisfit(kind) ? false : widen(i.to, kind);
    }
    case 'given':
      i.values.forEach((v, n) => {
        widen(i.to[n], kindOf(v));
        widen(i.seeds[n], kindOf(v));
      });
      return false;
    case 'load':
      /* Of a table of fractions, which is there in every type. */
      return widen(i.to, 'float');
    default:
      return false;
  }
};

/** Who becomes f64, and who may. */
interface Wider {
  readonly wide: Set<Temp | Cell>;
  /** Whole numbers of more digits than f32 has. */
  readonly long: ReadonlySet<Scalar | Cell>;
  /** Variables of which only the bits are used. */
  readonly alone: ReadonlySet<Scalar | Cell>;
  readonly isQuotient: (s: Scalar) => boolean;
}

/** Whether there may be whole numbers of more digits than f32 has, of which integers or bits are made. */
const mayBeLong = (all: readonly Instruction[], kindOf: (s: Scalar | Cell) => Kind): boolean =>
  all.some((i) => i.do === 'compute' && isMadeWhole(i) && isReal(kindOf(i.args[0]))) &&
  all.some(
    (i) =>
      (i.do === 'compute' && ROUNDING.has(i.operator as OperatorName) && kindOf(i.to) === 'f32') ||
      (i.do === 'write' && kindOf(i.local.cell) === 'f32' && isWord(kindOf(i.value))),
  );

/** Whether bits or an integer are made of what this takes. */
const isMadeWhole = ({ operator, type }: Instruction & { do: 'compute' }): boolean =>
  operator === 'cast' ? type !== undefined && type !== 'i1' && isInteger(type) : operatorOf(operator).bits === true;

const isWord = (k: Kind): boolean => k !== undefined && k !== 'i1' && k !== 'int' && !isReal(k);

/** Whether what an operation takes is to be f64: for bits it is, as in plain TypeScript, whatever comes of it. */
const asksFor = (i: Instruction & { do: 'compute' }, isWide: (s: Scalar) => boolean): boolean => {
  const { operands, bits } = operatorOf(i.operator);
  return bits === true || (operands === 'joined' ? i.args.some(isWide) : isWide(i.to));
};

/**
 * Whether a value is a quotient, or what rounding leaves of one: of two integers an integer that is made of it is right for all, as in plain TypeScript,
 * `i32(k / 7)`.
 */
const quotientsIn = (all: readonly Instruction[]): ((s: Scalar) => boolean) => {
  const found = new Set<Scalar>();
  for (const i of all)
    if (
      i.do === 'compute' &&
      (i.operator === 'div' || (ROUNDING.has(i.operator as OperatorName) && found.has(i.args[0])))
    )
      found.add(i.to);
  return (s) => found.has(s);
};

/** Turns operands that are just `float` into f64 if they are used with f64; returns whether that changed any. */
const backwards = (
  i: Instruction,
  { wide, long, alone, isQuotient }: Wider,
  kindOf: (s: Scalar | Cell) => Kind,
): boolean => {
  const isWide = (s: Scalar | Cell): boolean => kindOf(s) === 'f64' || wide.has(s as Temp);
  const ask = (s: Scalar | Cell): boolean => {
    if (('is' in s && s.is === 'literal') || wide.has(s) || alone.has(s)) return false;
    if (kindOf(s) !== 'float' && !long.has(s)) return false;
    wide.add(s);
    return true;
  };
  const askAll = (list: readonly (Scalar | Cell)[], by: boolean): boolean => by && list.map(ask).includes(true);
  switch (i.do) {
    case 'read':
      return askAll([i.local.cell, i.to], isWide(i.to) || isWide(i.local.cell));
    case 'write':
      return askAll([i.value], isWide(i.local.cell) || alone.has(i.local.cell));
    case 'reduce':
      return askAll([i.value], isWide(i.reduction.local.cell));
    case 'store':
      return askAll([i.value], (typeOfPlace(i.place) === 'f64' || takesBits(i.place)) && !i.noted);
    case 'atomic':
      return askAll([i.value], typeOfPlace(i.place) === 'f64');
    case 'given':
      return i.values
        .map((v, n) => {
          const all = [i.to[n], i.seeds[n], v, ...(i.near ? [i.near[n]] : [])];
          return askAll(all, all.some(isWide));
        })
        .includes(true);
    case 'compute':
      if (i.type !== undefined)
        return askAll(i.args, i.type === 'f64' || (isMadeWhole(i) && (isQuotient(i.args[0]) || long.has(i.args[0]))));
      return askAll(i.args, asksFor(i, isWide));
    default:
      return false;
  }
};
