import { inversePredicate } from './predicates.js';
import { isInteger, scalarOf } from '../kernel/type.js';
import { operandOf, pair, reassociate } from './arithmetic.js';
import type { Fold } from '../kernel/dialect.js';
import { bits, isAllOnes, isConstant, scalarFor } from './scalars.js';

const isFalse: typeof isAllOnes = (v, c) =>
  scalarOf(v.type) === 'i1' ? c.constantOf(v) === false : isConstant(v, 0, c);

/** Identities of bits and truth values. */
export const bitwise: Readonly<Record<string, Fold>> = {
  'arith.and': (op, c) => {
    const [a, b] = pair(op);
    if (a.id === b.id || isAllOnes(b, c)) return a;
    return isFalse(b, c) ? b : reassociate(op, c);
  },
  'arith.or': (op, c) => {
    const [a, b] = pair(op);
    if (a.id === b.id || isFalse(b, c)) return a;
    return isAllOnes(b, c) ? b : reassociate(op, c);
  },
  'arith.xor': (op, c) => {
    const [a, b] = pair(op);
    if (a.id === b.id) return c.constant(scalarFor(0, a.type), a.type);
    if (isFalse(b, c)) return a;
    return isAllOnes(b, c) ? c.build('arith.not', [a], a.type) : reassociate(op, c);
  },
  'arith.not': (op, c) => {
    const a = op.operands[0]!;
    const twice = operandOf(a, 'arith.not', c);
    if (twice) return twice;
    const cmp = c.defOf(a);
    if (cmp?.name !== 'arith.cmp') return undefined;
    const inverse = inversePredicate[String(cmp.attrs['predicate'])];
    // With NaN both `a < b` and `a >= b` are false, so only equality has an inverse on floats.
    const total = !scalarOf(cmp.operands[0]!.type).startsWith('f');
    const equality = inverse === 'eq' || inverse === 'ne';
    return inverse && (total || equality)
      ? c.build('arith.cmp', cmp.operands, a.type, { predicate: inverse })
      : undefined;
  },
  'arith.shl': (op, c) => shift(op, c) ?? uncut(op, c),
  'arith.shr': (op, c) => shift(op, c),
};

/** Shifts by nothing, and a shift of a shift the same way. */
const shift: Fold = (op, c) => {
  const [a, b] = pair(op);
  if (isConstant(b, 0, c)) return a;
  const inner = c.defOf(a);
  if (inner?.name !== op.name) return undefined;
  const [k1, k2] = [c.constantOf(inner.operands[1]!), c.constantOf(b)];
  if (k1 === undefined || k2 === undefined) return undefined;
  const sum = Number(k1) + Number(k2);
  if (Number(k1) < 0 || Number(k2) < 0 || sum >= bits(a.type)) return undefined;
  return c.build(op.name, [inner.operands[0]!, c.constant(scalarFor(sum, a.type), a.type)], a.type);
};

/** Bits that a shift pushes out need not be cut off before, nor before they count as of an integer of another sign. */
const uncut: Fold = (op, c) => {
  const [a, b] = pair(op);
  const by = c.constantOf(b);
  const cast = c.defOf(a);
  const from = cast?.name === 'arith.cast' ? cast.operands[0]! : undefined;
  const given = from && isInteger(from.type) && bits(from.type) === bits(a.type) ? from : a;
  const and = c.defOf(given);
  if (by === undefined || and?.name !== 'arith.and') return undefined;
  const [whole, mask] = pair(and);
  const cut = c.constantOf(mask);
  const left = bits(a.type) - Number(by);
  if (cut === undefined || Number(by) < 0 || left <= 0) return undefined;
  if (BigInt.asUintN(left, BigInt(cut as number)) !== (1n << BigInt(left)) - 1n) return undefined;
  const same = given === a ? whole : c.build('arith.cast', [whole], a.type, { to: scalarOf(a.type) });
  return c.build('arith.shl', [same, b], a.type);
};
