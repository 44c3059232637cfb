import type { UnaryFunction } from '@filigree/ir';
import type { AlgebraName } from './algebra.js';

/**
 * A vector of N numbers, made by `vec`. It is read by index, by name (`v.x`, `v.zyx`) and by destructuring, and its components may be
 * assigned to; all operations give new ones: `add`, `sub`, `mul`, … take a vector of the same length or a number that goes with every element; every function of `math` with
 * one argument is also a method that maps the elements.
 */
export type Vec<N extends number = number> = VecAlgebra<N> & VecMaps<N> & NamedElements<N> & NamedParts<N>;

/** A matrix of R rows and C columns, made by `mat`, with the rows `m[0]`, `m[1]`, … as vectors. */
export type Mat<R extends number = number, C extends number = number> = MatAlgebra<R, C> & MatMaps<R, C>;

type CrossProduct<N extends number> = number extends N
  ? Vec<3> | number
  : N extends 3
    ? Vec<3>
    : N extends 2
      ? number
      : never;

/* Functions of each element alone. */
type VecMaps<N extends number> = { readonly [K in UnaryFunction | 'neg']: () => Vec<N> };
type MatMaps<R extends number, C extends number> = { readonly [K in UnaryFunction | 'neg']: () => Mat<R, C> };

/* `v.x`; up to four of them in any order are a vector, `v.zx`. */
type NamedElements<N extends number> = Pick<{ [K in Letter]: number }, Names<N, 'x', XY, XYZ, Letter>>;
type NamedParts<N extends number> = Pick<
  { [K in Pair<Letter>]: Vec<2> } & { [K in Triple<Letter>]: Vec<3> } & { [K in Quadruple<Letter>]: Vec<4> },
  Names<N, Part<'x'>, Part<XY>, Part<XYZ>, Part<Letter>>
>;

type XY = 'x' | 'y';
type XYZ = XY | 'z';
type Letter = XYZ | 'w';
type Pair<L extends string> = `${L}${L}`;
type Triple<L extends string> = `${L}${L}${L}`;
type Quadruple<L extends string> = `${L}${L}${L}${L}`;
type Part<L extends string> = Pair<L> | Triple<L> | Quadruple<L>;

/* The names that vectors of 1, 2, 3 and more elements have. */
type Names<N extends number, A, B, C, D> = number extends N
  ? never
  : N extends 1
    ? A
    : N extends 2
      ? B
      : N extends 3
        ? C
        : D;

export interface VecAlgebra<N extends number> {
  readonly length: N;
  [index: number]: number;
  [Symbol.iterator](): Iterator<number>;

  add(b: Vec<N> | number): Vec<N>;
  sub(b: Vec<N> | number): Vec<N>;
  /** Element by element. */
  mul(b: Vec<N> | number): Vec<N>;
  /** Element by element, real division. */
  div(b: Vec<N> | number): Vec<N>;
  hadamard(b: Vec<N>): Vec<N>;
  /** Remainder with the sign of this vector's elements, as `%`. */
  rem(b: Vec<N> | number): Vec<N>;
  min(b: Vec<N> | number): Vec<N>;
  max(b: Vec<N> | number): Vec<N>;
  pow(b: Vec<N> | number): Vec<N>;

  dot(b: Vec<N>): number;
  /** Of vectors of 3 a vector, of vectors of 2 a number. */
  cross(b: Vec<N>): CrossProduct<N>;
  /** The matrix of all products of an element of this vector with one of `b`. */
  outer<M extends number>(b: Vec<M>): Mat<N, M>;
  norm(): number;
  normSquared(): number;
  /** Divided by its norm; not a number where that is zero. */
  normalized(): Vec<N>;
  sum(): number;
  /** The least element. */
  least(): number;
  /** The greatest element. */
  greatest(): number;
}

export interface MatAlgebra<R extends number, C extends number> {
  readonly rows: R;
  readonly columns: C;
  readonly length: R;
  [row: number]: Vec<C>;
  [Symbol.iterator](): Iterator<Vec<C>>;

  add(b: Mat<R, C>): Mat<R, C>;
  sub(b: Mat<R, C>): Mat<R, C>;
  /** By a number, or the product of matrices, or of matrix and column vector. */
  mul(b: number): Mat<R, C>;
  mul(b: Vec<C>): Vec<R>;
  mul<K extends number>(b: Mat<C, K>): Mat<R, K>;
  div(b: number): Mat<R, C>;
  /** Element by element. */
  hadamard(b: Mat<R, C>): Mat<R, C>;
  rem(b: Mat<R, C>): Mat<R, C>;
  min(b: Mat<R, C> | number): Mat<R, C>;
  max(b: Mat<R, C> | number): Mat<R, C>;
  /** Element by element; for powers of the matrix use `mul`. */
  pow(b: Mat<R, C> | number): Mat<R, C>;

  /** Frobenius inner product. */
  dot(b: Mat<R, C>): number;
  /** Frobenius norm. */
  norm(): number;
  normSquared(): number;
  normalized(): Mat<R, C>;
  sum(): number;
  least(): number;
  greatest(): number;

  transpose(): Mat<C, R>;
  trace(this: Mat<R, R>): number;
  diagonal(this: Mat<R, R>): Vec<R>;
  /** Up to 4×4. */
  determinant(this: Mat<R, R>): number;
  /** Up to 4×4; not finite where the matrix is singular. */
  inverse(this: Mat<R, R>): Mat<R, R>;
}

/* The types above and the table of the algebra name the same operations; this does not compile otherwise. */
type Function = 'vec' | 'mat' | 'columns' | 'diag';
type Structure = 'length' | 'rows' | 'columns' | typeof Symbol.iterator | number;
type Typed = Exclude<keyof VecAlgebra<2> | keyof MatAlgebra<2, 2>, Structure> | keyof VecMaps<2> | Function;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Holds<T extends true> = T;
export type AlgebraIsTyped = Holds<Same<Typed, AlgebraName>>;
