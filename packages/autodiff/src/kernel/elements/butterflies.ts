import type { Op, Value } from '@filigree/ir';
import type { IntegerForms } from '../indices/integer-forms.js';
import { areEqual, factorsOf, loopProducts, productOf, type LoopProducts, type Products } from '../indices/products.js';

/**
 * Whether elements by one coordinate each tell the iteration of a parallel loop, as those of a butterfly do: `x[2 * h * q + r]` and `x[2 * h * q + r + h]`, where `k` is `h * q + r`. All are `u * (s * h * q + r + d * h) + e`, with `r` from 0 to below `h`, `e` from 0 to below `u`, and
 * whole numbers `d` that are the same or leave different remainders by `s`. So no two are one element: that would take multiples of `h` that differ by less than `h`. Where a loop goes on by multiples of `h` at a time,
 * `range(0, n, 2 * h)`, `r` may be 0 throughout: then `h` is no less than 1.
 *
 * @param root the counter of the loop, or a digit of it where other coordinates tell the others
 * What lies outside of a field is not asked for: nothing is written there, and it has no adjoint.
 */
export const areButterflies = (loop: Op, root: Value, coordinates: readonly Value[], forms: IntegerForms): boolean => {
  const all = loopProducts(loop, root, forms.madeBy, forms.liesIn);
  const indices = all ? coordinates.map(all.of) : [];
  if (!all || indices.length === 0) return false;
  return [...all.belowOf, ...unitsOf(all)].some(([low, below]) => {
    const places = indices.map((index) => placeBy(low, below, index, all));
    const [first] = places;
    if (!first || !places.every((p): p is Place => p !== undefined && isLike(p, first))) return false;
    const told = [low, first.high];
    return all.tells.every((name) => told.includes(name)) && lieApart(places, first);
  });
};

/** What a loop goes on by multiples of. */
const unitsOf = ({ step, isFixed }: LoopProducts): readonly (readonly [undefined, Products])[] => {
  const [[unit] = ['']] = step;
  return step.size === 1 && unit !== '' && factorsOf(unit).every(isFixed) ? [[undefined, new Map([[unit, 1]])]] : [];
};

/** What an index is made of: `times * (blocks * below * high + low + multiple * below) + plus`, and what is the same for all. */
interface Place {
  readonly times: number;
  readonly high: string | undefined;
  /** How often what `low` is below goes into a block, or how often at least. */
  readonly blocks: number;
  readonly isExact: boolean;
  readonly multiple: number;
  readonly plus: number;
  readonly rest: Products;
  /** What `low` is below, where that is a number. */
  readonly size: number | undefined;
}

const placeBy = (
  low: string | undefined,
  below: Products,
  index: Products,
  { isFixed, partOf }: LoopProducts,
): Place | undefined => {
  const [[unit, size] = ['', 0]] = below;
  const times = low === undefined ? 1 : (index.get(low) ?? 0);
  if (below.size !== 1 || !(size > 0) || !(times > 0) || !factorsOf(unit).every(isFixed)) return undefined;
  const whole = times * size;
  const varying = [...index].filter(([key]) => key !== low && !factorsOf(key).every(isFixed));
  if (varying.length > 1) return undefined;
  const found = varying.map(([key, n]) => {
    const names = factorsOf(key);
    const [high, ...others] = names.filter((name) => !isFixed(name));
    const fixed = productOf(names.filter(isFixed));
    if (others.length > 0) return undefined;
    if (fixed === unit) return { high, blocks: Math.abs(n / whole), isExact: true };
    const part = partOf.get(unit);
    const [[of, by] = ['', 0]] = part?.of ?? [];
    return part?.of.size === 1 && size === 1 && of === fixed
      ? { high, blocks: Math.floor(part.by * Math.abs(n / by / times)), isExact: false }
      : undefined;
  });
  const block = found.length === 0 ? { high: undefined, blocks: Infinity, isExact: false } : found[0];
  if (!block || !(block.blocks >= 1) || (block.isExact && !Number.isInteger(block.blocks))) return undefined;
  const rest = new Map(
    [...index].filter(([key]) => key !== low && key !== '' && key !== unit && !varying.some(([k]) => k === key)),
  );
  const multiple = unit === '' ? 0 : (index.get(unit) ?? 0) / whole;
  return { times, ...block, multiple, plus: index.get('') ?? 0, rest, size: unit === '' ? size : undefined };
};

const isLike = (a: Place, b: Place): boolean =>
  a.times === b.times && a.high === b.high && a.blocks === b.blocks && areEqual(a.rest, b.rest);

const lieApart = (places: readonly Place[], { times, blocks, isExact, size }: Place): boolean => {
  const least = Math.min(...places.map((p) => p.plus));
  const apart = places.map(({ multiple, plus }) => {
    const more = plus - least;
    const by = size === undefined ? 0 : Math.floor(more / (times * size));
    return { multiple: multiple + by, plus: more - by * times * (size ?? 0) };
  });
  const multiples = [...new Set(apart.map((a) => a.multiple))];
  if (!apart.every((a) => Number.isInteger(a.multiple) && a.plus < times)) return false;
  return isExact
    ? multiples.every((a, n) => multiples.slice(n + 1).every((b) => (a - b) % blocks !== 0))
    : Math.max(...multiples) - Math.min(...multiples) < blocks;
};
