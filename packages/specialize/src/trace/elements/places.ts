import { fail, isSymbolic } from '@filigree/ir';
import type { IndexTable } from './elements.js';

/** The index of an element in a table, as the body of `elements` holds it: a key of arrays, and nothing to compute with. */
export class ElementIndex {
  constructor(
    readonly name: string,
    readonly table: IndexTable | undefined,
    private readonly key: string,
    private readonly used: () => void,
  ) {}

  of(element: number): number {
    return this.table === undefined ? element : this.table[element];
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') {
      this.used();
      return this.key;
    }
    return fail('elements/index', `the index '${this.name}' of an element is computed with`, {
      remedy: 'write a table of the indices that are meant: each element looks up its own',
    });
  }
}

/** A way from an array or object to an entry: numbers, names, and indices of elements. */
export interface Place {
  readonly name: string;
  readonly array: object;
  readonly path: readonly Step[];
}

type Step = number | string | ElementIndex;

/** What reads and writes of the arrays of a body come to. */
export interface Access {
  /** An index by its key, undefined for any other key. */
  readonly indexOf: (key: string) => ElementIndex | undefined;
  readonly read: (place: Place) => unknown;
  readonly write: (place: Place, value: unknown) => void;
  /** Refuses a place where elements have arrays of different lengths, or objects of different entries. */
  readonly requireAlike: (place: Place) => void;
}

/** An array or object, or what stands at a place of one, as the body of `elements` sees it. */
export const viewOf = (place: Place, access: Access): unknown => {
  const target = entryOf(place, 0);
  if (!isHolder(target)) {
    const isNumeric = typeof target === 'number' || isSymbolic(target);
    return isNumeric || place.path.some(isIndex) ? access.read(place) : target;
  }
  const inner = (key: string | symbol): Place | undefined => {
    if (typeof key === 'symbol') return undefined;
    const step = access.indexOf(key) ?? stepOf(target, key);
    return step === undefined ? undefined : { ...place, path: [...place.path, step] };
  };
  const refuse = (key: string | symbol): never =>
    fail('elements/array', `'${String(key)}' of the array '${place.name}' is assigned`, {
      remedy: 'elements write entries of arrays that are as long as they must be',
    });
  return new Proxy(Object.isFrozen(target) ? copyOf(target) : target, {
    get: (t, key, receiver) => {
      if (key === Symbol.toPrimitive) return asKey(place, t);
      const at = inner(key);
      if (at !== undefined) return viewOf(at, access);
      /* Methods and getters see the view. Those of typed arrays take nothing but typed arrays. */
      const from = ArrayBuffer.isView(t) && key in Array.prototype ? Array.prototype : t;
      if (isLength(t, key) || !(key in from)) access.requireAlike(place);
      return isLength(t, key) ? t.length : (Reflect.get(from, key, receiver) as unknown);
    },
    has: (t, key) => {
      if (inner(key) === undefined) access.requireAlike(place);
      return key in t;
    },
    ownKeys: (t) => {
      access.requireAlike(place);
      return Reflect.ownKeys(t);
    },
    set: (_, key, value) => {
      access.write(inner(key) ?? refuse(key), value);
      return true;
    },
    deleteProperty: (_, key) => refuse(key),
  });
};

/** An array is no index, and JavaScript would take the text of its entries for one. */
const asKey =
  ({ name }: Place, array: object) =>
  (hint: string): unknown =>
    hint === 'string'
      ? fail('elements/table', `the array '${name}' is taken for an index`, {
          remedy: 'what elements are to look up an index in is a typed array of integers: hand over Int32Array.from(…)',
        })
      : String(array);

/** What a table of indices is to a body: a key of arrays, which has no entries of its own. */
export const indexView = (index: ElementIndex, { indexOf }: Pick<Access, 'indexOf'>): ElementIndex =>
  new Proxy(index, {
    get: (t, key) => {
      if (typeof key === 'string' && (indexOf(key) ?? wholeNumber(key)) !== undefined)
        fail('elements/index', `an entry of '${t.name}' is taken, which is the index of an element`, {
          remedy: `a body has of a table what it holds for the element: write x[${t.name}]`,
        });
      return Reflect.get(t, key) as unknown;
    },
  });

