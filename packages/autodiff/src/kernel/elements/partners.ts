import type { Op, Value } from '@filigree/ir';
import { guardsIn, type Fact } from '../indices/conjuncts.js';
import type { IntegerForms } from '../indices/integer-forms.js';

/**
 * Whether elements by one coordinate each tell the iteration of a parallel loop, as partners do: `x[k]` and `x[k ^ h]` in a branch `if ((k ^ h) > k)` or `if ((k & h) === 0)`, which of two partners one alone enters. There `k | h` and `k + h` are `k ^ h`, too. So is `k - h` in a branch
 * `if ((k & h) === h)`, or `if ((k & h) !== 0)` where `h` is certainly a single bit. So sorting networks and transforms by Hadamard and Fourier are written.
 *
 * @param root the counter of the loop, or a digit of it where other coordinates tell the others
 * @param at coordinates, and the ops that touch what is there
 */
export const arePartners = (
  loop: Op,
  root: Value,
  at: readonly { readonly op: Op; readonly coordinate: Value }[],
  { madeBy, isFixed }: IntegerForms,
): boolean => {
  const [region] = loop.regions;
  if (loop.name !== 'scf.for') return false;
  const isNumber = (v: Value): boolean => madeBy(v)?.name === 'arith.constant' || isFixed(v.id);
  const same = (a: Value, b: Value): boolean =>
    a.id === b.id || (madeBy(a)?.name === 'arith.constant' && madeBy(a)?.attrs.value === madeBy(b)?.attrs.value);
  /** What the root is combined with by an op; from the root alone something may be taken. */
  const otherIn = (v: Value, names: readonly string[]): Value | undefined => {
    const op = madeBy(v);
    if (!op || !names.includes(op.name) || !op.operands.some((o) => o.id === root.id)) return undefined;
    const other = op.operands.find((o) => o.id !== root.id);
    const isTaken = op.name !== 'arith.sub' || op.operands[0].id === root.id;
    return other && isNumber(other) && isTaken ? other : undefined;
  };
  const isSingle = (v: Value): boolean => {
    const op = madeBy(v);
    const value = op?.name === 'arith.shl' ? madeBy(op.operands[0])?.attrs.value : op?.attrs.value;
    return typeof value === 'number' && (op?.name === 'arith.shl' ? value === 1 : value > 0 && Number.isInteger(Math.log2(value))); // prettier-ignore
  };
  /** By which bits partners differ, where a fact says which of two is meant, and what then gives the other one. */
  const bitsBy = ({ op, holds }: Fact): { readonly bits: Value; readonly partner: readonly string[] } | undefined => {
    if (op.name !== 'arith.cmp') return undefined;
    const { predicate } = op.attrs;
    const [a, b] = op.operands;
    const isEqual = predicate === (holds ? 'eq' : 'ne');
    for (const [x, y] of [
      [a, b],
      [b, a],
    ] as const) {
      const masked = otherIn(x, ['arith.and']);
      const isZero = madeBy(y)?.attrs.value === 0;
      if (masked && isEqual && isZero) return { bits: masked, partner: [...FLIP, 'arith.or', 'arith.add'] };
      const isUnequal = predicate === (holds ? 'ne' : 'eq');
      if (masked && ((isEqual && same(y, masked)) || (isUnequal && isZero && isSingle(masked))))
        return { bits: masked, partner: [...FLIP, 'arith.sub'] };
      const by = y.id === root.id ? otherIn(x, FLIP) : undefined;
      if (by && ORDERS.includes(String(predicate))) return { bits: by, partner: FLIP };
    }
    return undefined;
  };
  const guards = guardsIn(region, madeBy);
  const [first] = at;
  return (guards.get(first.op) ?? []).some((fact) => {
    const found = bitsBy(fact);
    if (!found) return false;
    return at.every(({ op, coordinate }) => {
      if (!guards.get(op)?.some((f) => f.op === fact.op && f.holds === fact.holds)) return false;
      const by = coordinate.id === root.id ? found.bits : otherIn(coordinate, found.partner);
      return by !== undefined && same(by, found.bits);
    });
  });
};

const FLIP = ['arith.xor'];

/** Of two partners one alone is less, and one no greater but where they are one. */
const ORDERS = ['lt', 'le', 'gt', 'ge'];
