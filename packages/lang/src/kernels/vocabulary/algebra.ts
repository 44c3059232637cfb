import { fail, unaryFunctions, type UnaryFunction } from '@filigree/ir';

import { determinant, inverse, LARGEST_INVERSE } from './determinant.js';
import { sumOf, type ScalarRing } from './ring.js';

/** `[]` of a scalar, `[n]` of a vector, `[rows, columns]` of a matrix. Known when a kernel is compiled. */
export type Shape = readonly number[];

/** A scalar, vector or matrix over scalars of type `S`; elements of a matrix row by row. */
export interface Shaped<S> {
  readonly shape: Shape;
  readonly elements: readonly S[];
}

/** One operation of the algebra of small vectors and matrices. */
export interface AlgebraOp {
  readonly name: AlgebraName;
  /** A method's first operand is the vector or matrix that it is called on; a function's operands are its arguments. */
  readonly form: 'method' | 'function';
  /** Least and most operands, the receiver of a method counted. */
  readonly operands: readonly [least: number, most: number];
  /** The shape of the result, or in words why these operands do not fit. */
  readonly shape: (shapes: readonly Shape[]) => Shape | string;
  /** Elements of the result; the operands have shapes that `shape` accepts. */
  readonly elements: <S>(ring: ScalarRing<S>, operands: readonly Shaped<S>[]) => readonly S[];
}

/**
 * The algebra of small vectors and matrices, written once: the host classes `Vec` and `Mat` and the compiler of kernels
 * are both made from this table, by giving it plain numbers or values of kernel IR as scalars.
 */
export const algebraOp = (name: string): AlgebraOp | undefined => table.get(name);

/** Every operation, in the order of this file. */
export const algebraOps = (): readonly AlgebraOp[] => [...table.values()];

/** The result of an operation. Throws `lang/shape` where the operands do not fit. */
export const applyAlgebra = <S>(op: AlgebraOp, ring: ScalarRing<S>, operands: readonly Shaped<S>[]): Shaped<S> => {
  const shape = resultShape(
    op,
    operands.map((x) => x.shape),
  );
  if (typeof shape === 'string') return fail('lang/shape', shape);
  return { shape, elements: op.elements(ring, operands) };
};

/** The shape of the result, or in words what is wrong with the operands or their number. */
export const resultShape = (op: AlgebraOp, shapes: readonly Shape[]): Shape | string => {
  const receiver = op.form === 'method' ? 1 : 0;
  const [least, most] = op.operands;
  if (receiver > 0 && shapes[0].length === 0) return `${op.name} is for vectors and matrices, not for a number`;
  if (shapes.length >= least && shapes.length <= most) return op.shape(shapes);
  const wanted = least === most ? `${least - receiver}` : `at least ${least - receiver}`;
  return `${op.name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${shapes.length - receiver}`;
};

/** `number`, `vector of 3`, `2×3 matrix`. */
export const shapeText = (shape: Shape): string =>
  shape.length === 0 ? 'number' : shape.length === 1 ? `vector of ${shape[0]}` : `${shape.join('×')} matrix`;

/** Names of elements of a vector and of up to four in any order: `v.x` is `v[0]`, `v.zxx` a vector of `v[2]`, `v[0]` and `v[0]`. */
export const elementNames: readonly string[] = [1, 2, 3, 4].flatMap((letters) =>
  Array.from({ length: letters }).reduce<readonly string[]>(
    (names) => names.flatMap((n) => [...'xyzw'].map((l) => n + l)),
    [''],
  ),
);

/** The places of the elements that a name stands for in a vector of this length; none where it has no such elements. */
export const elementsNamed = (name: string, length: number): readonly number[] => {
  if (!/^[xyzw]{1,4}$/.test(name)) return [];
  const places = Array.from(name, (letter) => 'xyzw'.indexOf(letter));
  return places.every((at) => at < length) ? places : [];
};

type Row = Omit<AlgebraOp, 'name'>;
type BinaryName = 'add' | 'sub' | 'rem' | 'min' | 'max' | 'pow';

const isScalar = (s: Shape): boolean => s.length === 0;
const isVector = (s: Shape): boolean => s.length === 1;
const isMatrix = (s: Shape): boolean => s.length === 2;
const isSquare = (s: Shape): boolean => isMatrix(s) && s[0] === s[1];
const same = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((n, k) => n === b[k]);
const pair = (a: Shape, b: Shape): string => `a ${shapeText(a)} and a ${shapeText(b)}`;

const method = (arguments_: number, shape: Row['shape'], elements: Row['elements']): Row => ({
  form: 'method',
  operands: [1 + arguments_, 1 + arguments_],
  shape,
  elements,
});

/** A function of each element alone. */
const map = (name: UnaryFunction | 'neg'): Row =>
  method(
    0,
    ([a]) => a,
    (ring, [a]) => a.elements.map(ring[name]),
  );

