import { type Op, type ScalarType, type Value, byteSize, isFloat, scalarOf } from '@filigree/ir';
import {
  type Expr,
  type Truncated,
  binds,
  call,
  castTo,
  expr,
  infix,
  negative,
  plainInfix,
  sum,
  within,
} from '../expr.js';
import { literal } from '../literal.js';
import { type Site, type Spelling, type Spellings, isOnLanes, onVectors, pure, typeOf } from './spelling.js';

const operandType = (op: Op): ScalarType => scalarOf(op.operands[0]!.type);

/** C computes on `int` at least; a narrower result is cut down again. */
const narrowed = (t: ScalarType, e: Expr, site: Site): Expr =>
  byteSize(t) < 4 && t !== 'i1' ? castTo(site.scalar(t), e) : e;

/* C leaves signed overflow undefined, and makes signed ints of unsigned shorts: then a helper wraps. */
const arithmetic = (helper: 'add' | 'sub' | 'mul' | 'neg', write: (a: Expr, b: Expr) => Expr): Spelling =>
  pure((op, args, site) => {
    const t = typeOf(op);
    if (isOnLanes(op) && !isFloat(t) && t.startsWith('i'))
      return call(onVectors(helper, op.results[0]!, site), ...args);
    if (isFloat(t) && isZeroMinus(op, args, site)) return call(site.helper(`${helper}_${t}`), ...args);
    const plain = isFloat(t) || t === 'u32' || t === 'u64' || !site.wraps(op.results[0]!);
    return plain ? write(args[0]!, args[1]!) : call(site.helper(`${helper}_${t}`), ...args);
  });

/*
 * g++ makes `-x` of `0 - x` where it reads there that `x` is never -0, that is of |x| and of what was an integer; at 0 that is -0
 * instead of 0. Through a function it does not read that.
 */
const isZeroMinus = (op: Op, args: readonly Expr[], site: Site): boolean => {
  if (isOnLanes(op)) return false;
  const isZero = (n: number): boolean => Number(site.constant(op.operands[n]!)) === 0;
  if (op.name === 'arith.sub') return isZero(0);
  return op.name === 'arith.add' && [0, 1].some((n) => isZero(n) && args[1 - n]!.negated !== undefined);
};

const plainProduct = arithmetic('mul', (a, b) => infix(a, '*', b, binds.product));

const product = pure((op, args, site) => site.product(op.results[0]!, plainProduct.write(op, args, site)));

const bitwise = (operator: string, strength: number): Spelling =>
  pure((op, [a, b], site) => narrowed(typeOf(op), plainInfix(a!, operator, b!, strength), site));

/* Shift amounts count modulo the width, which C leaves undefined. */
const shift = (operator: string): Spelling =>
  pure((op, [a, b], site) => {
    const t = typeOf(op);
    const mask = 8 * byteSize(t) - 1;
    const given = site.constant(op.operands[1]!);
    const amount =
      given === undefined
        ? expr(`${within(b!, binds.unary)} & ${mask}`, binds.and)
        : expr(String(Number(BigInt(given as number | string) & BigInt(mask))));
    return narrowed(t, plainInfix(a!, operator, amount, binds.shift), site);
  });

/* A divisor that is known not to be 0 or -1 needs no guard. */
const plainDivisor = (op: Op, site: Site): boolean => {
  const divisor = site.constant(op.operands[1]!);
  return divisor !== undefined && Number(divisor) !== 0 && Number(divisor) !== -1;
};

const division = (operator: '/' | '%', helper: 'div' | 'rem'): Spelling => ({
  effect: (op, site) => (isFloat(typeOf(op)) || plainDivisor(op, site) ? 'pure' : 'effect'),
  write: (op, [a, b], site) => {
    const t = typeOf(op);
    if (isFloat(t))
      return operator === '/' ? infix(a!, '/', b!, binds.product) : call(site.tokens.library('fmod', t), a!, b!);
    if (plainDivisor(op, site)) return narrowed(t, infix(a!, operator, b!, binds.product), site);
    return call(site.helper(`${helper}_${t}`), a!, b!, expr(site.status()));
  },
});

const extreme = (what: 'min' | 'max'): Spelling =>
  pure((op, args, site) => {
    if (isOnLanes(op)) return extremeOnLanes(what, op, args, site);
    const bounded = boundedCast(what, op, args, site);
    return bounded?.lo !== undefined && bounded.hi !== undefined
      ? call(
          site.helper(`${bounded.lo < 0 ? 'bound' : 'clamp'}_i32_${bounded.type}`),
          bounded.of,
          literal(bounded.lo, bounded.type),
          literal(bounded.hi, bounded.type),
        )
      : { ...unbounded(what, op, args, site), ...(bounded ? { truncated: bounded } : {}) };
  });

/** The operand of floats that is a number other than zero: one comparison tells the extreme then. */
const boundIn = (op: Op, site: Site): number =>
  op.operands.findIndex((v) => isFloat(typeOf(op)) && Math.abs(Number(site.constant(v) ?? NaN)) > 0);

const extremeOnLanes = (what: 'min' | 'max', op: Op, args: readonly Expr[], site: Site): Expr => {
  const bound = boundIn(op, site);
  const name = bound < 0 ? what : what === 'min' ? 'below' : 'above';
  return call(onVectors(name, op.results[0]!, site), ...(bound === 0 ? [args[1]!, args[0]!] : args));
};

const unbounded = (what: 'min' | 'max', op: Op, args: readonly Expr[], site: Site): Expr => {
  const type = typeOf(op);
  const bound = boundIn(op, site);
  const before = bound < 0 ? site.recurrence(op.results[0]!) : undefined;
  if (before !== undefined)
    return call(site.helper(`${what === 'min' ? 'lowest' : 'highest'}_${type}`), args[1 - before]!, args[before]!);
  return bound < 0
    ? call(site.helper(`${what}_${type}`), ...args)
    : call(site.helper(`${what === 'min' ? 'below' : 'above'}_${type}`), args[1 - bound]!, args[bound]!);
};

