import type { Mat, Vec } from './vec-types.js';

/** What one element of a grid may be. */
export type GridElement = number | boolean | Vec | Mat;

/** Elements by index: a field of a kernel, and on the host an array, a typed array, or a part of a sparse grid. */
export interface Indexed<E> {
  [index: number]: E;
  /** How many there are along the axis; not of what has no end. */
  readonly length: number;
  [Symbol.iterator](): Iterator<E>;
}

/** Fields of one to four axes, read and written as `u[i][j]`. On the host nested arrays, or what `sparseGrid` makes. */
export type Grid1<E = number> = Indexed<E>;
export type Grid2<E = number> = Indexed<Grid1<E>>;
export type Grid3<E = number> = Indexed<Grid2<E>>;
export type Grid4<E = number> = Indexed<Grid3<E>>;

/** Fields of truth values. */
export type BoolGrid1 = Grid1<boolean>;
export type BoolGrid2 = Grid2<boolean>;
export type BoolGrid3 = Grid3<boolean>;
export type BoolGrid4 = Grid4<boolean>;

/** Fields of vectors: `x[p]` is a `Vec<N>`. */
export type VecGrid1<N extends number = number> = Grid1<Vec<N>>;
export type VecGrid2<N extends number = number> = Grid2<Vec<N>>;
export type VecGrid3<N extends number = number> = Grid3<Vec<N>>;
export type VecGrid4<N extends number = number> = Grid4<Vec<N>>;

/** Fields of matrices. */
export type MatGrid1<R extends number = number, C extends number = number> = Grid1<Mat<R, C>>;
export type MatGrid2<R extends number = number, C extends number = number> = Grid2<Mat<R, C>>;
export type MatGrid3<R extends number = number, C extends number = number> = Grid3<Mat<R, C>>;
export type MatGrid4<R extends number = number, C extends number = number> = Grid4<Mat<R, C>>;
