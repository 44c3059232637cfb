import { describeValue, fail, isScalarType, type ScalarType, type TypedArrayOf } from '@filigree/ir';
import type { AnyField, FieldDecl, MatrixField, VectorField } from '@filigree/sparse/fields';
import type { Grid1, Grid2, Grid3, Grid4 } from './vocabulary/grid-types.js';
import type { Mat, Vec } from './vocabulary/vec-types.js';

/** What a kernel takes: fields, bound where it is defined; scalars and arrays, given at each launch. */
export type KernelArg = AnyField | ScalarType | ArrayDecl | ShapedDecl;

/** A typed array given at a launch, of at most `maxLength` elements. The kernel reads and writes it. */
export interface ArrayDecl<T extends ScalarType = ScalarType> {
  readonly is: 'array';
  readonly type: T;
  readonly maxLength: number;
}

/** An array argument of a kernel. Throws `lang/array` on an unknown type or a length that is no whole number from 1 to 2³⁰. */
export const array = <const T extends ScalarType>(type: T, maxLength: number): ArrayDecl<T> => {
  if (!isScalarType(type))
    fail('lang/array', `an array holds scalars, not ${describeValue(type)}`, { remedy: "write array('f32', n)" });
  if (!Number.isSafeInteger(maxLength) || maxLength < 1 || maxLength > 2 ** 30)
    fail(
      'lang/array',
      `the most elements of an array is a whole number from 1 to 2³⁰, not ${describeValue(maxLength)}`,
      {
        remedy: `write array('${type}', n)`,
      },
    );
  return { is: 'array', type, maxLength };
};

/** A small vector or matrix given at a launch. */
export interface ShapedDecl<S extends Sides = Sides> {
  readonly is: 'shaped';
  readonly type: ScalarType;
  readonly shape: S;
}

/** How many elements a vector has, or rows and columns a matrix. */
export type Sides = readonly [size: number] | readonly [rows: number, columns: number];

/** A vector argument of a kernel: `vec(1, 2)` or `[1, 2]` at a launch. Throws `lang/array` on an unknown type, or a size that is no whole number from 1 to 64. */
export const vector = <const N extends number>(type: ScalarType, size: N): ShapedDecl<readonly [N]> =>
  shaped(type, [size]);

/** A matrix argument of a kernel: `mat([1, 0], [0, 1])` or its rows as arrays at a launch. Errors as of `vector`. */
export const matrix = <const R extends number, const C extends number>(
  type: ScalarType,
  rows: R,
  columns: C,
): ShapedDecl<readonly [R, C]> => shaped(type, [rows, columns]);

const shaped = <const S extends Sides>(type: ScalarType, shape: S): ShapedDecl<S> => {
  const remedy = shape.length === 1 ? "write vector('f32', 3)" : "write matrix('f32', 3, 3)";
  if (!isScalarType(type)) fail('lang/array', `a vector or matrix holds scalars, not ${String(type)}`, { remedy });
  const odd = shape.find((n) => !Number.isInteger(n) || n < 1 || n > 64);
  if (odd !== undefined)
    fail('lang/array', `the sides of a vector or matrix are whole numbers from 1 to 64, not ${String(odd)}`, {
      remedy,
    });
  return { is: 'shaped', type, shape };
};

/** What a kernel returns: nothing, or what a launch gives back. */
export type KernelResult = number | bigint | boolean | void | Vec | Mat | readonly number[] | object;

/** What a launch gives back of what the kernel returns: a number, of a vector a list, of a matrix a list of rows, of an object the numbers that it has; of nothing nothing. */
export type LaunchResult<R> = [KernelResult] extends [R]
  ? number
  : R extends void
    ? void
    : R extends { readonly rows: number }
      ? number[][]
      : R extends { readonly length: number }
        ? number[]
        : R extends object
          ? { readonly [N in keyof R as R[N] extends number | bigint | boolean ? N : never]: number }
          : number;

