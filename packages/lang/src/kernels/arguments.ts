import { fail, isScalarType, type ScalarType, type TypedArrayOf } from '@filigree/ir';
import type { AnyField, FieldDecl, MatrixField, VectorField } from '@filigree/sparse/fields';
import type { Grid1, Grid2, Grid3, Grid4 } from './vocabulary/grid-types.js';
import type { Mat, Vec } from './vocabulary/vec-types.js';

/** What a kernel takes: fields, bound where it is defined; scalars and arrays, given at each launch. */
export type KernelArg = AnyField | ScalarType | ArrayDecl;

/** A typed array given at a launch, of at most `maxLength` elements. The kernel reads and writes it. */
export interface ArrayDecl<T extends ScalarType = ScalarType> {
  readonly is: 'array';
  readonly type: T;
  readonly maxLength: number;
}

/** An array argument of a kernel. Throws `lang/array` on an unknown type or a length that is no whole number from 1 to 2³⁰. */
export const array = <const T extends ScalarType>(type: T, maxLength: number): ArrayDecl<T> => {
  if (!isScalarType(type))
    fail('lang/array', `an array holds scalars, not ${String(type)}`, { remedy: "write array('f32', n)" });
  if (!Number.isSafeInteger(maxLength) || maxLength < 1 || maxLength > 2 ** 30)
    fail('lang/array', `the most elements of an array is a whole number from 1 to 2³⁰, not ${maxLength}`, {
      remedy: `write array('${type}', n)`,
    });
  return { is: 'array', type, maxLength };
};

/** A kernel's function: a parameter for each argument. */
export type KernelFunction<A extends readonly KernelArg[]> = {
  /* A method, whose parameters may be declared narrower than here: of how many axes a field is only its layout says. */
  call(...args: Params<A>): number | boolean | void;
}['call'];

/** The types of the parameters of a kernel's function. */
export type Params<A extends readonly KernelArg[]> = { -readonly [K in keyof A]: Param<A[K]> };

/** The arguments of a launch: all but the fields. */
export type LaunchArgs<A extends readonly KernelArg[]> = A extends readonly [infer First, ...infer Rest]
  ? Rest extends readonly KernelArg[]
    ? First extends ScalarType | ArrayDecl
      ? [LaunchArg<First>, ...LaunchArgs<Rest>]
      : LaunchArgs<Rest>
    : never
  : [];

type Param<A> =
  A extends FieldDecl<infer D>
    ? number extends D
      ? GridOf<number, D> | GridOf<boolean, D>
      : GridOf<number, D>
    : A extends VectorField<infer N, infer D>
      ? GridOf<Vec<N>, D>
      : A extends MatrixField<infer R, infer C, infer D>
        ? GridOf<Mat<R, C>, D>
        : A extends ArrayDecl<infer T>
          ? ArrayOf<T> | number[]
          : A extends 'i1'
            ? boolean
            : number;

/* Of so many axes, or of any number where a field's declaration does not say. */
type GridOf<E, D extends number> = number extends D
  ? Grid1<E> | Grid2<E> | Grid3<E> | Grid4<E>
  : D extends 1
    ? Grid1<E>
    : D extends 2
      ? Grid2<E>
      : D extends 3
        ? Grid3<E>
        : Grid4<E>;

type LaunchArg<A> =
  A extends ArrayDecl<infer T>
    ? ArrayOf<T>
    : A extends 'i1'
      ? boolean
      : A extends 'i64' | 'u64'
        ? number | bigint
        : number;

/* Kernels compute with numbers where arrays hold bigints. */
type ArrayOf<T extends ScalarType> = T extends 'i1' | 'i64' | 'u64'
  ? { [index: number]: number; readonly length: number }
  : TypedArrayOf<T>;