/** Element by element, the second operand of the same shape or a scalar that goes with every element. */
const zip = <S>(f: (a: S, b: S) => S, a: Shaped<S>, b: Shaped<S>): readonly S[] =>
  a.elements.map((x, k) => f(x, b.elements[isScalar(b.shape) ? 0 : k]));

const binary = (name: BinaryName, scalars: 'with any shape' | 'with vectors'): Row =>
  method(
    1,
    ([a, b]) => {
      if (same(a, b)) return a;
      if (!isScalar(b)) return `${name} takes two of one shape, not ${pair(a, b)}`;
      if (isVector(a) || scalars === 'with any shape') return a;
      return `${name} of a matrix and a number is ambiguous: use identity(${a[0]}).mul(…) or a matrix of equal elements`;
    },
    (ring, [a, b]) => zip(ring[name], a, b),
  );

/** Rows of the first with columns of the second; a vector is one column. */
const product = <S>(ring: ScalarRing<S>, a: Shaped<S>, b: Shaped<S>): readonly S[] => {
  const [rows, inner] = a.shape;
  const columns = b.shape[1] ?? 1;
  return Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns];
    return sumOf(
      ring,
      Array.from({ length: inner }, (_, k) => ring.mul(a.elements[i * inner + k], b.elements[k * columns + j])),
    );
  });
};

const dot = <S>(ring: ScalarRing<S>, a: Shaped<S>, b: Shaped<S>): S => sumOf(ring, zip(ring.mul, a, b));

/** Of integers computed in floats, which their squares do not overflow. */
const norm = <S>(ring: ScalarRing<S>, { shape, elements }: Shaped<S>): S => {
  const a = { shape, elements: elements.map(ring.real) };
  return ring.sqrt(dot(ring, a, a));
};

const cross = <S>(ring: ScalarRing<S>, { elements: a }: Shaped<S>, { elements: b }: Shaped<S>): readonly S[] => {
  const minor = (i: number, j: number): S => ring.sub(ring.mul(a[i], b[j]), ring.mul(a[j], b[i]));
  return a.length === 2 ? [minor(0, 1)] : [minor(1, 2), minor(2, 0), minor(0, 1)];
};

const square = (what: string, largest = Infinity, shape: Row['shape'] = () => []): Row['shape'] =>
  function ([a]) {
    if (!isSquare(a)) return `${what} is for square matrices, not for a ${shapeText(a)}`;
    return a[0] <= largest
      ? shape([a])
      : `${what} is for matrices up to ${largest}×${largest}, not for a ${shapeText(a)}`;
  };

/** Vectors of one length put side by side. */
const stack = (name: string, byColumns: boolean): Row => ({
  form: 'function',
  operands: [1, Infinity],
  shape: (parts) => {
    const other = parts.find((p) => !isVector(p) || p[0] !== parts[0][0]);
    if (other) return `${name} takes ${byColumns ? 'columns' : 'rows'} of one length, not ${pair(parts[0], other)}`;
    return byColumns ? [parts[0][0], parts.length] : [parts.length, parts[0][0]];
  },
  elements: (_, parts) =>
    byColumns ? parts[0].elements.flatMap((_, i) => parts.map((p) => p.elements[i])) : parts.flatMap((p) => p.elements),
});

