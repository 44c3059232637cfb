import type { SparseStore } from './sparse-store.js';

/** A sparse grid of the host, or the part of it at the first few indices, with the level of cells that is spoken of. */
export interface SparsePart {
  readonly store: SparseStore;
  readonly prefix: readonly number[];
  readonly level: number;
  /** The same grid, speaking of the cells so many levels further out. Throws `lang/host-grid` where there is no such level. */
  readonly outer: (steps: number) => object;
}

/** What a value of the host is a part of; undefined for plain arrays. Whoever asks need not bring what makes sparse grids along. */
export const sparsePart = (value: object): SparsePart | undefined => parts.get(value);

export const noteSparsePart = (value: object, part: SparsePart): void => void parts.set(value, part);

const parts = new WeakMap<object, SparsePart>();
