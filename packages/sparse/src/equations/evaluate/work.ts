import type { BitShape } from '../sets/bits.js';
import type { Box } from '../sets/box.js';
import type { Allocate } from '../sets/memory.js';
import type { PointSet } from '../sets/point-set.js';
import type { Prepared } from './prepared.js';
import type { Slice } from './slice.js';

/** A set in a form that joins take. */
export type Store =
  | { readonly as: 'trie'; readonly set: PointSet; readonly order: readonly number[] }
  | { readonly as: 'bits'; readonly set: PointSet; readonly fastest: number };

/**
 * Work that any thread can do: plain data, on arrays that threads may share. Pieces of work that are asked for together
 * are independent. `cost` is an estimate, in visits of a trie node.
 */
export type AnyWork = { readonly cost: number } & (
  | { readonly kind: 'store'; readonly store: Store }
  /** Adds what a join finds to bits, by the codes of its result. */
  | { readonly kind: 'collect'; readonly join: Prepared; readonly bits: Uint32Array }
  | { readonly kind: 'count'; readonly join: Prepared }
  /** Adds the columns from ≤ c < to as rows. */
  | {
      readonly kind: 'turn';
      readonly target: Uint32Array;
      readonly source: Uint32Array;
      readonly shape: BitShape;
      readonly from: number;
      readonly to: number;
    }
  /** What moves bring to places from ≤ c < end, `from` a multiple of 32, at one value of the first iterator. */
  | {
      readonly kind: 'move';
      readonly slices: readonly Slice[];
      readonly x: number;
      readonly to: Box;
      readonly target: Uint32Array;
      readonly from: number;
      readonly end: number;
    }
  /** Counts points and runs among the words from ≤ w < to. */
  | { readonly kind: 'survey'; readonly bits: Uint32Array; readonly from: number; readonly to: number }
);

/** Work with an answer of some type. */
export type Work<A> = AnyWork & { readonly answer?: A };

/** A computation that asks for work to be done, and continues with the results. */
export type Steps<A> = Generator<readonly AnyWork[], A, readonly unknown[]>;

/** Where a computation runs: the memory for its arrays, and in how many parts its large works are to come. */
export interface Platform {
  readonly allocate: Allocate;
  readonly parts: number;
  /** The least cost that is worth a part of its own. */
  readonly leastPart: number;
}

/** Into how many parts to cut work of a cost. */
export const partsOf = (cost: number, { parts, leastPart }: Platform): number =>
  Math.max(1, Math.min(parts, Math.floor(cost / leastPart)));

/** 0 ≤ x < n in parts that begin at multiples of a number. */
export const cuts = (n: number, parts: number, multiple: number): readonly (readonly [from: number, to: number])[] => {
  const steps = Math.ceil(n / multiple);
  const count = Math.max(1, Math.min(parts, steps));
  return Array.from({ length: count }, (_, k) => {
    const at = (m: number): number => Math.min(n, Math.floor((m * steps) / count) * multiple);
    return [at(k), at(k + 1)] as const;
  });
};

export function* each<A>(works: readonly Work<A>[]): Steps<readonly A[]> {
  return works.length === 0 ? [] : ((yield works) as readonly A[]);
}
