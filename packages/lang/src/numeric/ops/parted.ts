type Choose = (a: unknown, b: unknown) => unknown;

/**
 * A choice between two arrays of one length, or two objects of the same properties, as one array or object of choices; undefined where it is none. Both must be new, which is what `own` holds: of others, what is
 * chosen would be an array that is a third one, and what is written to it would be written to neither. What is chosen from once is no longer new: where it stands twice it would be two.
 */
export const parted = (a: unknown, b: unknown, own: WeakSet<object>, choose: Choose): object | undefined => {
  if (!isOf(a, own) || !isOf(b, own)) return undefined;
  for (const x of [a, b]) own.delete(x);
  if (Array.isArray(a)) return Array.isArray(b) ? itemsOf(a, b, choose) : undefined;
  return Array.isArray(b) ? undefined : propertiesOf(a, b, choose);
};

const isOf = (x: unknown, own: WeakSet<object>): x is object => typeof x === 'object' && x !== null && own.has(x);

const itemsOf = (a: readonly unknown[], b: readonly unknown[], choose: Choose): unknown[] | undefined =>
  a.length === b.length ? Array.from(a, (x, k) => choose(x, b[k])) : undefined;

const propertiesOf = (a: object, b: object, choose: Choose): object | undefined => {
  if ([a, b].some((o) => Object.getPrototypeOf(o) !== Object.prototype)) return undefined;
  if ([a, b].some((o) => Object.getOwnPropertySymbols(o).length > 0)) return undefined;
  const [x, y] = [Object.entries(a), Object.entries(b)];
  if (x.length !== y.length || x.some(([name], k) => name !== y[k][0])) return undefined;
  return Object.fromEntries(x.map(([name, value], k) => [name, choose(value, y[k][1])]));
};
