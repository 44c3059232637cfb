/** A map whose entries last to the end of the region in which they were set. Keys in scope are not set again. */
export interface ScopedMap<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
  readonly enter: () => void;
  readonly leave: () => void;
}

export const scopedMap = <T>(): ScopedMap<T> => {
  const map = new Map<string, T>();
  const scopes: string[][] = [[]];
  return {
    get: (key) => map.get(key),
    set: (key, value) => {
      map.set(key, value);
      scopes[scopes.length - 1]!.push(key);
    },
    enter: () => void scopes.push([]),
    leave: () => {
      for (const key of scopes.pop()!) map.delete(key);
    },
  };
};