const rows = {
  /** Elements, each a number or a vector of several, to a vector. */
  vec: {
    form: 'function',
    operands: [1, Infinity],
    shape: (parts) => {
      const other = parts.find(isMatrix);
      if (other) return `a vector is made of numbers and vectors, not of a ${shapeText(other)}`;
      return [parts.reduce((length, p) => length + (p[0] ?? 1), 0)];
    },
    elements: (_, parts) => parts.flatMap((p) => p.elements),
  },
  /** Rows, each a vector or in the source an array of numbers, to a matrix. */
  mat: stack('mat', false),
  /** Columns, each a vector, to a matrix. */
  columns: stack('columns', true),
  /** The square matrix with this vector on its diagonal. */
  diag: {
    form: 'function',
    operands: [1, 1],
    shape: ([a]) => (isVector(a) ? [a[0], a[0]] : `diag takes a vector, not a ${shapeText(a)}`),
    elements: (ring, [{ elements: a }]) => a.flatMap((x, i) => a.map((_, j) => (i === j ? x : ring.constant(0)))),
  },

  add: binary('add', 'with vectors'),
  sub: binary('sub', 'with vectors'),
  rem: binary('rem', 'with vectors'),
  min: binary('min', 'with any shape'),
  max: binary('max', 'with any shape'),
  pow: binary('pow', 'with any shape'),
  /** By a scalar; of two vectors element by element; matrix products. */
  mul: method(
    1,
    ([a, b]) => {
      if (isScalar(b)) return a;
      if (isVector(a) && isMatrix(b)) return 'a vector has no product with a matrix after it: use m.transpose().mul(v)';
      if (isVector(a)) return same(a, b) ? a : `mul takes two of one shape, not ${pair(a, b)}`;
      if (a[1] !== b[0]) return `${pair(a, b)} have no product`;
      return isVector(b) ? [a[0]] : [a[0], b[1]];
    },
    (ring, [a, b]) => (isScalar(b.shape) || isVector(a.shape) ? zip(ring.mul, a, b) : product(ring, a, b)),
  ),
  /** By a scalar; of two vectors element by element. */
  div: method(
    1,
    ([a, b]) => {
      if (isScalar(b) || (isVector(a) && same(a, b))) return a;
      return isMatrix(b)
        ? 'nothing is divided by a matrix: multiply by its inverse()'
        : `${pair(a, b)} have no quotient`;
    },
    (ring, [a, b]) => zip(ring.div, a, b),
  ),
  /** Element by element, for matrices too. */
  hadamard: method(
    1,
    ([a, b]) => (same(a, b) ? a : `hadamard takes two of one shape, not ${pair(a, b)}`),
    (ring, [a, b]) => zip(ring.mul, a, b),
  ),
  neg: map('neg'),

  /** Sum of the products of the elements; of matrices the Frobenius inner product. Of integers an integer, which wraps. */
  dot: method(
    1,
    ([a, b]) => (same(a, b) ? [] : `dot takes two of one shape, not ${pair(a, b)}`),
    (ring, [a, b]) => [dot(ring, a, b)],
  ),
  /** Of two vectors of 3 a vector; of two vectors of 2 a number, the third element. */
  cross: method(
    1,
    ([a, b]) => {
      if (isVector(a) && same(a, b) && a[0] === 3) return a;
      if (isVector(a) && same(a, b) && a[0] === 2) return [];
      return `cross takes two vectors of 3 or two of 2, not ${pair(a, b)}`;
    },
    (ring, [a, b]) => cross(ring, a, b),
  ),
  outer: method(
    1,
    ([a, b]) => (isVector(a) && isVector(b) ? [a[0], b[0]] : `outer takes two vectors, not ${pair(a, b)}`),
    (ring, [a, b]) => a.elements.flatMap((x) => b.elements.map((y) => ring.mul(x, y))),
  ),
  normSquared: method(
    0,
    () => [],
    (ring, [a]) => [dot(ring, a, a)],
  ),
  /** Euclidean length; of a matrix the Frobenius norm. A float, of integers too. */
  norm: method(
    0,
    () => [],
    (ring, [a]) => [norm(ring, a)],
  ),
  /** Divided by its norm; not a number where that is zero. */
  normalized: method(
    0,
    ([a]) => a,
    (ring, [a]) => {
      const length = norm(ring, a);
      return a.elements.map((x) => ring.div(x, length));
    },
  ),
  sum: method(
    0,
    () => [],
    (ring, [a]) => [sumOf(ring, a.elements)],
  ),
  /** The least element. */
  least: method(
    0,
    () => [],
    (ring, [a]) => [a.elements.reduce((x, y) => ring.min(x, y))],
  ),
  /** The greatest element. */
  greatest: method(
    0,
    () => [],
    (ring, [a]) => [a.elements.reduce((x, y) => ring.max(x, y))],
  ),

  transpose: method(
    0,
    ([a]) => (isMatrix(a) ? [a[1], a[0]] : `transpose is for matrices, not for a ${shapeText(a)}`),
    (_, [{ shape, elements }]) =>
      elements.map((_, at) => elements[(at % shape[0]) * shape[1] + Math.floor(at / shape[0])]),
  ),
  trace: method(0, square('trace'), (ring, [a]) => [sumOf(ring, diagonal(a))]),
  /** The vector on the diagonal. */
  diagonal: method(
    0,
    square('diagonal', Infinity, ([a]) => [a[0]]),
    (_, [a]) => diagonal(a),
  ),
  determinant: method(0, square('determinant', LARGEST_INVERSE), (ring, [a]) => [
    determinant(ring, a.shape[0], a.elements),
  ]),
  /** Not finite where the matrix is singular. */
  inverse: method(
    0,
    square('inverse', LARGEST_INVERSE, ([a]) => a),
    (ring, [a]) => inverse(ring, a.shape[0], a.elements),
  ),

  ...(Object.fromEntries(unaryFunctions.map((name) => [name, map(name)])) as Record<UnaryFunction, Row>),
} satisfies Record<string, Row>;

const diagonal = <S>({ shape, elements }: Shaped<S>): readonly S[] =>
  elements.filter((_, at) => at % (shape[1] + 1) === 0);

export type AlgebraName = keyof typeof rows;

const table: ReadonlyMap<string, AlgebraOp> = new Map(
  (Object.entries(rows) as [AlgebraName, Row][]).map(([name, row]) => [name, { name, ...row }]),
);
