import { mirroredPredicate, type Op, type Value } from '@filigree/ir';
import { guardsIn, type Fact } from '../indices/conjuncts.js';
import type { IntegerForms } from '../indices/integer-forms.js';

/**
 * Whether elements by one coordinate each tell the iteration of a parallel loop, as partners do: `x[k]` and `x[k ^ h]` in a branch `if ((k ^ h) > k)` or `if ((k & h) === 0)`, which of two partners one alone enters. There `k | h` and `k + h` are `k ^ h`, too. So sorting networks and transforms by Hadamard and Fourier are written.
 *
 * @param at coordinates, and the ops that touch what is there
 */
export const arePartners = (
  loop: Op,
  at: readonly { readonly op: Op; readonly coordinate: Value }[],
  { madeBy, isFixed }: IntegerForms,
): boolean => {
  const [region] = loop.regions;
  const [counter] = region.params;
  if (loop.name !== 'scf.for') return false;
  const isNumber = (v: Value): boolean => madeBy(v)?.name === 'arith.constant' || isFixed(v.id);
  /** What the counter is combined with by an op. */
  const otherIn = (v: Value, names: readonly string[]): Value | undefined => {
    const op = madeBy(v);
    if (!op || !names.includes(op.name) || !op.operands.some((o) => o.id === counter.id)) return undefined;
    const other = op.operands.find((o) => o.id !== counter.id);
    return other && isNumber(other) ? other : undefined;
  };
  /** By which bits partners differ, where a fact says which of two is meant. */
  const bitsBy = ({ op, holds }: Fact): { readonly bits: Value; readonly areOff: boolean } | undefined => {
    if (op.name !== 'arith.cmp') return undefined;
    const { predicate } = op.attrs;
    const [a, b] = op.operands;
    const [bits, zero] = [otherIn(a, ['arith.and']), madeBy(b)?.attrs.value];
    if (bits && zero === 0 && predicate === (holds ? 'eq' : 'ne')) return { bits, areOff: true };
    for (const [x, y, is] of [
      [a, b, String(predicate)],
      [b, a, mirroredPredicate[String(predicate)]],
    ] as const) {
      const by = y.id === counter.id ? otherIn(x, ['arith.xor']) : undefined;
      if (by && (is === 'gt' || is === 'lt') && holds) return { bits: by, areOff: false };
    }
    return undefined;
  };
  const same = (a: Value, b: Value): boolean =>
    a.id === b.id || (madeBy(a)?.name === 'arith.constant' && madeBy(a)?.attrs.value === madeBy(b)?.attrs.value);
  const guards = guardsIn(region, madeBy);
  const [first] = at;
  return (guards.get(first.op) ?? []).some((fact) => {
    const found = bitsBy(fact);
    if (!found) return false;
    const partner = found.areOff ? ['arith.xor', 'arith.or', 'arith.add'] : ['arith.xor'];
    return at.every(({ op, coordinate }) => {
      if (!guards.get(op)?.some((f) => f.op === fact.op && f.holds === fact.holds)) return false;
      const by = coordinate.id === counter.id ? found.bits : otherIn(coordinate, partner);
      return by !== undefined && same(by, found.bits);
    });
  });
};
