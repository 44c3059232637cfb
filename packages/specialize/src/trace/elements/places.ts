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

/** A way from an array to an entry: numbers, and indices of elements. */
export interface Place {
  readonly name: string;
  readonly array: object;
  readonly path: readonly (number | ElementIndex)[];
}

/** What reads and writes of the arrays of a body come to. */
export interface Access {
  /** An index by its key, undefined for any other key. */
  readonly indexOf: (key: string) => ElementIndex | undefined;
  readonly read: (place: Place) => unknown;
  readonly write: (place: Place, value: unknown) => void;
}

/** An array, or what stands at a place of one, as the body of `elements` sees it. */
export const viewOf = (place: Place, access: Access): unknown => {
  const target = entryOf(place, 0);
  if (!isArray(target)) return access.read(place);
  const inner = (key: string | symbol): Place | undefined => {
    if (typeof key === 'symbol') return undefined;
    const index = access.indexOf(key);
    const at = index ?? Number(key);
    if (typeof at === 'number' && !(Number.isInteger(at) && at >= 0)) return undefined;
    return { ...place, path: [...place.path, at] };
  };
  return new Proxy(target, {
    get: (t, key, receiver) => {
      const at = inner(key);
      return at === undefined ? (Reflect.get(t, key, receiver) as unknown) : viewOf(at, access);
    },
    set: (_, key, value) => {
      const at = inner(key);
      if (at === undefined)
        fail('elements/array', `'${String(key)}' of the array '${place.name}' is assigned`, {
          remedy: 'elements write entries of arrays that are as long as they must be',
        });
      else access.write(at, value);
      return true;
    },
  });
};

/** What stands at a place for an element. Errors: `elements/range`. */
export const entryOf = ({ name, array, path }: Place, element: number): unknown => {
  let at: unknown = array;
  for (const step of path) at = entry(name, at, step, element);
  return at;
};

/** The array that holds a place for an element, and where in it. */
export const holderOf = ({ name, array, path }: Place, element: number): { holder: unknown[]; key: number } => {
  const holder = entryOf({ name, array, path: path.slice(0, -1) }, element);
  const last = path[path.length - 1];
  entry(name, holder, last, element);
  return { holder: holder as unknown[], key: typeof last === 'number' ? last : last.of(element) };
};

const entry = (name: string, array: unknown, step: number | ElementIndex, element: number): unknown => {
  const key = typeof step === 'number' ? step : step.of(element);
  if (!isArray(array) || !(key >= 0 && key < array.length))
    fail(
      'elements/range',
      `element ${element} uses entry ${key} of '${name}'${typeof step === 'number' ? '' : ` by the table '${step.name}'`}, ${
        isArray(array) ? `which has ${array.length}` : 'where there is no array'
      }`,
      { remedy: 'give tables of indices that exist' },
    );
  return (array as ArrayLike<unknown>)[key];
};

const isArray = (x: unknown): x is object & ArrayLike<unknown> =>
  typeof x === 'object' && x !== null && !isSymbolic(x) && 'length' in x;
