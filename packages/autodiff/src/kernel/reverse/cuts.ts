import type { Builder, Value } from '@filigree/ir';
import { ANYTHING, type Influence } from './influence.js';

/** Where adjoints are cut off that are 0 for a whole launch: under conditions that are told by numbers, of which one holds never. */
export interface Cuts {
  /**
   * The condition under which nothing is handed on.
   *
   * @param from the values whose adjoints it comes from
   * @param to whose adjoint it goes to; nothing for that of what was there before the launch
   */
  readonly between: (from: readonly Value[], to: Value | undefined) => number;
  /** 0 where a condition holds, else what is given. */
  readonly cut: (b: Builder, condition: number, contribution: Value) => Value;
  /** The groups of fields whose bits cuts ask for; none where there are no cuts. */
  readonly unwanted: () => readonly (readonly string[])[];
}

/** The condition that never holds. */
export const UNCUT = 0;

/**
 * A kernel writes several fields, and the loss follows from one: the adjoints of the others are 0, and what is computed for them alone may multiply these
 * by what is infinite or no number. So where such values hand on to what the loss follows from, too, that is cut off. The condition is the same for
 * all of a launch, so that loops do without it.
 *
 * @param steep values whose partial derivatives may be no numbers
 * @param unwanted the bits of groups of fields from none of which the loss follows, as those of `Influence`
 */
export const cutsOf = ({ of, all, groups }: Influence, steep: Iterable<number>, unwanted: Value): Cuts => {
  const someOf = (v: Value): bigint => of.get(v.id) ?? 0n;
  const isSome = (bits: bigint): boolean => bits !== ANYTHING && (bits & all) !== all && bits < 1n << BigInt(BITS);
  const hazards = [...new Set([...steep].map((v) => of.get(v) ?? 0n))].filter((bits) => bits !== 0n && isSome(bits));
  let asked = false;
  return {
    between: (from, to) => {
      if (hazards.length === 0) return UNCUT;
      const bits = from.reduce((some, v) => some | someOf(v), 0n);
      const goesOn = to ? someOf(to) : all;
      const isBoundary = isSome(bits) && (goesOn & ~bits) !== 0n;
      return isBoundary && hazards.some((h) => (h & ~bits) === 0n) ? Number(bits) : UNCUT;
    },
    cut: (b, condition, contribution) => {
      if (condition === UNCUT) return contribution;
      asked = true;
      const mask = b.i32(condition);
      const none = b.cmp('eq', b.value('arith.and', [unwanted, mask]), mask);
      return b.select(none, b.constant(0, contribution.type), contribution);
    },
    unwanted: () => (asked ? groups.slice(0, BITS) : []),
  };
};

/* Those of an argument of 32 that are no sign. */
const BITS = 31;
