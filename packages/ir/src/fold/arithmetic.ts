import type { Op, Value } from '../kernel/op.js';
import { isFloat, isInteger, isWide } from '../kernel/type.js';
import type { Fold, FoldContext } from '../kernel/dialect.js';
import { bits, isConstant, isUnsigned, isZero, powerOfTwo, scalarFor } from './scalars.js';

/**
 * Identities of arithmetic. Those on floats hold to the last bit for every input, infinities and signed zeros included,
 * unless they require `fastMath`. Commutative ops have their constant on the right by now.
 */
export const arithmetic: Readonly<Record<string, Fold>> = {
  'arith.add': (op, c) => {
    const [a, b] = pair(op);
    const zero = isFloat(a.type) ? (c.fastMath ? isZero(b, c) : isConstant(b, -0, c)) : isConstant(b, 0, c);
    if (zero) return a;
    const negated = operandOf(b, 'arith.neg', c);
    if (negated) return c.build('arith.sub', [a, negated], a.type);
    const left = operandOf(a, 'arith.neg', c);
    if (left) return c.build('arith.sub', [b, left], a.type);
    return reassociate(op, c) ?? wholeOf(a, b, c) ?? wholeOf(b, a, c);
  },
  'arith.sub': (op, c) => {
    const [a, b] = pair(op);
    const zero = isFloat(a.type) && c.fastMath ? isZero(b, c) : isConstant(b, 0, c);
    if (zero) return a;
    if (a.id === b.id && (isInteger(a.type) || c.fastMath)) return c.constant(scalarFor(0, a.type), a.type);
    if (isInteger(a.type) ? isConstant(a, 0, c) : isConstant(a, -0, c) || (c.fastMath && isZero(a, c)))
      return c.build('arith.neg', [b], a.type);
    const negated = operandOf(b, 'arith.neg', c);
    if (negated) return c.build('arith.add', [a, negated], a.type);
    // x - k becomes x + (-k), so that chains of offsets meet in one form.
    if (isInteger(a.type) && c.constantOf(b) !== undefined && c.constantOf(a) === undefined)
      return c.build('arith.add', [a, c.build('arith.neg', [b], b.type)], a.type);
    return undefined;
  },
  'arith.mul': (op, c) => {
    const [a, b] = pair(op);
    if (isConstant(b, 1, c)) return a;
    if (isZero(b, c) && (isInteger(a.type) || c.fastMath)) return b;
    if (isConstant(b, -1, c) && !isUnsigned(a.type)) return c.build('arith.neg', [a], a.type);
    const [na, nb] = [operandOf(a, 'arith.neg', c), operandOf(b, 'arith.neg', c)];
    if (na && nb) return c.build('arith.mul', [na, nb], a.type);
    const joined = reassociate(op, c);
    if (joined) return joined;
    const k = powerOfTwo(b, c);
    return k === undefined ? undefined : c.build('arith.shl', [a, c.constant(scalarFor(k, a.type), a.type)], a.type);
  },
  'arith.div': (op, c) => {
    const [a, b] = pair(op);
    if (isConstant(b, 1, c)) return a;
    if (isFloat(a.type)) {
      if (isConstant(b, -1, c)) return c.build('arith.neg', [a], a.type);
      if (c.fastMath && a.id === b.id) return c.constant(1, a.type);
      const d = c.constantOf(b);
      return typeof d === 'number' && hasExactReciprocal(d, a.type === 'f32')
        ? c.build('arith.mul', [a, c.constant(1 / d, a.type)], a.type)
        : undefined;
    }
    const k = isUnsigned(a.type) ? powerOfTwo(b, c) : undefined;
    return k === undefined ? undefined : c.build('arith.shr', [a, c.constant(scalarFor(k, a.type), a.type)], a.type);
  },
  'arith.rem': (op, c) => {
    const [a, b] = pair(op);
    if (isFloat(a.type)) return undefined;
    if (isConstant(b, 1, c)) return c.constant(scalarFor(0, a.type), a.type);
    const k = isUnsigned(a.type) ? powerOfTwo(b, c) : undefined;
    if (k === undefined) return undefined;
    const mask = isWide(a.type) ? (1n << BigInt(k)) - 1n : 2 ** k - 1;
    return c.build('arith.and', [a, c.constant(mask, a.type)], a.type);
  },
  'arith.neg': (op, c) => operandOf(op.operands[0]!, 'arith.neg', c),
  'math.abs': (op, c) => {
    const a = op.operands[0]!;
    if (c.defOf(a)?.name === 'math.abs') return a;
    const negated = operandOf(a, 'arith.neg', c);
    return negated && c.build('math.abs', [negated], a.type);
  },
  'math.fma': (op, c) => {
    const [a, b, d] = [op.operands[0]!, op.operands[1]!, op.operands[2]!];
    if (isConstant(b, 1, c)) return c.build('arith.add', [a, d], a.type);
    if (isConstant(a, 1, c)) return c.build('arith.add', [b, d], a.type);
    if (c.fastMath && isZero(d, c)) return c.build('arith.mul', [a, b], a.type);
    if (c.fastMath && (isZero(a, c) || isZero(b, c))) return d;
    return undefined;
  },
  'math.pow': (op, c) => {
    const [a, b] = pair(op);
    if (isConstant(b, 1, c)) return a;
    if (!c.fastMath) return undefined;
    const one = (): Value => c.constant(scalarFor(1, a.type), a.type);
    if (isConstant(b, 2, c)) return c.build('arith.mul', [a, a], a.type);
    if (isConstant(b, -1, c)) return c.build('arith.div', [one(), a], a.type);
    /* Instructions, where a power is a call. */
    if (isConstant(b, 0.5, c)) return c.build('math.sqrt', [a], a.type);
    if (isConstant(b, -0.5, c)) return c.build('arith.div', [one(), c.build('math.sqrt', [a], a.type)], a.type);
    return undefined;
  },
};

