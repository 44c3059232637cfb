import { fail } from '@filigree/ir';
import {
  algebraOp,
  algebraOps,
  applyAlgebra,
  elementNames,
  elementsNamed,
  shapeText,
  type AlgebraName,
  type Shaped,
} from './algebra.js';
import { numberRing } from './ring.js';
import { sized, type SizedName } from './sized.js';
import type { Mat, Vec } from './vec-types.js';

/**
 * A vector of these elements: `vec(x, y)`; a vector among them stands for its own, `vec(v, 0)`. In a kernel a vector is its
 * elements and costs nothing of its own; on the host it is an object. Throws `lang/shape` where an element is neither.
 */
export const vec = <const E extends readonly (number | Vec)[]>(...elements: E): Vec<LengthOf<E>> =>
  construct('vec', elements) as Vec<LengthOf<E>>;

/* Elements of all parts together; `number` where the length of one is not known. */
type LengthOf<E extends readonly unknown[], All extends readonly unknown[] = []> = number extends E['length']
  ? number
  : E extends readonly [infer First, ...infer Rest]
    ? ElementsOf<First> extends infer Part extends readonly unknown[]
      ? LengthOf<Rest, readonly [...All, ...Part]>
      : never
    : All['length'];

type ElementsOf<P> = P extends { readonly length: infer N extends number } ? TupleOf<N> : [0];

type TupleOf<N extends number, All extends readonly unknown[] = []> = number extends N
  ? readonly unknown[]
  : All['length'] extends N
    ? All
    : TupleOf<N, readonly [...All, 0]>;

/** A matrix of these rows, each an array of numbers or a vector: `mat([a, b], [c, d])`. Throws `lang/shape` on rows of unequal length. */
export const mat = <const R extends readonly Part[]>(...rows: R): Mat<R['length'], R[0]['length']> =>
  construct('mat', rows) as Mat<R['length'], R[0]['length']>;

/** A matrix of these columns, each an array of numbers or a vector. Throws `lang/shape` on columns of unequal length. */
export const columns = <const C extends readonly Part[]>(...parts: C): Mat<C[0]['length'], C['length']> =>
  construct('columns', parts) as Mat<C[0]['length'], C['length']>;

/** The square matrix with this vector on its diagonal and zeros elsewhere. */
export const diag = <N extends number>(v: Vec<N>): Mat<N, N> => construct('diag', [v]) as Mat<N, N>;

/** The identity matrix; in a kernel `n` must be known when it is compiled. */
export const identity = <const N extends number>(n: N): Mat<N, N> => ofSizes('identity', [n]) as Mat<N, N>;

/** Zeros: `zeros(3)` a vector, `zeros(3, 2)` a matrix; in a kernel the sizes must be known when it is compiled. */
export function zeros<const N extends number>(n: N): Vec<N>;
export function zeros<const R extends number, const C extends number>(rows: R, columns: C): Mat<R, C>;
export function zeros(...sizes: number[]): Vec | Mat {
  return ofSizes('zeros', sizes) as Vec | Mat;
}

/** Whether a value is a vector made by `vec`. */
export const isVec = (value: unknown): value is Vec => value instanceof VecValue;
/** Whether a value is a matrix made by `mat`. */
export const isMat = (value: unknown): value is Mat => value instanceof MatValue;

/** A number, vector or matrix of the host as the table of the algebra takes it. */
export const shapedOf = (value: unknown): Shaped<number> => {
  if (typeof value === 'number') return { shape: [], elements: [value] };
  if (isVec(value)) return { shape: [value.length], elements: [...value] };
  if (isMat(value)) return { shape: [value.rows, value.columns], elements: [...value].flatMap((row) => [...row]) };
  return fail(
    'lang/shape',
    `${value === null ? 'null' : `a value of type ${typeof value}`} is no number, vector or matrix`,
  );
};

/** The number, vector or matrix of the host with these elements. */
export const hostValue = ({ shape, elements }: Shaped<number>): number | Vec | Mat => {
  if (shape.length === 0) return elements[0];
  if (shape.length === 1) return new VecValue(elements) as unknown as Vec;
  const [rows, width] = shape;
  const row = (i: number): Vec => new VecValue(elements.slice(i * width, (i + 1) * width)) as unknown as Vec;
  return new MatValue(Array.from({ length: rows }, (_, i) => row(i))) as unknown as Mat;
};

