import type { Template } from './template.js';

/** So many sums are made side by side: an addition waits four cycles for the one before it, and two begin in each. */
export const SIDE_BY_SIDE = 4;

/** Terms of a sum from which that pays, and operations of a term up to which additions are what a sum waits for. */
const LONG = 8;
const LIGHT = 12;

interface Sums {
  readonly segments: readonly { readonly template: Template }[];
  readonly turns?: object | undefined;
}

/** Whether instances of a rolled sum are made side by side: many, long, of light terms, one segment after another. */
export const areSideBySide = ({ segments, turns }: Sums, instances: number, terms: number): boolean =>
  turns === undefined &&
  segments.length > 0 &&
  instances >= SIDE_BY_SIDE &&
  terms >= LONG * instances &&
  segments.every(({ template }) => template.graph.length <= LIGHT);