/** A kernel's function: a parameter for each argument. */
export type KernelFunction<
  A extends readonly KernelArg[],
  R = KernelResult,
  P extends readonly unknown[] = Params<A>,
> = {
  /* A method, whose parameters may be declared narrower than here: of how many axes a field is only its layout says. */
  call(...args: P): R;
}['call'];

/** The same, whose last parameters may have defaults: those of numbers, vectors and matrices. */
export type DefaultingFunction<A extends readonly KernelArg[]> = KernelFunction<A, KernelResult, Defaulting<A>>;

type Defaulting<A extends readonly KernelArg[]> = A extends readonly [
  ...infer Before extends readonly KernelArg[],
  infer Last,
]
  ? Last extends ScalarType | ShapedDecl
    ? [...Defaulting<Before>, Param<Last>?]
    : Params<A>
  : Params<A>;

/** The types of the parameters of a kernel's function. */
export type Params<A extends readonly KernelArg[]> = { -readonly [K in keyof A]: Param<A[K]> };

/** The arguments of a launch: all but the fields. Those whose parameters have a default may be left out. */
export type LaunchArgs<A extends readonly KernelArg[], P extends readonly unknown[] = Params<A>> = A extends readonly [
  infer First,
  ...infer Rest,
]
  ? Rest extends readonly KernelArg[]
    ? First extends ScalarType | ArrayDecl | ShapedDecl
      ? [...Given<LaunchArg<First>, P>, ...LaunchArgs<Rest, After<P>>]
      : LaunchArgs<Rest, After<P>>
    : never
  : [];

/* An argument, whose parameter is the first of these. */
type Given<T, P extends readonly unknown[]> = number extends P['length']
  ? [T]
  : P['length'] extends 0
    ? [T]
    : [] extends P
      ? [T?]
      : undefined extends P[0]
        ? [T | undefined]
        : [T];

type After<P extends readonly unknown[]> = P extends readonly [_?: unknown, ...infer Rest] ? Rest : [];

type Param<A> =
  A extends FieldDecl<infer D, infer T>
    ? number extends D
      ? GridOf<NumberOf<T>, D> | GridOf<boolean, D>
      : GridOf<NumberOf<T>, D>
    : A extends VectorField<infer N, infer D>
      ? GridOf<Vec<N>, D>
      : A extends MatrixField<infer R, infer C, infer D>
        ? GridOf<Mat<R, C>, D>
        : A extends ShapedDecl<infer S>
          ? ShapedOf<S>
          : A extends ArrayDecl<infer T>
            ? ArrayOf<T> | (T extends 'i1' ? boolean[] : number[])
            : A extends 'i1'
              ? boolean
              : A extends ScalarType
                ? NumberOf<A>
                : number;

/* Of 64 bits a number or a BigInt, as the function has it: its parameters may say either. */
// oxlint-disable-next-line typescript/no-explicit-any -- unannotated parameters stay numbers or BigInts, as they are used
type NumberOf<T extends ScalarType> = [T] extends ['i64' | 'u64'] ? any : number;

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
  A extends ShapedDecl<infer S>
    ? ShapedOf<S> | (S extends readonly [number] ? readonly number[] : readonly (readonly number[])[])
    : A extends ArrayDecl<infer T>
      ? | ArrayOf<T>
        | (T extends 'i1' ? boolean[] : T extends 'i64' | 'u64' ? TypedArrayOf<T> | (number | bigint)[] : number[])
      : A extends 'i1'
        ? boolean
        : A extends 'i64' | 'u64'
          ? number | bigint
          : number;

type ShapedOf<S extends Sides> = S extends readonly [infer N extends number]
  ? Vec<N>
  : S extends readonly [infer R extends number, infer C extends number]
    ? Mat<R, C>
    : never;

type ArrayOf<T extends ScalarType> = T extends 'i1' | 'i64' | 'u64'
  ? { [index: number]: NumberOf<T>; readonly length: number }
  : TypedArrayOf<T>;