/** `(x ∘ k1) ∘ k2` as `x ∘ (k1 ∘ k2)`: exact for integers, which wrap. */
export const reassociate = (op: Op, c: FoldContext): Value | undefined => {
  const [a, b] = pair(op);
  if ((isFloat(a.type) && !c.fastMath) || c.constantOf(b) === undefined || c.constantOf(a) !== undefined)
    return undefined;
  const inner = c.defOf(a);
  if (inner?.name !== op.name || c.constantOf(inner.operands[1]!) === undefined) return undefined;
  return c.build(op.name, [inner.operands[0]!, c.build(op.name, [inner.operands[1]!, b], b.type)], a.type);
};

/** `(x / n) · n·k + (x % n) · k` is `x · k`: a number is its quotient and rest. So it is by shifts and masks. */
const wholeOf = (high: Value, low: Value, c: FoldContext): Value | undefined => {
  if (!isInteger(high.type)) return undefined;
  const [quotient, by] = multipleOf(high, c);
  const [rest, times] = multipleOf(low, c);
  const [above, below] = [c.defOf(quotient), c.defOf(rest)];
  if (!above || !below || above.operands[0] !== below.operands[0]) return undefined;
  const [n, m] = [above, below].map((op) => op.operands[1] && wholeConstant(op.operands[1], c));
  if (n === undefined || m === undefined) return undefined;
  const isWhole =
    above.name === 'arith.div'
      ? below.name === 'arith.rem' && n === m && by === n * times
      : above.name === 'arith.shr' &&
        below.name === 'arith.and' &&
        n < BigInt(bits(high.type)) &&
        m + 1n === 1n << n &&
        by === times << n;
  if (!isWhole || times === 0n) return undefined;
  const of = above.operands[0]!;
  const factor = isWide(high.type) ? times : Number(times);
  return times === 1n ? of : c.build('arith.mul', [of, c.constant(factor, high.type)], high.type);
};

/** A value as a multiple of another one. */
const multipleOf = (v: Value, c: FoldContext): readonly [Value, bigint] => {
  const def = c.defOf(v);
  const by = def?.operands[1] && wholeConstant(def.operands[1], c);
  if (by === undefined) return [v, 1n];
  if (def!.name === 'arith.mul') return [def!.operands[0]!, by];
  /* Counts of shifts are taken modulo the width. */
  return def!.name === 'arith.shl' ? [def!.operands[0]!, 1n << (by % BigInt(bits(v.type)))] : [v, 1n];
};

/** A constant that is not negative. */
const wholeConstant = (v: Value, { constantOf }: FoldContext): bigint | undefined => {
  const constant = isInteger(v.type) ? constantOf(v) : undefined;
  return constant === undefined || typeof constant === 'boolean' || BigInt(constant) < 0n
    ? undefined
    : BigInt(constant);
};

export const pair = (op: Op): readonly [Value, Value] => [op.operands[0]!, op.operands[1]!];

/** The only operand of the op that gives `v`, where that op has this name. */
export const operandOf = (v: Value, name: string, c: FoldContext): Value | undefined => {
  const def = c.defOf(v);
  return def?.name === name ? def.operands[0] : undefined;
};

/** Powers of two whose reciprocal is a normal number: dividing by them is multiplying, to the last bit. */
const hasExactReciprocal = (d: number, single: boolean): boolean => {
  const e = Math.log2(Math.abs(d));
  const limit = single ? 126 : 1022;
  return Number.isInteger(e) && Math.abs(e) <= limit && 2 ** e === Math.abs(d);
};
