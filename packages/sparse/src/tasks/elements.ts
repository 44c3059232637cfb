import { counter, determines, type Form } from './forms.js';

/** How many elements there are along each axis; `undefined` where there is no end. */
export type Extents = readonly (number | undefined)[];

/**
 * Which elements each iteration of a loop touches, as text, if no two iterations touch the same: then its parameters follow from
 * the index, which is within bounds as far as they do. Along other axes an iteration may go anywhere.
 *
 * @param index the forms of an index
 * @param params those of the loop's parameters, whose texts begin with `%`
 */
export const ownText = (
  index: readonly (Form | undefined)[],
  params: readonly Form[],
  extents: Extents | undefined,
): string | undefined => {
  if (!extents || params.length === 0) return undefined;
  const telling = index.map((f, n) => (f && depends(f) && isWithin(f, extents[n]) ? f : undefined));
  if (!determines(telling, params)) return undefined;
  return telling.flatMap((f, n) => (f ? [`${n}=${f.text}`] : [])).join();
};

/** What `ownText` says of a loop over all elements of so many along each axis, of which each iteration touches its own. */
export const elementsText = (extents: readonly number[]): string =>
  extents.map((extent, n) => `${n}=${counter(`%${n}`, [0, extent - 1]).text}`).join();

/** Whether an index takes on all elements there are while these counters take on all their values. */
export const coverage = (
  index: readonly (Form | undefined)[],
  counters: readonly Form[],
  extents: Extents | undefined,
): boolean => {
  if (!extents || !index.every((f, n) => f !== undefined && isWithin(f, extents[n]))) return false;
  const elements = extents.reduce<number>((n, e) => n * (e ?? Infinity), 1);
  const [only] = index;
  if (index.length === 1 && only?.distinct === true && isWithin(only, extents[0])) return sizeOf(only) === elements;
  const used = counters.filter((c) => index.some((f) => f!.text.includes(c.text)));
  const iterations = used.reduce((n, c) => n * sizeOf(c), 1);
  return elements === iterations && determines(index, used);
};

const isWithin = ({ range }: Form, extent: number | undefined): boolean =>
  extent === undefined || (range !== undefined && range[0] >= 0 && range[1] < extent);

const depends = ({ text }: Form): boolean => text.includes('%') && !/\bc-?\d/.test(text);

const sizeOf = ({ range }: Form): number => (range ? range[1] - range[0] + 1 : Infinity);
