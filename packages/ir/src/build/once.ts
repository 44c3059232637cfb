/** A function that makes its value when it is first called, and then gives that. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => (made ??= { value: make() }).value;
};

/** The same of each thing that it is asked of: what a value is made of, say, may be so many times over, as of `h = (h ^ (h >> 1)) + h` again and again. */
export const onceEach = <K extends object, A>(make: (of: K) => A): ((of: K) => A) => {
  const made = new WeakMap<K, { readonly value: A }>();
  return (of) => {
    let known = made.get(of);
    if (!known) made.set(of, (known = { value: make(of) }));
    return known.value;
  };
};