/** What stands at a place for an element. Errors: `elements/range`. */
export const entryOf = ({ name, array, path }: Place, element: number): unknown => {
  let at: unknown = array;
  for (const step of path) at = entry(name, at, step, element);
  return at;
};

/** The array or object that holds a place for an element, and where in it. */
export const holderOf = ({ name, array, path }: Place, element: number): { holder: Holder; key: number | string } => {
  const holder = entryOf({ name, array, path: path.slice(0, -1) }, element);
  const last = path[path.length - 1];
  entry(name, holder, last, element);
  return { holder: holder as Holder, key: isIndex(last) ? last.of(element) : last };
};

/** An array or object that holds entries by their number or name. */
export type Holder = Record<number | string, unknown>;

/** Names of the entries of an object, in order; undefined for an array. */
export const namesIn = (holder: object): readonly string[] | undefined =>
  isList(holder) ? undefined : Object.keys(holder).filter((key) => isEntry(holder, key));

/** Refuses a place where elements have arrays of different lengths, or objects of different entries. */
export const requireAlike = (place: Place, count: number): void => {
  if (!place.path.some(isIndex)) return;
  const first = shapeOf(entryOf(place, 0));
  for (let e = 1; e < count; e++) {
    const shape = shapeOf(entryOf(place, e));
    if (shape !== first)
      fail(
        'elements/shape',
        `the body asks what there is in a part of '${place.name}': element 0 has ${first}, element ${e} ${shape}`,
        { remedy: 'fill the parts up to one form, or call elements once for each form' },
      );
  }
};

const shapeOf = (x: unknown): string => {
  if (!isHolder(x)) return 'no array';
  if (isList(x)) return `length ${x.length}`;
  return `the entries ${namesIn(x)!.join(', ')}`;
};

const entry = (name: string, at: unknown, step: Step, element: number): unknown => {
  const key = isIndex(step) ? step.of(element) : step;
  if (!hasEntry(at, key))
    fail(
      'elements/range',
      `element ${element} uses entry ${key} of '${name}'${isIndex(step) ? ` by the table '${step.name}'` : ''}, ${
        isHolder(at) ? `which has ${isList(at) ? at.length : namesIn(at)!.join(', ')}` : 'where there is no array'
      }`,
      { remedy: 'give tables of indices that exist' },
    );
  return (at as Holder)[key];
};

const hasEntry = (at: unknown, key: number | string): boolean =>
  isHolder(at) && (isList(at) ? typeof key === 'number' && key >= 0 && key < at.length : isEntry(at, String(key)));

/** A key as a step to an entry; undefined for a method, a length, and all else that is none. */
const stepOf = (holder: object, key: string): number | string | undefined =>
  isList(holder) ? wholeNumber(key) : isEntry(holder, key) ? key : undefined;

const wholeNumber = (key: string): number | undefined => (/^\d+$/.test(key) ? Number(key) : undefined);

const isIndex = (step: Step): step is ElementIndex => typeof step === 'object';

const isHolder = (x: unknown): x is object => typeof x === 'object' && x !== null && !isSymbolic(x);

/* Arrays have a length of their own that is not among their entries. */
const isList = (x: object): x is ArrayLike<unknown> & object =>
  Array.isArray(x) || ArrayBuffer.isView(x) || Object.getOwnPropertyDescriptor(x, 'length')?.enumerable === false;

const isLength = (x: object, key: string | symbol): x is ArrayLike<unknown> & object => key === 'length' && isList(x);

/* What a getter gives is computed from entries. */
const isEntry = (x: object, key: string): boolean => {
  const found = Object.getOwnPropertyDescriptor(x, key);
  return found !== undefined && found.enumerable === true && 'value' in found;
};

/** The same entries in something that can be written to: of what cannot, no proxy may give anything else. */
const copyOf = (x: object): object =>
  Array.isArray(x)
    ? [...(x as readonly unknown[])]
    : Object.assign(Object.create(Object.getPrototypeOf(x) as object), x);
