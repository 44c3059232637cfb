import {
  fail,
  integerRange,
  isFloat,
  isScalarType,
  type ScalarType,
  checkOptions,
  describeValue,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { axesOption, type Axes } from './axes.js';

/**
 * A field: a mapping from indices to numbers of one type. Where its values lie is decided by a layout and by nothing
 * else. `D` is the number of its axes where its declaration says so, and `T` its type.
 */
export interface FieldDecl<D extends number = number, T extends ScalarType = ScalarType> extends OverAxes<D> {
  readonly is: 'scalar';
  readonly name: string;
  readonly type: T;
  /** What reading an inactive element gives. */
  readonly ambient: number;
}

/** What a declaration may say of the axes that a field has; a layout must agree. */
interface OverAxes<D extends number> {
  readonly axes?: Axes & { readonly length: D };
}

/** A field of small vectors, stored as one scalar field for each component: `x_0`, `x_1` …. */
export interface VectorField<
  N extends number = number,
  D extends number = number,
  T extends ScalarType = ScalarType,
> extends OverAxes<D> {
  readonly is: 'vector';
  readonly name: string;
  readonly type: T;
  readonly size: N;
  readonly components: readonly FieldDecl<D, T>[];
}

/** A field of small matrices, stored as one scalar field for each component, row by row: `F_0_0`, `F_0_1` …. */
export interface MatrixField<
  N extends number = number,
  M extends number = number,
  D extends number = number,
  T extends ScalarType = ScalarType,
> extends OverAxes<D> {
  readonly is: 'matrix';
  readonly name: string;
  readonly type: T;
  readonly rows: N;
  readonly cols: M;
  readonly components: readonly FieldDecl<D, T>[];
}

/** A field of numbers, vectors or matrices. */
export type AnyField = FieldDecl | VectorField | MatrixField;

/** Whether a value is what `field`, `vectorField` or `matrixField` makes. */
export const isField = (value: unknown): value is AnyField =>
  typeof value === 'object' &&
  value !== null &&
  ['scalar', 'vector', 'matrix'].includes(String((value as { is?: unknown }).is)) &&
  'name' in value &&
  'type' in value;

/** How a field is declared, beside its name and type. */
export interface FieldOptions<A extends Axes = Axes> {
  /** What reading an inactive element gives; 0 unless said otherwise. */
  readonly ambient?: number;
  /** The axes that a layout must give the field; any unless said otherwise. */
  readonly axes?: A;
}

const fieldSpec: OptionSpec<FieldOptions> = { ambient: option.anything, axes: axesOption };

/** Of what a scalar field is a component: layouts hold components alone, and who asks a program for its fields wants what he declared. */
export const groupOf = (component: FieldDecl): VectorField | MatrixField | undefined => groups.get(component);

const groups = new WeakMap<FieldDecl, VectorField | MatrixField>();

const madeOf = <F extends VectorField | MatrixField>(whole: F): F => {
  for (const component of whole.components) groups.set(component, whole);
  return whole;
};

/** The scalar fields that make up a field. */
export const componentsOf = (any: AnyField): readonly FieldDecl[] => (any.is === 'scalar' ? [any] : any.components);

/** Declares a field. Fails with `layout/field` on a name that is no identifier, an unknown type, an ambient value of another. */
export const field = <const T extends ScalarType = ScalarType, const A extends Axes = Axes>(
  name: string,
  type: T,
  given?: FieldOptions<A>,
): FieldDecl<A['length'], T> => {
  const options = checkOptions<FieldOptions<A>>('field', given, fieldSpec);
  if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name))
    fail('layout/field', `${describeValue(name)} is no name for a field`, { remedy: 'use letters, digits and _' });
  if (!isScalarType(type))
    fail('layout/field', `field '${name}' has no scalar type: ${describeValue(type)}`, {
      remedy: "give one, as in field('u', 'f32')",
    });
  const { ambient = 0 } = options;
  if (!holds(type, ambient))
    fail('layout/field', `field '${name}' of type ${type} cannot hold the ambient value ${describeValue(ambient)}`, {
      remedy: 'give a number of that type',
    });
  return { is: 'scalar', name, type, ambient, ...over(options) };
};

const holds = (type: ScalarType, ambient: unknown): boolean => {
  if (typeof ambient !== 'number') return false;
  if (isFloat(type)) return true;
  if (type === 'i1') return ambient === 0 || ambient === 1;
  const [least, greatest] = integerRange(type);
  return Number.isSafeInteger(ambient) && ambient >= least && ambient <= greatest;
};

/** Declares a field of vectors of `size` components. Fails with `layout/field`, also where `size` is not from 1 to 256. */
export const vectorField = <N extends number, const T extends ScalarType = ScalarType, const A extends Axes = Axes>(
  name: string,
  type: T,
  size: N,
  given?: FieldOptions<A>,
): VectorField<N, A['length'], T> => {
  const options = checkOptions<FieldOptions<A>>('vectorField', given, fieldSpec);
  const components = numbered(checked(name, size)).map((a) => field(`${name}_${a}`, type, options));
  return madeOf({ is: 'vector', name, type, size, components, ...over(options) });
};

/** Declares a field of matrices of `rows` × `cols` components. Fails with `layout/field`, also where they are not from 1 to 256 components. */
export const matrixField = <
  N extends number,
  M extends number,
  const T extends ScalarType = ScalarType,
  const A extends Axes = Axes,
>(
  name: string,
  type: T,
  rows: N,
  cols: M,
  given?: FieldOptions<A>,
): MatrixField<N, M, A['length'], T> => {
  const options = checkOptions<FieldOptions<A>>('matrixField', given, fieldSpec);
  checked(name, rows, cols);
  const components = numbered(rows).flatMap((a) =>
    numbered(cols).map((b) => field(`${name}_${a}_${b}`, type, options)),
  );
  return madeOf({ is: 'matrix', name, type, rows, cols, components, ...over(options) });
};

const over = <A extends Axes = Axes>({ axes }: FieldOptions<A>): { readonly axes?: A } =>
  axes === undefined ? {} : { axes };

/** Every component is a field, and every operation on a vector or matrix is written out for each: beyond these an axis is meant. */
const MOST_COMPONENTS = 256;

/** How many components there are. */
const checked = (name: string, ...sides: readonly number[]): number => {
  const whole = sides.every((n) => Number.isSafeInteger(n) && n >= 1);
  const components = whole ? sides.reduce((product, n) => product * n, 1) : Infinity;
  return components <= MOST_COMPONENTS
    ? components
    : fail(
        'layout/field',
        `field '${name}': a vector or matrix has from 1 to ${MOST_COMPONENTS} components, not ${sides.map(describeValue).join(' × ')}`,
        {
          remedy:
            'for more, declare a field of numbers, and give it an axis more in the layout: `dense(i, n).dense(j, components)`',
        },
      );
};

const numbered = (n: number): readonly number[] => Array.from({ length: n }, (_, k) => k);
