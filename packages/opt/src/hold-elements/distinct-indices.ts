import { walk, type Kernel, type Op, type Value } from '@filigree/ir';
import type { AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';

/** Whether two indices of one buffer are never the same, in any iteration of the loops around both. */
export type Distinct = (a: Value, b: Value) => boolean;

/** A sum of multiples of values, by their ids, and a number: without a limit. */
interface Sum {
  readonly terms: ReadonlyMap<number, bigint>;
  readonly offset: bigint;
}

interface Bounds {
  readonly from: Value;
  readonly to: Value;
}

/**
 * Tells indices apart by the bounds of the loops that count what they are made of: `j` and `k` where k runs to below j, rows `i` and `k` where k runs to below i.
 * Their difference is bounded by putting the bound of the innermost variable in its place, then that of the next, until a number is left.
 */
export const distinctIndices = (kernel: Kernel, forms: AffineForms, facts: Facts): Distinct => {
  const loops = new Map<number, Bounds>();
  const order = new Map<number, number>();
  const definitions = new Map<number, Op>();
  walk(kernel.body, (op) => {
    for (const v of op.results) definitions.set(v.id, op);
    if (op.name !== 'scf.for') return;
    const [from, to, step] = op.operands as readonly [Value, Value, Value];
    const by = constantIn(step, (v) => definitions.get(v.id), facts);
    const variable = op.regions[0]!.params[0]!;
    order.set(variable.id, order.size);
    if (Number(by) > 0) loops.set(variable.id, { from, to });
  });

  const sumOf = (v: Value): Sum => ({ terms: forms.coefficients(v), offset: forms.of(v).offset });

  /** The least (sign −1) or greatest (sign 1) that a sum can be; nothing where something in it has no bounds. */
  const extreme = (sum: Sum, sign: 1 | -1): bigint | undefined => {
    let { terms, offset } = sum;
    while (terms.size > 0) {
      const [id, factor] = [...terms].reduce((a, b) => (place(b[0]) > place(a[0]) ? b : a));
      const bounds = loops.get(id);
      if (!bounds) return undefined;
      const isTop = factor > 0n === sign > 0;
      const end = isTop ? bounds.to : bounds.from;
      if (!isExact(end, id)) return undefined;
      const bound = sumOf(end);
      terms = combined(new Map([...terms].filter(([other]) => other !== id)), bound.terms, factor);
      offset += factor * (bound.offset - (isTop ? 1n : 0n));
    }
    return offset;
  };

  const place = (id: number): number => order.get(id) ?? -1;

  /* Whether a bound is the sum that it is made of: then that does not leave its type. It is made of what is around the loop. */
  const isExact = (end: Value, variable: number): boolean => {
    const sum = sumOf(end);
    if ([...sum.terms.keys()].some((id) => place(id) >= place(variable))) return false;
    return sum.terms.size === 0 || isWithin(sum, forms.of(end).bits - 1);
  };

  const isWithin = (sum: Sum, bits: number): boolean => {
    const [least, most] = [extreme(sum, -1), extreme(sum, 1)];
    return least !== undefined && most !== undefined && least >= -(1n << BigInt(bits)) && most < 1n << BigInt(bits);
  };

  return (a, b) => {
    const [x, y] = [forms.of(a), forms.of(b)];
    if (x.bits !== y.bits) return false;
    const sum = { terms: combined(forms.coefficients(a), forms.coefficients(b), -1n), offset: x.offset - y.offset };
    const [least, most] = [extreme(sum, -1), extreme(sum, 1)];
    if (least === undefined || most === undefined) return false;
    /* Indices are modulo 2^bits, so what is between one of these and the next is no zero either. */
    const limit = 1n << BigInt(x.bits - 1);
    return (least > 0n || most < 0n) && least > -limit && most < limit;
  };
};

const combined = (
  a: ReadonlyMap<number, bigint>,
  b: ReadonlyMap<number, bigint>,
  factor: bigint,
): ReadonlyMap<number, bigint> => {
  const terms = new Map(a);
  for (const [id, c] of b) {
    const sum = (terms.get(id) ?? 0n) + factor * c;
    if (sum === 0n) terms.delete(id);
    else terms.set(id, sum);
  }
  return terms;
};
