import { mirroredPredicate } from './predicates.js';
import { integerRange } from '../dialects/integer.js';
import type { Op, Value } from '../kernel/op.js';
import { isFloat, isInteger, sameType, scalarOf } from '../kernel/type.js';
import { operandOf, pair } from './arithmetic.js';
import type { Fold, FoldContext, Scalar } from '../kernel/dialect.js';
import { preserves } from './casts.js';

/** Identities of comparisons, minima and maxima, and choices. */
export const comparison: Readonly<Record<string, Fold>> = {
  'arith.cmp': (op, c) => {
    const [a, b] = pair(op);
    const p = String(op.attrs['predicate']);
    const type = op.results[0]!.type;
    if (a.id === b.id) {
      if (p === 'lt' || p === 'gt') return c.constant(false, type);
      // NaN differs from itself.
      if (!isFloat(a.type)) return c.constant(p !== 'ne', type);
    }
    if (c.constantOf(a) !== undefined && c.constantOf(b) === undefined)
      return c.build('arith.cmp', [b, a], type, { predicate: mirroredPredicate[p]! });
    return compareUncast(op, c) ?? compareWithRange(op, c);
  },
  'arith.min': extremum,
  'arith.max': extremum,
  'arith.select': (op, c) => {
    const [condition, a, b] = [op.operands[0]!, op.operands[1]!, op.operands[2]!];
    if (a.id === b.id) return a;
    const known = c.constantOf(condition);
    if (known !== undefined) return known ? a : b;
    const inverted = operandOf(condition, 'arith.not', c);
    if (inverted) return c.build('arith.select', [inverted, b, a], a.type);
    if (sameType(condition.type, a.type)) {
      const [x, y] = [c.constantOf(a), c.constantOf(b)];
      if (x === true && y === false) return condition;
      if (x === false && y === true) return c.build('arith.not', [condition], a.type);
      return selectToLogic(op, [x, y], c);
    }
    return selectToExtremum(op, c);
  },
};

/** Numbers that are cast alike, and lose nothing by that, are compared as they are. */
const compareUncast: Fold = (op, c) => {
  const casts = pair(op).map((v) => c.defOf(v));
  const [x, y] = casts.map((cast) => (cast?.name === 'arith.cast' ? cast.operands[0]! : undefined));
  if (!x || !y || !sameType(x.type, y.type)) return undefined;
  /* Truths are not in an order. */
  if (scalarOf(x.type) === 'i1' && op.attrs['predicate'] !== 'eq' && op.attrs['predicate'] !== 'ne') return undefined;
  return preserves(scalarOf(x.type), scalarOf(op.operands[0]!.type))
    ? c.build('arith.cmp', [x, y], op.results[0]!.type, op.attrs)
    : undefined;
};

/** Integers compared with the ends of their range. */
const compareWithRange: Fold = (op, c) => {
  const [a, b] = pair(op);
  const k = c.constantOf(b);
  if (!isInteger(a.type) || k === undefined) return undefined;
  const [min, max] = integerRange(scalarOf(a.type));
  const at = (end: bigint): boolean => BigInt(k) === end;
  const p = String(op.attrs['predicate']);
  const type = op.results[0]!.type;
  if ((p === 'lt' && at(min)) || (p === 'gt' && at(max))) return c.constant(false, type);
  if ((p === 'ge' && at(min)) || (p === 'le' && at(max))) return c.constant(true, type);
  return undefined;
};

/** `min(x, x)`, and `min(min(x, k1), k2)` as `min(x, min(k1, k2))`; exact on floats too. */
function extremum(op: Op, c: FoldContext): Value | undefined {
  const [a, b] = pair(op);
  if (a.id === b.id) return a;
  if (c.constantOf(b) === undefined) {
    const inner = c.defOf(a);
    return inner?.name === op.name && inner.operands.some((v) => v.id === b.id) ? a : undefined;
  }
  const inner = c.defOf(a);
  if (inner?.name !== op.name || c.constantOf(inner.operands[1]!) === undefined) return undefined;
  return c.build(op.name, [inner.operands[0]!, c.build(op.name, [inner.operands[1]!, b], b.type)], a.type);
}

/** `c ? a : false` is `c & a`, which says more of what holds where it does; but for what a loop hands on, of which the choice says that it stays. */
const selectToLogic = (op: Op, [x, y]: readonly (Scalar | undefined)[], c: FoldContext): Value | undefined => {
  const [condition, a, b] = [op.operands[0]!, op.operands[1]!, op.operands[2]!];
  const other = x === undefined ? a : b;
  if ((x === undefined) === (y === undefined) || c.defOf(other) === undefined) return undefined;
  const holds = (x ?? !y) === true ? condition : c.build('arith.not', [condition], a.type);
  return c.build((x ?? y) === true ? 'arith.or' : 'arith.and', [holds, other], a.type);
};

/** `a < b ? a : b` is a minimum on integers; on floats a NaN tells the two apart, with `fastMath` too: a comparison does not hold with it, and a minimum is NaN. */
const selectToExtremum: Fold = (op, c) => {
  const [condition, a, b] = [op.operands[0]!, op.operands[1]!, op.operands[2]!];
  const cmp = c.defOf(condition);
  if (cmp?.name !== 'arith.cmp' || !isInteger(a.type)) return undefined;
  const [x, y] = pair(cmp);
  const straight = x.id === a.id && y.id === b.id;
  const crossed = x.id === b.id && y.id === a.id;
  if (!straight && !crossed) return undefined;
  const p = String(cmp.attrs['predicate']);
  if (p === 'eq') return b;
  if (p === 'ne') return a;
  const less = p === 'lt' || p === 'le';
  return c.build(less === straight ? 'arith.min' : 'arith.max', [a, b], a.type);
};