type Part = readonly number[] | Vec;

const construct = (name: AlgebraName, parts: readonly (number | Part)[]): unknown =>
  hostValue(applyAlgebra(algebraOp(name)!, numberRing, parts.map(partOf)));

const partOf = (part: unknown): Shaped<number> => {
  if (!Array.isArray(part)) return shapedOf(part);
  const other = part.find((x) => typeof x !== 'number');
  return other === undefined
    ? { shape: [part.length], elements: part as number[] }
    : fail('lang/shape', `an array that stands for a vector holds numbers, not a value of type ${typeof other}`);
};

const ofSizes = (name: SizedName, sizes: readonly number[]): unknown => hostValue(sized(name, numberRing, sizes));

/** A vector or matrix that is an element of a grid: what is assigned to its components is assigned to the grid. */
export const placed = <E>(value: E, store: (changed: E) => void): E => {
  if (!isVec(value) && !isMat(value)) return value;
  const own = copied(value) as unknown as Record<string | symbol, unknown>;
  return new Proxy(own, {
    get(target, key, receiver) {
      const part: unknown = Reflect.get(target, key, receiver);
      return isVec(part) && isMat(value)
        ? placed(part, (row) => {
            target[key] = row;
            store(copied(own as E));
          })
        : part;
    },
    set(target, key, part, receiver) {
      if (!Object.hasOwn(target, key)) return Reflect.set(target, key, part, receiver);
      target[key] = heldLike(target[key], part);
      store(copied(own as E));
      return true;
    },
    /* What is set through a name, as by `v.xy = …`, is set by index. */
    defineProperty: () => false,
  }) as E;
};

/** A value of its own: of vectors and matrices a copy. */
export const copied = <E>(value: E): E => (isVec(value) || isMat(value) ? (hostValue(shapedOf(value)) as E) : value);

/** A value as what stands where it goes holds it: of an array a vector or a matrix where there was one. */
export const heldLike = <E>(before: E, value: E): E => {
  if (!Array.isArray(value)) return copied(value);
  if (isVec(before)) return construct('vec', [value as readonly number[]]) as E;
  return isMat(before) ? (construct('mat', value as readonly Part[]) as E) : value;
};

/* What vectors and matrices have in common: entries by index, iteration, a length that stays. */
class Entries<E> {
  declare readonly length: number;
  [index: number]: E;

  constructor(entries: readonly E[]) {
    Object.assign(this, entries);
    Object.defineProperty(this, 'length', { value: entries.length });
    Object.seal(this);
  }

  *[Symbol.iterator](): Iterator<E> {
    for (let k = 0; k < this.length; k++) yield this[k];
  }

  /** As the text of an array. */
  toString(): string {
    return [...this].join();
  }

  /** In JSON an array. */
  toJSON(): E[] {
    return [...this];
  }
}

const VecValue = class Vec extends Entries<number> {};

const MatValue = class Mat extends Entries<Vec> {
  get rows(): number {
    return this.length;
  }
  get columns(): number {
    return this[0].length;
  }
};

for (const op of algebraOps()) {
  if (op.form === 'function') continue;
  const value = function (this: unknown, ...operands: unknown[]): unknown {
    return hostValue(applyAlgebra(op, numberRing, [this, ...operands].map(shapedOf)));
  };
  for (const { prototype } of [VecValue, MatValue])
    Object.defineProperty(prototype, op.name, { value, configurable: true });
}

for (const name of elementNames)
  Object.defineProperty(VecValue.prototype, name, {
    get(this: Vec): number | Vec {
      const found = elementsNamed(name, this.length).map((index) => this[index]);
      if (found.length === 0) fail('lang/shape', `a ${shapeText([this.length])} has no element ${name}`);
      return found.length === 1 ? found[0] : vec(...found);
    },
    set(this: Vec, given: number | Vec) {
      const found = elementsNamed(name, this.length);
      const parts = typeof given === 'number' ? [given] : [...given];
      if (found.length !== parts.length || new Set(found).size < found.length)
        fail('lang/shape', `a ${shapeText([this.length])} has no ${name} to assign ${parts.length} to`);
      found.forEach((index, k) => (this[index] = parts[k]));
    },
    configurable: true,
  });
