/**
 * What `Map` and `Set` become in rewritten code: the same, but for a key that is symbolic, which they would tell from others by which
 * object it is, whatever its value: `refuse` raises a diagnostic. `instanceof` holds for those made elsewhere too.
 */
export const keyedCollections = (
  isSymbolic: (x: unknown) => boolean,
  refuse: () => never,
): { readonly Map: MapConstructor; readonly Set: SetConstructor } => {
  const key = <K>(k: K): K => (typeof k === 'object' && isSymbolic(k) ? refuse() : k);

  class KeyedMap<K, V> extends Map<K, V> {
    static override [Symbol.hasInstance](x: unknown): boolean {
      return Map.prototype.isPrototypeOf(x as object);
    }
    override get(k: K): V | undefined {
      return super.get(key(k));
    }
    override has(k: K): boolean {
      return super.has(key(k));
    }
    override set(k: K, value: V): this {
      return super.set(key(k), value);
    }
    override delete(k: K): boolean {
      return super.delete(key(k));
    }
  }
  class KeyedSet<K> extends Set<K> {
    static override [Symbol.hasInstance](x: unknown): boolean {
      return Set.prototype.isPrototypeOf(x as object);
    }
    override has(k: K): boolean {
      return super.has(key(k));
    }
    override add(k: K): this {
      return super.add(key(k));
    }
    override delete(k: K): boolean {
      return super.delete(key(k));
    }
  }
  return { Map: KeyedMap as unknown as MapConstructor, Set: KeyedSet as unknown as SetConstructor };
};
