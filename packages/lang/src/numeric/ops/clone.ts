/** What rewritten code makes arrays and collections with, which may hold symbols. */
interface Holders {
  readonly isSymbolic: (x: unknown) => boolean;
  readonly Float64Array: Float64ArrayConstructor;
  readonly Map: MapConstructor;
  readonly Set: SetConstructor;
}

/** What `structuredClone` becomes in rewritten code: the same, but that symbols in what is cloned stay the symbols that they are, as numbers do. */
export const cloneWith = ({ isSymbolic, Float64Array, Map, Set }: Holders): ((x: unknown) => unknown) => {
  const clone = (x: unknown, done: globalThis.Map<unknown, unknown>): unknown => {
    if (typeof x !== 'object' || x === null) return structuredClone(x);
    if (isSymbolic(x)) return x;
    if (done.has(x)) return done.get(x);
    const into = <T>(made: T, fill: (made: T) => void): T => {
      done.set(x, made);
      fill(made);
      return made;
    };
    const inner = (y: unknown): unknown => clone(y, done);
    if (Array.isArray(x))
      return into(new Array<unknown>(x.length), (made) => x.forEach((y, i) => (made[i] = inner(y))));
    if (x instanceof Map)
      return into(new Map<unknown, unknown>(), (made) => x.forEach((y, key) => made.set(inner(key), inner(y))));
    if (x instanceof Set) return into(new Set<unknown>(), (made) => x.forEach((y) => made.add(inner(y))));
    if (x instanceof Float64Array && !ArrayBuffer.isView(x)) return into((x as Float64Array).slice(), () => undefined);
    /* Dates, errors, buffers and the like hold no symbols. */
    if (Object.prototype.toString.call(x) !== '[object Object]') return structuredClone(x);
    return into<Record<string, unknown>>({}, (made) => {
      for (const [key, y] of Object.entries(x)) made[key] = inner(y);
    });
  };
  return (x) => clone(x, new globalThis.Map());
};