/**
 * A minimum or maximum of an integer that comes from a float, where the bound may as well be put on the float: it is one that
 * the float can be, and 0 is not above the upper one, so that NaN, which becomes 0, becomes the lower bound or stays 0.
 */
const boundedCast = (what: 'min' | 'max', op: Op, args: readonly Expr[], site: Site): Truncated | undefined => {
  const n = args.findIndex((a) => a.truncated !== undefined);
  const given = n < 0 ? undefined : site.constant(op.operands[1 - n]!);
  const before = args[n]?.truncated;
  if (given === undefined || !before || typeOf(op) !== 'i32') return undefined;
  const [side, bound] = [what === 'max' ? 'lo' : 'hi', Number(given)] as const;
  const exact = (side === 'lo' || bound >= 0) && (before.type === 'f64' || Math.fround(bound) === bound);
  if (!exact || before[side] !== undefined) return undefined;
  const after: Truncated = { ...before, [side]: bound };
  return (after.lo ?? 0) <= (after.hi ?? Infinity) ? after : undefined;
};

const comparisons: Readonly<Record<string, readonly [string, number]>> = {
  lt: ['<', binds.relation],
  le: ['<=', binds.relation],
  gt: ['>', binds.relation],
  ge: ['>=', binds.relation],
  eq: ['==', binds.equality],
  ne: ['!=', binds.equality],
};

/*
 * On lanes both sides are computed: compilers that see a branch there may make it one, and then give up the lanes. They do, too, where a condition is one
 * for all lanes and what it chooses from is not.
 */
const select = pure((op, [c, a, b], site) => {
  if (isOnLanes(op)) return call(onVectors('choose', op.results[0]!, site), c!, a!, b!);
  const [result] = op.results as [Value];
  const extreme = site.extreme(result);
  if (extreme) return call(site.helper(`${extreme}_${typeOf(op)}`), b!, a!);
  if (site.onLanes(result) && !site.sameOnLanes(result) && site.sameOnLanes(op.operands[0]!))
    return call(site.helper(`pick_${typeOf(op)}`), c!, a!, b!);
  return isFloat(typeOf(op)) && site.onLanes(result)
    ? call(site.helper(`choose_${typeOf(op)}`), c!, a!, b!)
    : expr(`${within(c!, binds.equality)} ? ${within(a!, binds.or)} : ${within(b!, binds.or)}`, binds.ternary);
});

const cast = pure((op, [x], site) => {
  const [from, to] = [operandType(op), typeOf(op)];
  if (from === to) return x!;
  if (isOnLanes(op) && isFloat(from) && to === 'i32' && op.attrs['fits'] !== true)
    return call(onVectors('cut', op.operands[0]!, site), x!);
  if (isOnLanes(op) && (isFloat(from) || isFloat(to)))
    return call('__builtin_convertvector', x!, expr(site.declared(op.results[0]!)));
  if (to === 'i1') return expr(`${within(x!, binds.sum)} != 0`, binds.equality);
  if (isFloat(from) && !isFloat(to) && op.attrs['fits'] !== true) {
    const whole = call(site.helper(`to_${to}_${from}`), x!);
    return to === 'i32' ? { ...whole, truncated: { of: x!, type: from as 'f32' | 'f64' } } : whole;
  }
  return castTo(site.declared(op.results[0]!), x!);
});

const bitcast = pure((op, [x], site) => {
  const [from, to] = [operandType(op), typeOf(op)];
  if (from === to) return x!;
  if (isOnLanes(op)) return castTo(site.declared(op.results[0]!), x!);
  return isFloat(from) || isFloat(to) ? call(site.helper(`bits_${to}_${from}`), x!) : castTo(site.scalar(to), x!);
});

export const arithmeticSpellings: Spellings = {
  'arith.constant': pure((op, _args, site) => {
    const [result] = op.results as [Value];
    const value = literal(op.attrs['value']!, typeOf(op), site.tokens);
    return isOnLanes(op) ? call(onVectors('splat', result, site), value) : value;
  }),
  'arith.add': arithmetic('add', sum),
  'arith.sub': arithmetic('sub', (a, b) => infix(a, '-', b, binds.sum)),
  'arith.mul': product,
  'arith.div': division('/', 'div'),
  'arith.rem': division('%', 'rem'),
  'arith.neg': arithmetic('neg', negative),
  'arith.min': extreme('min'),
  'arith.max': extreme('max'),
  'arith.and': bitwise('&', binds.and),
  'arith.or': bitwise('|', binds.or),
  'arith.xor': bitwise('^', binds.xor),
  'arith.not': pure((op, [a], site) =>
    narrowed(
      typeOf(op),
      expr(`${typeOf(op) === 'i1' && !isOnLanes(op) ? '!' : '~'}${within(a!, binds.primary)}`, binds.unary),
      site,
    ),
  ),
  'arith.shl': shift('<<'),
  'arith.shr': shift('>>'),
  'arith.cmp': pure((op, [a, b], site) => {
    const [operator, strength] = comparisons[String(op.attrs['predicate'])]!;
    const truth = expr(`${within(a!, binds.sum)} ${operator} ${within(b!, binds.sum)}`, strength);
    /* Of floats of 64 bits it has lanes of as many. */
    return isOnLanes(op) && byteSize(operandType(op)) === 8
      ? call('__builtin_convertvector', truth, expr(site.declared(op.results[0]!)))
      : truth;
  }),
  'arith.select': select,
  'arith.cast': cast,
  'arith.bitcast': bitcast,
};
