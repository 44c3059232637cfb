import { fail, type ScalarType, checkOptions, option } from '@filigree/ir';
import type { Axes } from './axes.js';
import {
  field,
  matrixField,
  vectorField,
  type AnyField,
  type FieldDecl,
  type FieldOptions,
  type MatrixField,
  type VectorField,
} from './field-decl.js';

/** What an element of a field is: a vector of so many numbers, or a matrix of so many rows and columns. */
export type ElementShape = number | readonly [rows: number, columns: number];

/**
 * Declares several fields of one type over the same axes, by their names. Elements are numbers where only names are given, else
 * vectors and matrices of the sizes said: `const { density } = fields('f32', ijk, ['density'])`,
 * `const { x, F } = fields('f32', i, { x: 3, F: [3, 3] })`. The types of kernels' parameters follow, and a layout that gives the
 * fields other axes is refused. Fails with `layout/field` as `field` does.
 */
export function fields<const T extends ScalarType, const A extends Axes, const K extends string>(
  type: T,
  axes: A,
  names: readonly K[],
  options?: Pick<FieldOptions, 'ambient'>,
): { readonly [name in K]: FieldDecl<AxesOf<T, A>, T> };
export function fields<
  const T extends ScalarType,
  const A extends Axes,
  const S extends Readonly<Record<string, ElementShape>>,
>(
  type: T,
  axes: A,
  shapes: S,
  options?: Pick<FieldOptions, 'ambient'>,
): { readonly [name in keyof S]: Shaped<S[name], AxesOf<T, A>, T> };
export function fields(
  type: ScalarType,
  axes: Axes,
  shapes: readonly string[] | Readonly<Record<string, ElementShape>>,
  given?: Pick<FieldOptions, 'ambient'>,
): Readonly<Record<string, AnyField>> {
  const options = checkOptions<Pick<FieldOptions, 'ambient'>>('fields', given, { ambient: option.anything });
  if (typeof shapes !== 'object' || shapes === null)
    fail('layout/field', 'fields() was given no names', { remedy: "write fields('f32', ij, ['u', 'v'])" });
  const over = { ...options, axes };
  if (isList(shapes)) return Object.fromEntries(shapes.map((name) => [name, field(name, type, over)]));
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      typeof shape === 'number'
        ? vectorField(name, type, shape, over)
        : matrixField(name, type, shape[0], shape[1], over),
    ]),
  );
}

const isList = (shapes: unknown): shapes is readonly string[] => Array.isArray(shapes);

/* Of fields of truth values only the annotations of a kernel can say what their elements are. */
type AxesOf<T extends ScalarType, A extends Axes> = 'i1' extends T ? number : A['length'];

type Shaped<S extends ElementShape, D extends number, T extends ScalarType> = S extends readonly [
  infer R extends number,
  infer C extends number,
]
  ? MatrixField<R, C, D, T>
  : S extends number
    ? VectorField<S, D, T>
    : never;
