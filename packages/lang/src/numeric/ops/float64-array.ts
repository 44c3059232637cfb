/**
 * What `Float64Array` becomes in rewritten code: the same zeros, methods and fixed length, but an element may be
 * symbolic, so that numeric code that allocates its results runs unchanged. `instanceof` holds for both kinds, and
 * views of an `ArrayBuffer` stay genuine typed arrays. Elements live in the object itself, not in bytes: `buffer` is a
 * diagnostic raised by `refuse`.
 */
export const symbolicFloat64Array = (refuse: (property: string) => never): Float64ArrayConstructor => {
  class FloatArray {
    readonly length: number = 0;
    [index: number]: unknown;

    constructor(init: unknown = 0, ...rest: unknown[]) {
      if (
        init instanceof ArrayBuffer ||
        (typeof SharedArrayBuffer !== 'undefined' && init instanceof SharedArrayBuffer)
      ) {
        return new Float64Array(init, ...(rest as [number?, number?])) as unknown as FloatArray;
      }
      const elements = typeof init === 'object' && init !== null ? Array.from(init as ArrayLike<unknown>) : undefined;
      const length = elements ? elements.length : new Array<unknown>(Math.trunc(Number(init)) || 0).length;
      Object.defineProperty(this, 'length', { value: length, enumerable: false });
      for (let i = 0; i < length; i++) this[i] = elements ? coerced(elements[i]) : 0;
    }

    static from(items: Iterable<unknown> | ArrayLike<unknown>, f?: (x: unknown, i: number) => unknown): FloatArray {
      return new FloatArray(f ? Array.from(items, f) : Array.from(items));
    }
    static of(...items: unknown[]): FloatArray {
      return new FloatArray(items);
    }
    static readonly BYTES_PER_ELEMENT = 8;
    static [Symbol.hasInstance](x: unknown): boolean {
      return (
        x instanceof Float64Array || (typeof x === 'object' && x !== null && FloatArray.prototype.isPrototypeOf(x))
      );
    }

    get BYTES_PER_ELEMENT(): number {
      return 8;
    }
    get byteLength(): number {
      return 8 * this.length;
    }
    get buffer(): never {
      return refuse('buffer');
    }
    get byteOffset(): never {
      return refuse('byteOffset');
    }
    get [Symbol.toStringTag](): string {
      return 'Float64Array';
    }

    set(values: ArrayLike<unknown>, offset = 0): void {
      if (offset < 0 || offset + values.length > this.length) throw new RangeError('offset is out of bounds');
      const copy = Array.from(values);
      for (let i = 0; i < copy.length; i++) this[offset + i] = coerced(copy[i]);
    }
    map(f: (x: unknown, i: number, a: unknown) => unknown, self?: unknown): FloatArray {
      return new FloatArray(Array.prototype.map.call(this, f, self));
    }
    filter(f: (x: unknown, i: number, a: unknown) => unknown, self?: unknown): FloatArray {
      return new FloatArray(Array.prototype.filter.call(this, f, self));
    }
    slice(start?: number, end?: number): FloatArray {
      return new FloatArray(Array.from(this as ArrayLike<unknown>).slice(start, end));
    }
    toReversed(): FloatArray {
      return new FloatArray(Array.from(this as ArrayLike<unknown>).reverse());
    }
    with(index: number, value: unknown): FloatArray {
      const copy = this.slice();
      const i = index < 0 ? this.length + index : index;
      if (!(i >= 0 && i < this.length)) throw new RangeError('invalid typed array index');
      copy[i] = coerced(value);
      return copy;
    }
    sort(compare: (a: unknown, b: unknown) => number = (a, b) => Number(a) - Number(b)): this {
      return Array.prototype.sort.call(this, compare) as unknown as this;
    }
    toSorted(compare?: (a: unknown, b: unknown) => number): FloatArray {
      return this.slice().sort(compare);
    }
    /** A view: writing to it writes to this array, as with typed arrays. */
    subarray(begin = 0, end = this.length): FloatArray {
      const at = (i: number): number => (i < 0 ? Math.max(this.length + i, 0) : Math.min(i, this.length));
      return view(this, at(begin), Math.max(at(end) - at(begin), 0), FloatArray.prototype);
    }
  }
  for (const name of generic) {
    const method = (Array.prototype as unknown as Record<PropertyKey, unknown>)[name];
    if (method)
      Object.defineProperty(FloatArray.prototype, name, { value: method, writable: true, configurable: true });
  }
  return FloatArray as unknown as Float64ArrayConstructor;
};

/** Methods of arrays that typed arrays share, and that work on anything with a length and indices. */
const generic = [
  'at',
  'copyWithin',
  'entries',
  'every',
  'fill',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'forEach',
  'includes',
  'indexOf',
  'join',
  'keys',
  'lastIndexOf',
  'reduce',
  'reduceRight',
  'reverse',
  'some',
  'toLocaleString',
  'toString',
  'values',
  Symbol.iterator,
] as const;

/** A typed array makes numbers of what it stores: undefined becomes NaN, true becomes 1. Objects here are symbols. */
const coerced = (x: unknown): unknown =>
  typeof x === 'number' || (typeof x === 'object' && x !== null) ? x : Number(x);

const view = <T extends { [index: number]: unknown }>(
  parent: T,
  offset: number,
  length: number,
  prototype: object,
): T => {
  const position = (key: PropertyKey): number => {
    const i = typeof key === 'string' ? Number(key) : NaN;
    return Number.isInteger(i) && i >= 0 && i < length ? offset + i : -1;
  };
  const target: object = Object.create(prototype, { length: { value: length } });
  return new Proxy(target, {
    get: (t, key, receiver) =>
      position(key) >= 0 ? parent[position(key)] : (Reflect.get(t, key, receiver) as unknown),
    set: (t, key, value, receiver) => {
      if (position(key) < 0) return Reflect.set(t, key, value, receiver);
      parent[position(key)] = value;
      return true;
    },
    has: (t, key) => position(key) >= 0 || Reflect.has(t, key),
  }) as T;
};
