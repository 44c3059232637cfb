import type { Value } from '@filigree/ir';

/** A function that is asked of each value once: what a value is made of may be so many times over, as of `h = (h ^ (h >> 1)) + h` again and again. */
export const eachOnce = <A>(of: (v: Value) => A): ((v: Value) => A) => {
  const known = new Map<number, { readonly found: A }>();
  return (v) => {
    const before = known.get(v.id);
    if (before) return before.found;
    const found = of(v);
    known.set(v.id, { found });
    return found;
  };
};
