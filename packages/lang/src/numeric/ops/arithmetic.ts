import type { NumericOps } from './numeric-ops.js';
import { failAt, placed, type Site } from '../../source/place.js';
import { isPrimitive, type Fn1, type Fn2, type Symbols, type Value } from './symbols.js';

type BinaryName = keyof NumericOps & ('add' | 'sub' | 'mul' | 'div' | 'rem' | 'pow' | 'lt' | 'le' | 'gt' | 'ge');

/**
 * Arithmetic, comparison and bit operators. Each function tests for two numbers first and is small, so that V8 inlines it.
 */
export const bindArithmetic = (symbols: Symbols) => {
  const { ops, source, isSymbolic, isPredicate, isTruth, truthOf, at, requireNumber, nonNumeric } = symbols;
  /* What may stand beside a symbol: numbers, truth values and symbols. */
  const isScalar = (x: unknown): boolean => typeof x === 'number' || typeof x === 'boolean';
  const checkPlain = (what: string, a: unknown, b: unknown, site: Site): void => {
    for (const x of [a, b]) if (!isPrimitive(x)) nonNumeric(what, x, site);
  };

  /** The path of a binary operator where an operand is not a number. */
  const general = (what: string, name: BinaryName, plain: (a: never, b: never) => Value): Fn2 => {
    const run = (ops[name] as (a: Value, b: Value) => Value).bind(ops);
    const compute = plain as (a: Value, b: Value) => Value;
    return (a, b, site) => {
      const symbolicA = isSymbolic(a);
      const symbolicB = isSymbolic(b);
      if (symbolicA || symbolicB) {
        if (!symbolicA && !isScalar(a)) nonNumeric(what, a, site);
        if (!symbolicB && !isScalar(b)) nonNumeric(what, b, site);
        try {
          return run(a, b);
        } catch (e) {
          throw placed(source, site, e);
        }
      }
      checkPlain(what, a, b, site);
      return compute(a, b);
    };
  };

  const generalAdd = general('`+`', 'add', (a: number, b: number) => a + b);
  const generalSub = general('`-`', 'sub', (a: number, b: number) => a - b);
  const generalMul = general('`*`', 'mul', (a: number, b: number) => a * b);
  const generalDiv = general('`/`', 'div', (a: number, b: number) => a / b);
  const generalRem = general('`%`', 'rem', (a: number, b: number) => a % b);
  const generalPow = general('`**`', 'pow', (a: number, b: number) => a ** b);
  const generalLt = general('`<`', 'lt', (a: number, b: number) => a < b);
  const generalLe = general('`<=`', 'le', (a: number, b: number) => a <= b);
  const generalGt = general('`>`', 'gt', (a: number, b: number) => a > b);
  const generalGe = general('`>=`', 'ge', (a: number, b: number) => a >= b);

  /* The four that programs are made of, written out: each calls one function, which V8 inlines. What refuses other operands is not asked about them before. */
  const asksFirst = ops.refusesOthers !== true;
  const refused = (otherwise: Fn2, a: Value, b: Value, site: Site, e: unknown): Value => {
    for (const x of [a, b]) if (!isSymbolic(x) && !isScalar(x)) return otherwise(a, b, site);
    throw placed(source, site, e);
  };
  const symbolicAdd: Fn2 = (a, b, site) => {
    if (asksFirst || (typeof a !== 'object' && typeof b !== 'object')) return generalAdd(a, b, site);
    try {
      return ops.add(a as number, b as number);
    } catch (e) {
      return refused(generalAdd, a, b, site, e);
    }
  };
  const symbolicSub: Fn2 = (a, b, site) => {
    if (asksFirst || (typeof a !== 'object' && typeof b !== 'object')) return generalSub(a, b, site);
    try {
      return ops.sub(a as number, b as number);
    } catch (e) {
      return refused(generalSub, a, b, site, e);
    }
  };
  const symbolicMul: Fn2 = (a, b, site) => {
    if (asksFirst || (typeof a !== 'object' && typeof b !== 'object')) return generalMul(a, b, site);
    try {
      return ops.mul(a as number, b as number);
    } catch (e) {
      return refused(generalMul, a, b, site, e);
    }
  };
  const symbolicDiv: Fn2 = (a, b, site) => {
    if (asksFirst || (typeof a !== 'object' && typeof b !== 'object')) return generalDiv(a, b, site);
    try {
      return ops.div(a as number, b as number);
    } catch (e) {
      return refused(generalDiv, a, b, site, e);
    }
  };

  const add: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a + b : symbolicAdd(a, b, site));
  const sub: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a - b : symbolicSub(a, b, site));
  const mul: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a * b : symbolicMul(a, b, site));
  const div: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a / b : symbolicDiv(a, b, site));
  const rem: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a % b : generalRem(a, b, site));
  const pow: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a ** b : generalPow(a, b, site));
  const lt: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a < b : generalLt(a, b, site));
  const le: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a <= b : generalLe(a, b, site));
  const gt: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a > b : generalGt(a, b, site));
  const ge: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a >= b : generalGe(a, b, site));

  /** Equality is defined on everything; a symbol equals no string, object or missing value. */
  const equality =
    (what: string, negated: boolean, loose: boolean): Fn2 =>
    (a, b, site) => {
      const symbolicA = isSymbolic(a);
      const symbolicB = isSymbolic(b);
      /* Whether there is anything may be asked of all. */
      if (isThere(a) && isThere(b)) for (const x of [a, b]) requireNumber(x, site);
      if (!symbolicA && !symbolicB) return (loose ? looselyEqual(a, b) : a === b) !== negated;
      const other = symbolicA ? b : a;
      const comparable = typeof other === 'number' || typeof other === 'boolean' || isSymbolic(other);
      /* JavaScript never finds true === 1, an expression cannot tell them apart. */
      if (comparable && !loose && isTruth(a) !== isTruth(b)) {
        failAt(
          source,
          site,
          'lang/non-numeric',
          `${what} compares a truth value with a number`,
          'compare like with like: write `condition` or `!condition` instead of comparing it, or `condition ? 1 : 0` for a number',
        );
      }
      if (comparable) return at(site, () => (negated ? ops.ne : ops.eq)(a, b));
      if (loose && typeof other === 'string') return nonNumeric(what, other, site);
      return negated;
    };
  const generalEq = equality('`===`', false, false);
  const generalNe = equality('`!==`', true, false);
  const eq: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a === b : generalEq(a, b, site));
  const ne: Fn2 = (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? a !== b : generalNe(a, b, site));
  const looseEq = equality('`==`', false, true);
  const looseNe = equality('`!=`', true, true);

  const unary =
    (what: string, plain: (a: number) => Value, symbolic: (a: Value) => Value): Fn1 =>
    (a, site) => {
      if (typeof a === 'number') return plain(a);
      if (isSymbolic(a)) return at(site, () => symbolic(a));
      if (!isPrimitive(a)) nonNumeric(what, a, site);
      return plain(a as number);
    };

  const neg = unary(
    '`-`',
    (a) => -a,
    (a) => ops.neg(a),
  );
  const pos = unary(
    '`+`',
    (a) => +a,
    (a) => a,
  );
  const inc = unary('`++`', increment(1), (a) => ops.add(a, 1));
  const dec = unary('`--`', increment(-1), (a) => ops.sub(a, 1));
  const num = unary(
    '`Number`',
    (a) => Number(a),
    (a) => a,
  );
  const plainTruth = (a: Value, site: Site): boolean => {
    requireNumber(a, site);
    return Boolean(a);
  };
  const not: Fn1 = (a, site) => (isSymbolic(a) ? at(site, () => ops.not(truthOf(a))) : !plainTruth(a, site));
  const bool: Fn1 = (a, site) => (isSymbolic(a) ? at(site, () => truthOf(a)) : plainTruth(a, site));
  /** `typeof`: a symbolic number is a number to the code that asks. */
  const typeOf = (a: unknown): string => (isSymbolic(a) ? (isPredicate(a) ? 'boolean' : 'number') : typeof a);
  /** The value of `x++`, after the assignment in `updated` was made. */
  const old = (before: unknown, updated: unknown): Value => (
    void updated,
    typeof before === 'number' || isSymbolic(before) || typeof before === 'bigint' ? before : Number(before)
  );

  const bitwise =
    (what: string, plain: (a: number, b: number) => number): Fn2 =>
    (a, b, site) => {
      if (typeof a === 'number' && typeof b === 'number') return plain(a, b);
      if (isSymbolic(a) || isSymbolic(b)) {
        failAt(
          source,
          site,
          'lang/bitwise',
          `${what} is applied to a symbolic value`,
          'symbolic values are real numbers, not bits: use Math.trunc or Math.floor, or compute the integer from plain numbers',
        );
      }
      checkPlain(what, a, b, site);
      return plain(a as number, b as number);
    };
  const bitAnd = bitwise('`&`', (a, b) => a & b);
  const bitOr = bitwise('`|`', (a, b) => a | b);
  const bitXor = bitwise('`^`', (a, b) => a ^ b);
  const shl = bitwise('`<<`', (a, b) => a << b);
  const shr = bitwise('`>>`', (a, b) => a >> b);
  const ushr = bitwise('`>>>`', (a, b) => a >>> b);
  const complement = bitwise('`~`', (x) => ~x);
  const bitNot: Fn1 = (a, site) => complement(a, 0, site);

  return {
    add,
    sub,
    mul,
    div,
    rem,
    pow,
    lt,
    le,
    gt,
    ge,
    eq,
    ne,
    looseEq,
    looseNe,
    neg,
    pos,
    inc,
    dec,
    num,
    not,
    bool,
    typeOf,
    old,
    bitAnd,
    bitOr,
    bitXor,
    shl,
    shr,
    ushr,
    bitNot,
  };
};

const increment =
  (by: 1 | -1) =>
  (a: number | bigint): number | bigint =>
    typeof a === 'bigint' ? a + BigInt(by) : Number(a) + by;

const isThere = (x: unknown): boolean => x !== undefined && x !== null;

// oxlint-disable-next-line eqeqeq -- the meaning of the user's own `==`
const looselyEqual = (a: unknown, b: unknown): boolean => a == b;
