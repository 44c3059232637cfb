import { fullRange, rangeBetween, type IntegerRange, type Op, type OpDef } from '@filigree/ir';

/** What indices, digits and lengths may be, by op of the dialect `snode`. */
export const snodeRanges: Readonly<Partial<Record<string, NonNullable<OpDef['range']>>>> = {
  'snode.index': ({ attrs: { unit, lo, hi } }, [base, digit]) => {
    const least = base!.lo + Math.max(0, digit!.lo);
    const most = base!.hi + Math.min(Number(unit) - 1, digit!.hi);
    const sum = least < I32.lo || most > I32.hi ? I32 : { lo: least, hi: most };
    return typeof lo === 'number' && typeof hi === 'number'
      ? rangeBetween('i32', Math.max(sum.lo, lo), Math.min(sum.hi, hi - 1))
      : rangeBetween('i32', sum.lo, sum.hi);
  },
  'snode.clamp': ({ attrs }, [x]) => {
    const extent = Number(attrs.extent);
    if (attrs.past === true) return within(x!, extent) ? x! : rangeBetween('i32', 0, extent);
    const clamp = (n: number): number => Math.max(0, Math.min(extent - 1, n));
    return rangeBetween('i32', clamp(x!.lo), clamp(x!.hi));
  },
  'snode.extract': ({ attrs }, [x]) => digitRange(x!, Number(attrs.below), Number(attrs.extent)),
  'snode.length': ({ attrs: { most } }: Op) => rangeBetween('i32', 0, typeof most === 'number' ? most : I32.hi),
  'snode.append': () => rangeBetween('i32', 0, I32.hi),
};

const I32 = fullRange('i32');

/** Bounds of integers, both included. */
export type Bounds = Pick<IntegerRange, 'lo' | 'hi'>;

/** Whether all integers of an interval are in [0, extent). */
export const within = ({ lo, hi }: Bounds, extent: number): boolean => lo >= 0 && hi < extent;

/** The range of a digit: ⌊i ÷ below⌋ mod extent, not reduced where the extent is 0. */
export const digitRange = ({ lo, hi }: Bounds, below: number, extent: number): IntegerRange => {
  const quotient = rangeBetween('i32', Math.floor(lo / below), Math.floor(hi / below));
  return extent === 0 || within(quotient, extent) ? quotient : rangeBetween('i32', 0, extent - 1);
};
